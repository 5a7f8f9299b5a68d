/** Checks the ports of a daemon: each must be free, or be in use by the running instance. */
import { codeOf, messageOf } from "../../../src/base/errors.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { saltsOwn } from "../pid_file.ts";
import { stopCommand } from "../manage_service.ts";
import { type Finding, wrong } from "./finding.ts";

/** An address that a daemon will listen on. */
export interface Port {
  option: string;
  host: string;
  port: number;
}

/** True if a process listens on a TCP port; undefined if this user may not see it. */
function listensAt({ fs }: Pick<Runtime, "fs">, pid: number, port: number): boolean | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const inodes = new Set<string>();
  for (const table of ["tcp", "tcp6"]) {
    try {
      for (const line of fs.readText(`/proc/${pid}/net/${table}`).split("\n")) {
        const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
        if (state === "0A" && local.endsWith(`:${hex}`)) inodes.add(`socket:[${inode}]`);
      }
    } catch {
      // There is no such table: the system has no sockets of that kind.
    }
  }
  let open: string[];
  try {
    open = fs.list(`/proc/${pid}/fd`);
  } catch {
    return undefined;
  }
  return open.some((fd) => {
    try {
      return inodes.has(fs.readlink(`/proc/${pid}/fd/${fd}`));
    } catch {
      return false;
    }
  });
}

/** The first process of real Salt's daemon, if it uses the port. If this user may not see its sockets, the answer is yes. */
function saltsOwnAt(runtime: Pick<Runtime, "fs">, program: string, port: number): number | undefined {
  const processes = saltsOwn(runtime, program);
  return processes.some((pid) => listensAt(runtime, pid, port) !== false) ? Math.min(...processes) : undefined;
}

/**
 * Listens on each port for a moment.
 *
 * @param running process of the running instance, which may use its ports
 * @param program name of the daemon; real Salt has a daemon of the same name
 */
export async function checkPorts(
  runtime: Pick<Runtime, "fs" | "net">,
  ports: readonly Port[],
  running: number | undefined,
  program: string,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const held = new Map<number, string[]>();
  for (const { option, host, port } of ports) {
    try {
      const listener = await runtime.net.listen({ kind: "tcp", host, port }, (connection) => connection.destroy());
      await listener.close();
    } catch (error) {
      const taken = codeOf(error) === "EADDRINUSE";
      if (taken && running !== undefined && listensAt(runtime, running, port)) continue;
      const salts = taken ? saltsOwnAt(runtime, program, port) : undefined;
      if (salts !== undefined) {
        held.set(salts, [...held.get(salts) ?? [], `${option} ${port}`]);
        continue;
      }
      const remedy = taken
        ? `ss -ltnp 'sport = :${port}' shows which program uses the port: stop that program, or set ${option} to another port`
        : `set ${option} or the address to another value`;
      findings.push(wrong(`${option}: ${messageOf(error)}`, remedy));
    }
  }
  for (const [pid, names] of held) {
    findings.push(
      wrong(
        `Salt's ${program} is running (process ${pid}) and uses ${[...new Set(names)].join(" and ")}`,
        `stop it before you start this one: ${stopCommand(runtime, program, pid)}`,
      ),
    );
  }
  return findings;
}
