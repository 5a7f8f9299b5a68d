import { joinPath } from "../../base/paths.ts";
import { codeOf } from "../../base/errors.ts";
import { isRecord } from "../../base/record.ts";
import type { Runtime } from "../../runtime/runtime.ts";

type LockHost = Pick<Runtime, "fs" | "process">;

/**
 * Start time of a process, in ticks since boot: it tells processes with a reused pid apart. Empty where the system has no
 * `/proc`.
 */
function beginningOf({ fs }: LockHost, pid: number): string {
  try {
    const stat = fs.readText(`/proc/${pid}/stat`);
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

/** The owner of a lock. An operator's lock stays until the operator removes it. */
interface LockHolder {
  pid: number;
  began: string;
  operator: boolean;
}

function holderOf({ fs }: LockHost, path: string): LockHolder | undefined {
  let text: string;
  try {
    text = fs.readText(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    const read: unknown = JSON.parse(text);
    if (isRecord(read) && typeof read.pid === "number" && typeof read.began === "string") {
      return { pid: read.pid, began: read.began, operator: read.operator === true };
    }
  } catch {
    // A power failure has left the file incomplete: the lock has no owner.
  }
  return { pid: 0, began: "", operator: false };
}

function holds(host: LockHost, { pid, began, operator }: LockHolder): boolean {
  if (operator) return true;
  return pid > 0 && host.process.alive(pid) && beginningOf(host, pid) === began;
}

/** The lock of one remote against updates: a file that counts only while the process that wrote it lives. */
export class UpdateLock {
  readonly path: string;
  readonly #host: LockHost;

  constructor(host: LockHost, directory: string) {
    this.path = joinPath(directory, "update.lk");
    this.#host = host;
  }

  /** The owner of the lock; undefined if nobody holds it. */
  holder(): LockHolder | undefined {
    const holder = holderOf(this.#host, this.path);
    return holder !== undefined && holds(this.#host, holder) ? holder : undefined;
  }

  /** Takes the lock. @returns the owner if somebody holds it already; undefined if it was taken */
  take(operator = false): LockHolder | undefined {
    const { fs, process } = this.#host;
    const own = JSON.stringify({ pid: process.pid, began: beginningOf(this.#host, process.pid), operator });
    for (let tries = 1;; tries++) {
      const held = this.holder();
      if (held !== undefined) return held;
      // The file of a lock without an owner was left by a process that was killed.
      fs.remove(this.path);
      try {
        fs.write(this.path, own, { how: "create", mode: 0o600 });
        return undefined;
      } catch (error) {
        if (codeOf(error) !== "EEXIST" || tries === 3) throw error;
      }
    }
  }

  /** Removes the lock. @returns false if there was none */
  clear(): boolean {
    const { fs } = this.#host;
    const was = fs.stat(this.path) !== undefined;
    fs.remove(this.path, { recursive: true });
    return was;
  }
}
