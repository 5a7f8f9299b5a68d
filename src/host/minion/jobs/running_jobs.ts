import type { Clock } from "../../../base/async/clock.ts";
import { joinPath } from "../../../base/paths.ts";
import { messageOf } from "../../../base/errors.ts";
import { isPlainJid } from "../../../model/job/jid.ts";
import type { JobControl } from "../../../model/loader/family.ts";
import type { Logger } from "../../../base/log.ts";
import { isMap, lookup } from "../../../language/python/values.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { decode, encode } from "../../../protocol/wire/msgpack.ts";

/** After how long a job gets a file in `proc/` for other programs, in milliseconds; most jobs are over before. */
const FILE_AFTER_MS = 250;

export interface RunningJob {
  readonly jid: string;
  readonly signal: AbortSignal;
  /** Adds a process that works for the job; its own process, if it has one, comes first. */
  ownProcess(pid: number): void;
  end(): void;
}

interface Entry {
  load: Record<string, unknown>;
  abort: AbortController;
  processes: Set<number>;
}

/** A job as `saltutil` shows it. */
function shown(jid: string, pid: number, field: (name: string) => unknown): Record<string, unknown> {
  return {
    jid,
    pid,
    fun: field("fun"),
    arg: field("arg") ?? [],
    tgt: field("tgt"),
    tgt_type: field("tgt_type") ?? "glob",
    user: field("user") ?? "",
    ret: field("ret") ?? "",
    ...(field("schedule") === undefined ? {} : { schedule: field("schedule") }),
  };
}

/**
 * The running jobs of this host. Jobs of this minion are in memory, and those that last also have files, which Salt's tools
 * read. Other files belong to jobs of a `salt-call`, or of an earlier process of the minion.
 */
export class RunningJobs implements JobControl {
  readonly #runtime: Runtime;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #directory: string;
  readonly #jobs = new Map<string, Entry>();

  constructor(runtime: Runtime, log: Logger, cacheDir: string) {
    this.#runtime = runtime;
    this.#clock = runtime.clock;
    this.#log = log;
    this.#directory = joinPath(cacheDir, "proc");
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** Makes the directory, and removes the files of jobs whose process has exited. */
  prepare(): void {
    this.#runtime.fs.mkdir(this.#directory, 0o755);
    this.#others();
  }

  /** Jobs of other processes, read from their files. The file of a process that has exited is removed. */
  #others(): { jid: string; pid: number; load: Record<string, unknown> | Map<unknown, unknown> }[] {
    const { fs } = this.#runtime;
    if (fs.stat(this.#directory)?.kind !== "directory") return [];
    return fs.list(this.#directory).flatMap((jid) => {
      if (this.#jobs.has(jid) || !isPlainJid(jid)) return [];
      const path = joinPath(this.#directory, jid);
      let load: unknown;
      try {
        load = decode(fs.read(path), { mode: "wire" });
      } catch {
        // The file is being written or was just removed.
        return [];
      }
      const pid = isMap(load) ? Number(lookup(load, "pid")) : NaN;
      if (isMap(load) && this.#isJob(pid)) return [{ jid, pid, load }];
      fs.remove(path);
      return [];
    });
  }

  /**
   * True if a pid belongs to a Salt program. The system may have reused the pid, so the command line decides if it can be
   * read.
   */
  #isJob(pid: number): boolean {
    const { fs, process } = this.#runtime;
    if (!Number.isSafeInteger(pid) || pid <= 1 || pid === process.pid || !process.alive(pid)) return false;
    try {
      return fs.readText(`/proc/${pid}/cmdline`).includes("salt");
    } catch {
      return true;
    }
  }

  begin(jid: string, load: Record<string, unknown>): RunningJob {
    const { fs } = this.#runtime;
    const entry: Entry = { load, abort: new AbortController(), processes: new Set() };
    this.#jobs.set(jid, entry);
    const path = joinPath(this.#directory, jid);
    let written = false;
    const cancel = this.#clock.after(FILE_AFTER_MS, () => {
      try {
        fs.write(path, encode({ pid: this.#pidOf(entry), ...load, jid }, "wire"), { mode: 0o600 });
        written = true;
      } catch (error) {
        this.#log.warning("job file not written", { path, error: messageOf(error) });
      }
    });
    return {
      jid,
      signal: entry.abort.signal,
      ownProcess: (pid) => void entry.processes.add(pid),
      end: () => {
        cancel();
        this.#jobs.delete(jid);
        if (written) fs.remove(path);
      },
    };
  }

  /** Returns the pid of a job: that of its own process, of one that works for it, or else of this process. */
  #pidOf({ processes }: Entry): number {
    const { process } = this.#runtime;
    return [...processes].find((pid) => process.alive(pid)) ?? process.pid;
  }

  running(): Record<string, unknown>[] {
    const own = [...this.#jobs].map(([jid, entry]) => shown(jid, this.#pidOf(entry), (name) => entry.load[name]));
    const others = this.#others().map(({ jid, pid, load }) => shown(jid, pid, (name) => lookup(load, name)));
    return [...own, ...others];
  }

  /** Returns how many runs of a scheduled job have not ended, including those of other processes on this host. */
  scheduled(name: string): number {
    const own = [...this.#jobs.values()].filter(({ load }) => load.schedule === name).length;
    return own + this.#others().filter(({ load }) => lookup(load, "schedule") === name).length;
  }

  signal(jid: string, signal: number): { pid: number } | undefined {
    const entry = this.#jobs.get(jid);
    if (entry === undefined) {
      const other = this.#others().find((job) => job.jid === jid);
      if (other === undefined || !this.#send(other.pid, signal)) return undefined;
      return { pid: other.pid };
    }
    const pid = this.#pidOf(entry);
    for (const one of entry.processes) this.#send(one, signal);
    // Signal 0 only asks whether it is alive; those that end a process also end the job.
    const ends = [2, 3, 9, 15].includes(signal);
    if (ends) entry.abort.abort(new Error(`The job was ended by signal ${signal}`));
    return { pid };
  }

  #send(pid: number, signal: number): boolean {
    const { process } = this.#runtime;
    try {
      // SIGKILL leaves no time to clean up: it goes to the whole process group.
      return signal === 9 && process.kill(-pid, signal) || process.kill(pid, signal);
    } catch (error) {
      this.#log.warning("the process of a job could not be signaled", { pid, signal, error: messageOf(error) });
      return false;
    }
  }

  /** Ends every job. */
  abortAll(reason: Error): void {
    for (const { abort } of this.#jobs.values()) abort.abort(reason);
  }
}
