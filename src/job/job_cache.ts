import type { Packed } from "../wire/msgpack.ts";

/** The publication as the job cache keeps it: the `publish` load with its jid and without its key. */
export type JobLoad = Record<string, unknown>;

/** What a minion gave back. The value is carried packed, as it came. */
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

export interface JobListEntry {
  jid: string;
  load: JobLoad;
}

/** What a search of jobs may ask for; all given conditions must hold. */
export interface JobSearch {
  /** Newest first, at most so many. @default all */
  limit?: number;
  /** Milliseconds since the epoch. */
  fromMs?: number;
  untilMs?: number;
}

/**
 * Where a master keeps jobs and their returns. A jid that is not one MUST have been refused before it comes here; a
 * return of the same minion for the same job MUST NOT replace the first.
 */
export interface JobCache {
  /** False if the jid is taken. */
  reserve(jid: string): boolean;
  saveLoad(jid: string, load: JobLoad, minions: readonly string[]): void;
  /** More minions of a known job, as a syndic reports them. */
  saveMinions(jid: string, minions: readonly string[], syndic?: string): void;
  /** False if this minion's return is there already. */
  saveReturn(jid: string, stored: StoredReturn): boolean;
  load(jid: string): JobLoad | undefined;
  /** True if {@link JobCache.load} would find one; asked with every return. */
  hasLoad(jid: string): boolean;
  /** Targets of the job, sorted. */
  minions(jid: string): string[];
  returns(jid: string): StoredReturn[];
  /** Newest first. */
  list(search?: JobSearch): Iterable<JobListEntry>;
  /** Removes jobs older than so many milliseconds since the epoch; how many went. */
  expire(beforeMs: number): number;
  /** Makes what was saved durable; called once per turn of the loop by the master. */
  flush(): void;
  close(): void;
}
