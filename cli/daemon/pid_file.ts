import { dirName } from "../../src/base/paths.ts";
import { codeOf, messageOf } from "../../src/base/errors.ts";
import type { Logger } from "../../src/base/log.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { Exit } from "../program/exit.ts";

/** The words of a process's command line; empty if the system does not show them. */
function wordsOf({ fs }: Pick<Runtime, "fs">, pid: number): string[] {
  try {
    return fs.readText(`/proc/${pid}/cmdline`).split(/[\0 ]+/).filter((word) => word !== "");
  } catch {
    return [];
  }
}

/** True if a process is real Salt's daemon: Python with a program of that name. */
export function isSaltsOwn(runtime: Pick<Runtime, "fs">, pid: number, program: string): boolean {
  const [first = "", ...others] = wordsOf(runtime, pid);
  const isNamed = (word: string) => word === program || word.endsWith(`/${program}`);
  return /(?:^|\/)python[\d.]*$/.test(first) && others.some(isNamed);
}

/** The processes of real Salt's daemon on this host; empty on a system that does not show processes. */
export function saltsOwn(runtime: Pick<Runtime, "fs">, program: string): number[] {
  try {
    return runtime.fs.list("/proc").filter((name) => /^\d+$/.test(name)).map(Number)
      .filter((pid) => isSaltsOwn(runtime, pid, program));
  } catch {
    return [];
  }
}

/** The parts of a runtime that are needed to find another instance. */
type PidRuntime = Pick<Runtime, "fs" | "process">;

/** Ticks per second in /proc: the same on every Linux. */
const TICKS = 100;

/** Seconds by which times in /proc and times of files may differ. */
const SLACK_SECONDS = 2;

/** Bytes that are read of a pid file, at most. */
const MAX_BYTES = 64;

/** Start time of a process, in seconds since the epoch; undefined on a system that does not show it. */
function startedAt(fs: Pick<FileSystem, "readText">, pid: number): number | undefined {
  try {
    const stat = fs.readText(`/proc/${pid}/stat`);
    // The program's name, before it, may contain spaces and parentheses.
    const ticks = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
    const boot = Number(/^btime (\d+)$/m.exec(fs.readText("/proc/stat"))?.[1]);
    return Number.isFinite(ticks) && Number.isFinite(boot) ? boot + ticks / TICKS : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The process that has written a pid file, if it is still running; otherwise undefined.
 *
 * The number alone proves little: after a crash, or in another container, it may be the number of another program, or of
 * another instance of this program. A process that started after the file was written has not written it.
 */
export function runningInstance({ fs, process }: PidRuntime, path: string, program: string): number | undefined {
  const stat = path === "" ? undefined : fs.stat(path);
  if (stat?.kind !== "file") return undefined;
  const text = new TextDecoder().decode(fs.readAt(path, 0, MAX_BYTES)).trim();
  const pid = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (pid < 1 || !process.alive(pid)) return undefined;
  const started = startedAt(fs, pid);
  if (started !== undefined && started > stat.mtimeMs / 1000 + SLACK_SECONDS) return undefined;
  try {
    // Where the system shows command lines, they reveal a pid that was written by hand.
    if (!fs.readText(`/proc/${pid}/cmdline`).includes(program)) return undefined;
  } catch {
    // The system does not show command lines. Then process 1 is the system's own, not the only process of a container.
    if (pid === 1 && pid !== process.pid) return undefined;
  }
  return pid;
}

/**
 * Writes the pid file; the returned function removes it. If a link is in its place, the link is replaced, never followed.
 *
 * @throws {Exit} 1 if another running instance has it
 */
export function claimPidFile(runtime: PidRuntime, path: string, program: string, log: Logger): () => void {
  const { fs, process } = runtime;
  if (path === "") return () => {};
  const own = String(process.pid);
  try {
    fs.mkdir(dirName(path));
    for (let attempt = 0;; attempt++) {
      const other = runningInstance(runtime, path, program);
      if (other !== undefined && other !== process.pid) {
        const whose = isSaltsOwn(runtime, other, program) ? `Salt's own ${program}` : `Another ${program}`;
        throw new Exit(1, `[ERROR   ] ${whose} is running as process ${other} (${path}): stop it first`);
      }
      try {
        fs.write(path, own, { mode: 0o644, how: "create" });
        break;
      } catch (error) {
        // Replace the file of a dead process, but only once: of two instances that start at once, one must fail.
        if (codeOf(error) !== "EEXIST" || attempt > 0) throw error;
        log.debug("stale pid file replaced", { path });
        fs.remove(path);
      }
    }
  } catch (error) {
    if (error instanceof Exit) throw error;
    log.warning("pid file not written", { path, error: messageOf(error) });
    return () => {};
  }
  return () => {
    try {
      if (fs.readText(path) === own) fs.remove(path);
    } catch {
      // The file is removed already, or its directory belongs to another user.
    }
  };
}
