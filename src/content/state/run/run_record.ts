import { joinPath } from "../../../base/paths.ts";
import { messageOf } from "../../../base/errors.ts";
import type { JobContext } from "../../../model/loader/context.ts";
import { isRecord } from "../../../base/record.ts";
import type { FileAppender } from "../../../runtime/fs.ts";
import type { StateEntry } from "./chunk.ts";

/** A run that did not come to its end: its process is gone, or goes on. */
export interface UnfinishedRun {
  /** Of its record. */
  name: string;
  jid: string;
  pid: number;
  fun: string;
  /** Milliseconds since the Unix epoch. */
  started: number;
  /** Number of its chunks. */
  total: number;
  /** Tags of the states that were done, with their results. */
  done: { tag: string; result: boolean | null }[];
  /** It was killed as a job, and its process may go on. */
  killed: boolean;
  /** The log has told of its end. */
  told: boolean;
}

type Place = Pick<JobContext, "runtime" | "opts">;

/** Records of runs that are kept; older ones are removed. */
const KEPT = 20;

const directoryOf = ({ opts: { cachedir } }: Place): string | undefined =>
  typeof cachedir === "string" && cachedir !== "" ? joinPath(cachedir, "state_runs") : undefined;

/**
 * Notes on disk which states of a run are done, so that it can be told when the minion is killed in the midst of it: a line for the run, one
 * for each state, and none of it once the run has ended by itself.
 */
export class RunRecord {
  readonly #context: JobContext;
  readonly #path: string | undefined;
  #file: FileAppender | undefined;

  constructor(context: JobContext, total: number) {
    const { jid, load, runtime: { process, clock } } = context;
    const directory = directoryOf(context);
    this.#context = context;
    const name = `${/^\w+$/.test(jid) ? jid : "call"}-${process.pid}`;
    this.#path = directory === undefined ? undefined : joinPath(directory, name);
    const first = { jid, pid: process.pid, fun: load?.fun ?? "", started: Math.round(clock.now()), total };
    this.#write(() => {
      context.runtime.fs.mkdir(directory!, 0o700);
      tellOfKilled(context, directory!);
      this.#file = context.runtime.fs.appender(this.#path!);
      this.#append(first);
    });
  }

  #append(line: unknown): void {
    this.#file?.append(`${JSON.stringify(line)}\n`);
  }

  /** A disk that is full keeps no state from being run. */
  #write(work: () => void): void {
    if (this.#path === undefined) return;
    try {
      work();
    } catch (error) {
      this.#context.log.debug("cannot record a state run", { path: this.#path, error: messageOf(error) });
    }
  }

  done(tag: string, { result }: StateEntry): void {
    this.#write(() => this.#append({ tag, result }));
  }

  /** The run was ended before its last state. */
  killed(): void {
    this.#write(() => {
      this.#append({ killed: true });
      this.#close();
    });
  }

  #close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  /** The run has ended by itself. */
  end(): void {
    this.#write(() => {
      this.#close();
      this.#context.runtime.fs.remove(this.#path!);
    });
  }
}

/** Logs runs that were killed since, once; their records are kept for a while. */
function tellOfKilled(context: JobContext, directory: string): void {
  const { runtime: { fs, process }, log } = context;
  for (const run of unfinishedRuns(context)) {
    if (run.told || (!run.killed && process.alive(run.pid))) continue;
    const { jid, fun, total, done } = run;
    log.warning("a state run was killed before its end", {
      jid,
      fun,
      done: done.length,
      total,
      last: done.at(-1)?.tag,
    });
    fs.append(joinPath(directory, run.name), `${JSON.stringify({ told: true })}\n`);
  }
  const names = fs.list(directory);
  for (const name of names.slice(0, Math.max(0, names.length - KEPT))) fs.remove(joinPath(directory, name));
}

/** The runs that have begun on this host and have not ended by themselves, oldest first. */
export function unfinishedRuns(place: Place): UnfinishedRun[] {
  const directory = directoryOf(place);
  const { fs } = place.runtime;
  if (directory === undefined || fs.stat(directory) === undefined) return [];
  return fs.list(directory).flatMap((name) => {
    const [first, ...rest] = linesOf(fs.readText(joinPath(directory, name)));
    if (first === undefined) return [];
    const done = rest.filter(({ tag }) => tag !== undefined);
    const has = (key: string) => rest.some((line) => line[key] === true);
    return [{ ...first, name, done, killed: has("killed"), told: has("told") } as unknown as UnfinishedRun];
  });
}

/** The lines that were written whole. */
function linesOf(text: string): Record<string, unknown>[] {
  return text.split("\n").slice(0, -1).flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isRecord(value) ? [value] : [];
    } catch {
      // Another writer's: the file is as good as the disk.
      return [];
    }
  });
}
