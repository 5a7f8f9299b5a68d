import type { Packed } from "../../protocol/wire/msgpack.ts";
import { type OutcomeState, succeeded, type TargetOutcome } from "./outcome.ts";
import { isRecord } from "../../base/record.ts";

/**
 * The value itself if the store is on this host, otherwise a promise: `await` handles both.
 *
 * @internal
 */
export type Awaitable<T> = T | Promise<T>;

/**
 * A publication as stored in the job cache: the `publish` load with its jid and without its key.
 *
 * @internal
 */
export type JobLoad = Record<string, unknown>;

/**
 * The return of a minion. Its value stays packed, as received.
 *
 * @internal
 */
export interface StoredReturn {
  minion: string;
  return: Packed;
  /** The function's return code, packed: a call of several functions has a map here. */
  retcode: unknown;
  success: unknown;
  /** The outputter that the function requests. */
  out?: string;
  /** When the return was stored, in milliseconds since the epoch. */
  storedMs: number;
}

export interface JobSummary {
  fun: unknown;
  arg: unknown;
  tgt: unknown;
  tgt_type: unknown;
  user: unknown;
  metadata?: unknown;
}

/**
 * A job in a list of jobs.
 *
 * @internal
 */
export interface JobListEntry {
  jid: string;
  summary: JobSummary;
}

/**
 * Conditions of a search for jobs; a job must meet all given conditions.
 *
 * @internal
 */
export interface JobSearch {
  /** Maximum number of jobs. @default all */
  limit?: number;
  /** Earliest time of a job, in milliseconds since the epoch. */
  fromMs?: number;
  untilMs?: number;
  /** Names or globs; the job's function, or one of its functions, must match one of them. */
  fun?: readonly string[];
  /** Texts or globs; the job's target as given, or an item of its list, must match one of them. */
  target?: readonly string[];
  user?: readonly string[];
  /** A state that at least one target of the job must have. */
  outcome?: OutcomeState;
  /** Sort by age, oldest first. @default false: newest first */
  oldestFirst?: boolean;
}

/**
 * Options for saving a publication.
 *
 * @internal
 */
interface SaveOptions {
  /** False if no client needs files for the job; Salt's own clients read them. @default true */
  files?: boolean;
  /** Seal of the publication, stored with the load in place of an earlier one, if masters share the store. @default none */
  seal?: Uint8Array;
}

/**
 * Stores the jobs of a master with their returns and outcomes. Callers MUST have refused an invalid jid. A second return of a
 * minion for the same job MUST NOT replace the first.
 *
 * Saved data takes effect in order, can be read immediately through the same object, and is durable after the next successful
 * {@link JobCache.flush}. If a flush fails, all data saved since the flush before it is lost, and the cache MUST work again as
 * soon as the cause is gone. Data saved during a failing flush is kept, or else the next flush fails, too.
 */
export interface JobCache {
  /** The file or server of the cache, for errors. */
  readonly place: string;
  /** Reserves a jid. @returns false if it is taken */
  reserve(jid: string): Awaitable<boolean>;
  /**
   * Saves the load and the targets of a job, which is unsettled from now on. An existing load MUST NOT be replaced: the record
   * stays what was first published.
   */
  saveLoad(jid: string, load: JobLoad, minions: readonly string[], how?: SaveOptions): Awaitable<void>;
  /** Adds minions to a known job, reported by a syndic. */
  saveMinions(jid: string, minions: readonly string[], syndic?: string): Awaitable<void>;
  /** Saves a return. @returns false if this minion has returned already */
  saveReturn(jid: string, stored: StoredReturn): Awaitable<boolean>;
  /**
   * Only for a store that several masters write to. Returns true, once, for a return that {@link JobCache.saveReturn} accepted
   * as new, but that another master had stored before the flush. @default there is one master
   */
  wasBeaten?(jid: string, minion: string): boolean;
  /** Saves outcomes, which replace earlier ones of the same targets. A return needs no outcome: its own record counts. */
  saveOutcomes(jid: string, outcomes: readonly TargetOutcome[]): Awaitable<void>;
  /** Marks a job as settled: every target has ended. A second call has no effect. */
  settle(jid: string): Awaitable<void>;
  /** The load of a job; undefined if the job is unknown. */
  load(jid: string): Awaitable<JobLoad | undefined>;
  /** True if {@link JobCache.load} would find a load. */
  hasLoad(jid: string): Awaitable<boolean>;
  /** True if the minion's return for the job is stored. */
  hasReturn(jid: string, minion: string): Awaitable<boolean>;
  /** Ids of the job's targets, sorted. */
  minions(jid: string): Awaitable<string[]>;
  /** The returns of a job, sorted by minion. */
  returns(jid: string): Awaitable<StoredReturn[]>;
  /** The minions that have returned, without reading their values. @default read with {@link JobCache.returns} */
  returned?(jid: string): Awaitable<string[]>;
  /** The latest outcomes of {@link JobCache.saveOutcomes}, sorted by minion. */
  outcomes(jid: string): Awaitable<TargetOutcome[]>;
  /** Jids of jobs with a load that are not settled, oldest first. */
  unsettled(): Awaitable<string[]>;
  /** Every saved outcome with that state, oldest job first. */
  inState(state: OutcomeState): Awaitable<{ jid: string; outcome: TargetOutcome }[]>;
  /** Lists jobs in pages, so that neither side holds all of them in memory. Jobs without a load are left out. */
  list(search?: JobSearch): AsyncIterable<JobListEntry[]> | Iterable<JobListEntry[]>;
  /** Removes settled jobs older than a time in milliseconds since the epoch. @returns the number of removed jobs */
  expire(beforeMs: number): Awaitable<number>;
  /** Removes the oldest settled jobs until the cache has at most this many bytes. @returns the number of removed jobs */
  shrink(bytes: number): Awaitable<number>;
  /** Makes what was saved durable. @throws {SystemError} naming the place and what to do */
  flush(): Awaitable<void>;
  /** Closes files and connections. */
  close(): Awaitable<void>;
}

/** A job cache on this host: only functions that remove many jobs may be asynchronous. */
export type LocalJobCache =
  & {
    [Name in Exclude<keyof JobCache, "expire" | "shrink" | "wasBeaten" | "returned">]: JobCache[Name] extends
      (...args: infer Args) => infer Result
      ? (...args: Args) => Exclude<Result, Promise<unknown> | AsyncIterable<unknown>>
      : JobCache[Name];
  }
  & Pick<JobCache, "expire" | "shrink">;

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

export async function returnedOf(jobs: Pick<JobCache, "returns" | "returned">, jid: string): Promise<string[]> {
  return await jobs.returned?.(jid) ?? (await jobs.returns(jid)).map(({ minion }) => minion);
}

/** The outcome of every target of a job, from its saved outcome or its return; a return takes precedence. */
export async function outcomesOf(
  jobs: Pick<JobCache, "minions" | "returns" | "outcomes">,
  jid: string,
  publishedMs: number,
): Promise<TargetOutcome[]> {
  return mergeOutcomes(await jobs.minions(jid), await jobs.outcomes(jid), await jobs.returns(jid), publishedMs);
}

/** Like {@link outcomesOf}, with data that was read already. */
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
    // The job was stopped already: the return only reports that.
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

/** Field in the record of a job that was published below a syndic, not by this master: the syndic's name. */
export const SYNDIC_OWN = "syndic";

/**
 * The publisher of a job that is kept for offline minions, if that user lacks the right to everything. The job's record stores
 * it, so that the user's permissions can be checked again at delivery.
 */
export interface JobOwner {
  user: string;
  proof: "user" | "token" | "eauth";
  eauth?: string;
  groups?: readonly string[];
  /** Permissions that the backend granted or the token holds: the configuration does not list them. */
  granted?: readonly unknown[];
  /** SHA-256 of the token, and its expiry in seconds since the epoch. */
  token?: { sha256: string; expire: number };
}

/** The owner of a stored job; undefined if it has none. */
export function storedOwner({ owner }: JobLoad): JobOwner | undefined {
  if (!isRecord(owner) || typeof owner.user !== "string" || typeof owner.proof !== "string") return undefined;
  return owner as unknown as JobOwner;
}
