/**
 * Records which process listens on a Unix socket, where children inherit it: they keep it open when its owner has died, so a
 * connection succeeds but is never answered. A small file beside the socket shows whether its owner is still alive.
 */
import { builtin } from "./builtin.ts";

const { lstatSync, readFileSync, readlinkSync, rmSync, writeFileSync } = builtin("node:fs");
const path = builtin("node:path");

const recordOf = (socket: string) => path.join(path.dirname(socket), `.${path.basename(socket)}.owner`);

/** When a process started, in ticks since boot; empty if not known. It identifies the process, because process ids are reused. */
function beginningOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name, before it, may contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

/** The namespace within which process ids are unique; empty where there is only one. */
function namespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** Records that this process listens there; the returned function removes the record. */
export function noteOwner(socket: string): () => void {
  const file = recordOf(socket);
  const { ino } = lstatSync(socket);
  const record = JSON.stringify({ ino, pid: process.pid, began: beginningOf(process.pid), namespace: namespace() });
  writeFileSync(file, record, { mode: 0o600 });
  return () => {
    // A process that replaced the socket has a record of its own.
    try {
      if (readFileSync(file, "utf8") === record) rmSync(file);
    } catch {
      // The record was already removed.
    }
  };
}

/** True if it is certain that the process that listened there has died. */
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
