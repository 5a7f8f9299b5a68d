/** The ports of a daemon: free, or held by the instance that runs. */
import { codeOf, messageOf } from "../../../src/errors.ts";
import type { Runtime } from "../../../src/runtime/mod.ts";
import { type Finding, wrong } from "./finding.ts";

/** Where a daemon will listen. */
export interface Port {
  option: string;
  host: string;
  port: number;
}

/** True if a process listens at a TCP port, as far as /proc shows it. */
function listensAt({ fs }: Pick<Runtime, "fs">, pid: number, port: number): boolean {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const inodes = new Set<string>();
  for (const table of ["tcp", "tcp6"]) {
    try {
      for (const line of fs.readText(`/proc/${pid}/net/${table}`).split("\n")) {
        const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
        if (state === "0A" && local.endsWith(`:${hex}`)) inodes.add(`socket:[${inode}]`);
      }
    } catch {
      // No such table: no sockets of that kind.
    }
  }
  try {
    return fs.list(`/proc/${pid}/fd`).some((fd) => {
      try {
        return inodes.has(fs.readlink(`/proc/${pid}/fd/${fd}`));
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}

/** Listens at each port for a moment. @param running the process of the instance that runs, whose ports are in use rightly */
export async function checkPorts(
  runtime: Pick<Runtime, "fs" | "net">,
  ports: readonly Port[],
  running: number | undefined,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { option, host, port } of ports) {
    try {
      const listener = await runtime.net.listen({ kind: "tcp", host, port }, (connection) => connection.destroy());
      await listener.close();
    } catch (error) {
      if (codeOf(error) === "EADDRINUSE" && running !== undefined && listensAt(runtime, running, port)) continue;
      const remedy = codeOf(error) === "EADDRINUSE"
        ? `stop what listens there (ss -ltnp 'sport = :${port}' names it), or set ${option} to another port`
        : `change ${option} or the address that it is for`;
      findings.push(wrong(`${option}: ${messageOf(error)}`, remedy));
    }
  }
  return findings;
}
