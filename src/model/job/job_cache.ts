import type { Packed } from "../../protocol/wire/msgpack.ts";
import { type OutcomeState, succeeded, type TargetOutcome } from "./outcome.ts";

/**
 * A value at once where the store is on this host, a promise where it is not: `await` handles both.
 *
 * @internal
 */
export type Awaitable<T> = T | Promise<T>;

/**
 * The publication as the job cache keeps it: the `publish` load with its jid and without its key.
 *
 * @internal
 */
export type JobLoad = Record<string, unknown>;

/**
 * The return of a minion. The value stays packed, as received.
 *
 * @internal
 */
export interface StoredReturn {
  minion: string;
  return: Packed;
  /** The function's own code; packed too, since a call of several functions has a map here. */
  retcode: unknown;
  success: unknown;
  /** The outputter that the function asks for. */
  out?: string;
  /** Milliseconds since the epoch at which it was stored. */
  storedMs: number;
}

/** One job in a list of jobs. */
export interface JobSummary {
  fun: unknown;
  arg: unknown;
  tgt: unknown;
  tgt_type: unknown;
  user: unknown;
  metadata?: unknown;
}

/**
 * A job as a list of them has it.
 *
 * @internal
 */
export interface JobListEntry {
  jid: string;
  summary: JobSummary;
}

/**
 * Conditions of a search for jobs; all that are given must hold.
 *
 * @internal
 */
export interface JobSearch {
  /** Largest number of jobs. @default all */
  limit?: number;
  /** Milliseconds since the epoch. */
  fromMs?: number;
  untilMs?: number;
  /** Names or globs, one of which must fit (one of) the function(s). */
  fun?: readonly string[];
  /** Texts or globs, one of which must fit the target as it was given, or an item of a list target. */
  target?: readonly string[];
  user?: readonly string[];
  /** At least one target of the job is in this state. */
  outcome?: OutcomeState;
  /** @default false: newest first */
  oldestFirst?: boolean;
}

/**
 * How a publication is saved.
 *
 * @internal
 */
export interface SaveOptions {
  /** False if no client will look on the disk for the job, as Salt's own clients do. @default true */
  files?: boolean;
  /** Kept beside the load, in the place of a former one, where several masters share the store. @default none */
  seal?: Uint8Array;
}

/**
 * Where a master keeps jobs, their returns and outcomes. Callers MUST have refused an invalid jid; a return of the same minion for the same job MUST NOT replace the first.
 *
 * What is saved takes effect in order, can be read at once through the same object, and is durable once the
 * {@link JobCache.flush} after it has succeeded. If a flush fails, none of what was saved since the one before is kept,
 * and the cache MUST work again as soon as the cause is gone. What was saved while such a flush was under way is kept, or the
 * next flush fails, too.
 */
export interface JobCache {
  /** The file or the server, for errors. */
  readonly place: string;
  /** False if the jid is taken. */
  reserve(jid: string): Awaitable<boolean>;
  /**
   * The job counts as unsettled from then on, and its targets are these. An existing load MUST NOT be replaced: the
   * record stays what was first published.
   */
  saveLoad(jid: string, load: JobLoad, minions: readonly string[], how?: SaveOptions): Awaitable<void>;
  /** More minions of a known job, as a syndic reports them. */
  saveMinions(jid: string, minions: readonly string[], syndic?: string): Awaitable<void>;
  /** False if this minion has returned already. */
  saveReturn(jid: string, stored: StoredReturn): Awaitable<boolean>;
  /**
   * For a store that several masters write to at once: true once for a return that {@link JobCache.saveReturn} has found to be new, and
   * that another master had stored when it was flushed. @default there is one master
   */
  wasBeaten?(jid: string, minion: string): boolean;
  /** Replaces what was saved of the same targets before. A return needs none: its own record counts. */
  saveOutcomes(jid: string, outcomes: readonly TargetOutcome[]): Awaitable<void>;
  /** Every target has ended. Twice is harmless. */
  settle(jid: string): Awaitable<void>;
  /** The load of a job; undefined if the job is unknown. */
  load(jid: string): Awaitable<JobLoad | undefined>;
  /** True if {@link JobCache.load} would find one. */
  hasLoad(jid: string): Awaitable<boolean>;
  /** True if a return of the minion for the job is stored. */
  hasReturn(jid: string, minion: string): Awaitable<boolean>;
  /** Targets of the job, sorted. */
  minions(jid: string): Awaitable<string[]>;
  /** Sorted by minion. */
  returns(jid: string): Awaitable<StoredReturn[]>;
  /** The minions of {@link JobCache.returns}, where that costs less than the values. @default they are read with them */
  returned?(jid: string): Awaitable<string[]>;
  /** The latest outcomes of {@link JobCache.saveOutcomes}, sorted by minion. */
  outcomes(jid: string): Awaitable<TargetOutcome[]>;
  /** Jobs with a load that are not settled, oldest first. */
  unsettled(): Awaitable<string[]>;
  /** Every saved outcome of that state, oldest job first. */
  inState(state: OutcomeState): Awaitable<{ jid: string; outcome: TargetOutcome }[]>;
  /** In pages, so that neither side holds all of them. Jobs without a load are left out. */
  list(search?: JobSearch): AsyncIterable<JobListEntry[]> | Iterable<JobListEntry[]>;
  /** Removes settled jobs older than a time in milliseconds since the epoch. @returns how many */
  expire(beforeMs: number): Awaitable<number>;
  /** Removes the oldest settled jobs until at most so many bytes are used. @returns how many */
  shrink(bytes: number): Awaitable<number>;
  /** Makes what was saved durable. @throws {SystemError} naming the place and what to do */
  flush(): Awaitable<void>;
  /** Closes files and connections. */
  close(): Awaitable<void>;
}

/** A job cache on this host: only what removes many jobs may take several turns of the loop. */
export type LocalJobCache =
  & {
    [Name in Exclude<keyof JobCache, "expire" | "shrink" | "wasBeaten" | "returned">]: JobCache[Name] extends
      (...args: infer Args) => infer Result
      ? (...args: Args) => Exclude<Result, Promise<unknown> | AsyncIterable<unknown>>
      : JobCache[Name];
  }
  & Pick<JobCache, "expire" | "shrink">;

/** The entry of a list for a publication. */
export function summaryOf(load: JobLoad): JobSummary {
  const metadata = load.metadata ?? (load.kwargs as JobLoad | undefined)?.metadata;
  return {
    fun: load.fun,
    arg: load.arg,
    tgt: load.tgt,
    tgt_type: load.tgt_type,
    user: load.user,
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** The minions whose returns of a job are stored. */
export async function returnedOf(jobs: Pick<JobCache, "returns" | "returned">, jid: string): Promise<string[]> {
  return await jobs.returned?.(jid) ?? (await jobs.returns(jid)).map(({ minion }) => minion);
}

/** The outcome of every target of a job: as saved, or by its return, which takes precedence. */
export async function outcomesOf(
  jobs: Pick<JobCache, "minions" | "returns" | "outcomes">,
  jid: string,
  publishedMs: number,
): Promise<TargetOutcome[]> {
  return mergeOutcomes(await jobs.minions(jid), await jobs.outcomes(jid), await jobs.returns(jid), publishedMs);
}

/** {@link outcomesOf} over what was read already. */
export function mergeOutcomes(
  minions: readonly string[],
  saved: readonly TargetOutcome[],
  returns: readonly Pick<StoredReturn, "minion" | "retcode" | "success" | "storedMs">[],
  publishedMs: number,
): TargetOutcome[] {
  const found = new Map<string, TargetOutcome>();
  for (const minion of minions) found.set(minion, { minion, state: "published", atMs: publishedMs });
  for (const outcome of saved) found.set(outcome.minion, outcome);
  for (const { minion, retcode, success, storedMs } of returns) {
    const before = found.get(minion);
    // The job was stopped, and its return only reports that.
    const ended = (before?.state === "timed out" || before?.state === "cancelled") && before.atMs >= storedMs;
    found.set(
      minion,
      ended
        ? { ...before, retcode }
        : { minion, state: succeeded(retcode, success) ? "returned" : "failed", atMs: storedMs, retcode },
    );
  }
  return [...found.values()].sort((a, b) => a.minion < b.minion ? -1 : 1);
}
