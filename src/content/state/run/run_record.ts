import { joinPath } from "../../../base/paths.ts";
import { messageOf } from "../../../base/errors.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { isRecord } from "../../../base/record.ts";
import type { FileAppender } from "../../../runtime/fs.ts";
import type { StateEntry } from "./chunk.ts";

/** A run that has not ended normally: its process was killed, or is still running. */
interface UnfinishedRun {
  name: string;
  jid: string;
  pid: number;
  fun: string;
  /** Start of the run, in milliseconds since the Unix epoch. */
  started: number;
  total: number;
  done: { tag: string; result: boolean | null }[];
  /** True if the run was killed as a job; its process may still be there. */
  killed: boolean;
  /** True if the log has reported the killed run. */
  told: boolean;
}

type Place = Pick<JobContext, "runtime" | "opts">;

/** Records of killed runs that are kept: a person who looks for the latest finds it, and each start of a run reads them all. */
const MAX_KEPT_RECORDS = 20;

const DAMAGED = { jid: "", pid: 0, fun: "", started: 0, total: 0, done: [], killed: true, told: true };

const directoryOf = ({ opts: { cachedir } }: Place): string | undefined =>
  typeof cachedir === "string" && cachedir !== "" ? joinPath(cachedir, "state_runs") : undefined;

/**
 * Records on disk which states of a run have run, so that a kill of the minion in the middle can be reported. The file has a
 * line for the run and a line for each state; it is removed when the run ends normally.
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

  /** Writes to the record. An error, such as a full disk, must not stop the states. */
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

  /** Records that the run was killed before its last state. */
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

  /** Removes the record, because the run has ended normally. */
  end(): void {
    this.#write(() => {
      this.#close();
      this.#context.runtime.fs.remove(this.#path!);
    });
  }
}

/** Logs killed runs once each, and removes the oldest of their records. A run that still runs keeps its record. */
function tellOfKilled(context: JobContext, directory: string): void {
  const { runtime: { fs, process }, log } = context;
  const ended = unfinishedRuns(context).filter(({ killed, pid }) => killed || !process.alive(pid));
  for (const { name, jid, fun, total, done, told } of ended) {
    if (told) continue;
    log.warning("a state run was killed before its end", {
      jid,
      fun,
      done: done.length,
      total,
      last: done.at(-1)?.tag,
    });
    fs.append(joinPath(directory, name), `${JSON.stringify({ told: true })}\n`);
  }
  for (const { name } of ended.slice(0, -MAX_KEPT_RECORDS)) fs.remove(joinPath(directory, name));
}

/** The runs on this host that have started and have not ended normally, oldest first. */
export function unfinishedRuns(place: Place): UnfinishedRun[] {
  const directory = directoryOf(place);
  const { fs } = place.runtime;
  if (directory === undefined || fs.stat(directory) === undefined) return [];
  const runs = fs.list(directory).map((name) => {
    const [first, ...rest] = linesOf(fs.readText(joinPath(directory, name)));
    // A damaged file says nothing, and is the first to be removed.
    if (first === undefined) return { ...DAMAGED, name };
    const done = rest.filter(({ tag }) => tag !== undefined);
    const has = (key: string) => rest.some((line) => line[key] === true);
    return { ...first, name, done, killed: has("killed"), told: has("told") } as unknown as UnfinishedRun;
  });
  return runs.sort((a, b) => a.started - b.started);
}

function linesOf(text: string): Record<string, unknown>[] {
  return text.split("\n").slice(0, -1).flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isRecord(value) ? [value] : [];
    } catch {
      // An unreadable line is skipped: the disk may have damaged it.
      return [];
    }
  });
}
