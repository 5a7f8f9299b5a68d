/**
 * Who listens on a Unix socket, where children inherit it: they keep it open though its owner has died, so that a connection
 * succeeds and nobody ever answers. A small file beside the socket then tells whether its owner is still there.
 */
import { lstatSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";

const recordOf = (socket: string) => path.join(path.dirname(socket), `.${path.basename(socket)}.owner`);

/** When a process began, in ticks since the system did: a number may be given to another one later. Empty if not told. */
function beginningOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // What stands before may hold spaces and parentheses: the name of the program.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

/** Numbers of processes mean the same within it; empty where there is only one. */
function namespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** Notes that this process listens there; the function that it gives takes that back. */
export function noteOwner(socket: string): () => void {
  const file = recordOf(socket);
  const { ino } = lstatSync(socket);
  const record = JSON.stringify({ ino, pid: process.pid, began: beginningOf(process.pid), namespace: namespace() });
  writeFileSync(file, record, { mode: 0o600 });
  return () => {
    // Whoever has replaced it has a record of its own.
    try {
      if (readFileSync(file, "utf8") === record) rmSync(file);
    } catch {
      // Somebody has cleaned up.
    }
  };
}

/** True if it is certain that whoever listened there has died. */
export function ownerHasDied(socket: string): boolean {
  let record: { ino?: unknown; pid?: unknown; began?: unknown; namespace?: unknown };
  try {
    record = JSON.parse(readFileSync(recordOf(socket), "utf8"));
    if (record.ino !== lstatSync(socket).ino || record.namespace !== namespace()) return false;
  } catch {
    return false;
  }
  const pid = Number(record.pid);
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  const began = beginningOf(pid);
  return began !== "" && record.began !== "" && began !== record.began;
}
