import type { Clock } from "../async/clock.ts";
import { joinPath } from "../config/paths.ts";
import { messageOf } from "../errors.ts";
import type { RunningJobs } from "../loader/context.ts";
import type { Logger } from "../log.ts";
import type { Runtime } from "../runtime/mod.ts";
import { encode } from "../wire/msgpack.ts";

/** A job that lasts longer gets a file in `proc/`, for other programs to see; most are over before. */
const FILE_AFTER_MS = 250;

/** One running job. */
export interface RunningJob {
  readonly jid: string;
  readonly signal: AbortSignal;
  ownProcess(pid: number): void;
  /** To be called when the job is over. */
  end(): void;
}

interface Entry {
  load: Record<string, unknown>;
  abort: AbortController;
  processes: Set<number>;
}

/** The jobs that this minion runs: in memory, and for those that last, as files that Salt's tools read. */
export class JobLog implements RunningJobs {
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

  /** Removes files of jobs whose process is gone. */
  prepare(): void {
    const { fs } = this.#runtime;
    fs.mkdir(this.#directory, 0o755);
    for (const name of fs.list(this.#directory)) fs.remove(joinPath(this.#directory, name));
  }

  begin(jid: string, load: Record<string, unknown>): RunningJob {
    const { fs, process } = this.#runtime;
    const entry: Entry = { load, abort: new AbortController(), processes: new Set() };
    this.#jobs.set(jid, entry);
    const path = joinPath(this.#directory, jid);
    let written = false;
    const cancel = this.#clock.after(FILE_AFTER_MS, () => {
      try {
        fs.write(path, encode({ pid: process.pid, ...load }, "wire"), { mode: 0o600 });
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

  running(): Record<string, unknown>[] {
    return [...this.#jobs].map(([jid, { load, processes }]) => {
      const { fun, arg, tgt, tgt_type, user, ret } = load;
      const pid = [...processes].at(-1) ?? this.#runtime.process.pid;
      return { jid, pid, fun, arg: arg ?? [], tgt, tgt_type: tgt_type ?? "glob", user: user ?? "", ret: ret ?? "" };
    });
  }

  signal(jid: string, signal: number): { pid: number } | undefined {
    const entry = this.#jobs.get(jid);
    if (entry === undefined) return undefined;
    const { process } = this.#runtime;
    // Signal 0 only asks whether it is alive; those that end a process also end the job.
    for (const pid of entry.processes) {
      if (process.alive(pid)) process.kill(pid, signal);
    }
    const ends = [2, 3, 9, 15].includes(signal);
    if (ends) entry.abort.abort(new Error(`The job was ended by signal ${signal}`));
    return { pid: [...entry.processes].at(-1) ?? process.pid };
  }

  /** Ends every job. */
  abortAll(reason: Error): void {
    for (const { abort } of this.#jobs.values()) abort.abort(reason);
  }
}
