import { SaltError } from "../../base/errors.ts";
import type { JobCache } from "../../model/job/job_cache.ts";

/** What a master holds for a while: its own life, or a duty that one master of the cluster does. */
export interface Lease {
  readonly name: string;
  /** Who holds it: the name of one run of a master, never used again by another run. */
  readonly owner: string;
  /** Grows with each new holder of any lease, over the whole storage: an older one decides nothing any more. */
  readonly fence: number;
  /** How long it is good after each renewal. */
  readonly seconds: number;
}

/**
 * A decision that was refused, since the lease that it was made under is not held any more: the master was stopped, or cut off
 * from the storage, for longer than its lease, and another may have taken its place.
 */
export class LeaseLostError extends SaltError {
  /** The `code` of the error is `"LEASE_LOST"`. */
  constructor(name: string, place: string) {
    super(
      "LEASE_LOST",
      `Cannot decide under the lease "${name}" at ${place}: the lease has expired or belongs to another master; take a new one`,
      { name, place },
    );
  }
}

/**
 * Leases, by the clock of the storage: clocks of masters do not matter. All methods reject with a {@link SystemError} within a
 * bounded time while the storage cannot be reached; then nothing is known of the lease.
 */
export interface Leases {
  /**
   * Takes a lease that nobody holds, or that has lapsed.
   *
   * @returns undefined if another owner holds it; the lease with a new fence otherwise, also to its present owner
   */
  hold(name: string, owner: string, seconds: number): Promise<Lease | undefined>;
  /**
   * Makes it last for its seconds from now. One that has lapsed is renewed as long as nobody has taken it.
   *
   * @returns false if it belongs to another by now, or was taken over: it MUST NOT be used any more
   */
  renew(lease: Lease): Promise<boolean>;
  /** Lets it lapse at once. Harmless if it is not held any more. What it owns stays, for {@link LedgerStorage.takeOver}. */
  release(lease: Lease): Promise<void>;
  /** Every lease whose name begins with a prefix, those that have lapsed and were not taken over included; by name. */
  list(prefix: string): Promise<{ name: string; owner: string; fence: number; held: boolean }[]>;
}

/** What is kept under a name: a key of a minion, its grains, a token. Opaque here: `records.ts` says what bytes mean. */
export interface StoredRecord {
  readonly name: string;
  /** Grows with every change of any record of its kind. */
  readonly version: number;
  /** Undefined if it was removed: the name stays, so that the feed tells. */
  readonly value: Uint8Array | undefined;
  /** The master that has written it. */
  readonly by: string;
}

/** One change of a record. */
export interface RecordPut {
  /** 1 to {@link LONGEST_NAME} characters. */
  readonly name: string;
  /** At most {@link LARGEST_VALUE} bytes; undefined removes it. */
  readonly value: Uint8Array | undefined;
  /**
   * Only if the record still has this version; 0: only if there is none, or it was removed.
   *
   * @default whatever is there is replaced
   */
  readonly ifVersion?: number;
}

/** What became of a {@link RecordPut}: its new version, or undefined if the record had another version than was expected. */
export type PutResult = number | undefined;

/** Part of a feed. */
export interface RecordChanges {
  /** By version, oldest first: for each name the latest change alone. */
  readonly records: readonly StoredRecord[];
  /** Ask again after this version. Equal to the version that was asked after if there is nothing new. */
  readonly upTo: number;
  /** True if there is more to read at once. */
  readonly more: boolean;
  /**
   * True if names were removed after the version that was asked after, and the storage has forgotten which: read all from 0, and
   * take what is not there for removed. Also if the feed never had that version: the storage was put back to an older state.
   */
  readonly gap: boolean;
}

/** Characters of a record's name and of its kind, and bytes of a value. Larger ones are refused with a `RangeError`. */
export const LONGEST_NAME = 512;
/** See {@link LONGEST_NAME}. */
export const LARGEST_VALUE = 16 * 2 ** 20;
/** The most changes in one call of {@link Records.put}. */
export const MOST_PUTS = 1000;

/**
 * Versioned maps with a feed of changes, one for each kind. Versions of a kind grow in the order in which changes can be read: who
 * has read the feed up to a version has missed nothing below it, whatever other masters write at the same time.
 *
 * Names are compared by their bytes: `web1` and `Web1` are two.
 */
export interface Records {
  /**
   * Changes records, all in one transaction: when it resolves they are durable. Each is done or refused by its own `ifVersion`.
   *
   * @param by the master that writes
   * @param puts of different names; at most {@link MOST_PUTS}
   * @returns one result for each, in order
   * @throws {SystemError} if the storage cannot be reached: then it may have been done or not
   */
  put(kind: string, by: string, puts: readonly RecordPut[]): Promise<PutResult[]>;
  /** The latest of one name: also a removed one, as long as it is remembered. */
  get(kind: string, name: string): Promise<StoredRecord | undefined>;
  /**
   * What has changed after a version; all of it from 0 on.
   *
   * @param limit most records @param bytes stops before the values have more, but never before the first. @default 16 MiB
   */
  changes(kind: string, after: number, limit: number, bytes?: number): Promise<RecordChanges>;
  /** The version of the latest change of a kind; 0 if there was none. Cheap, for polling. */
  latest(kind: string): Promise<number>;
  /**
   * Has versions of a kind go on above one that somebody knows, where the storage was put back to an older state. Whoever has read less
   * than that is told of a gap: what was changed since may have versions that it had read before.
   */
  raise(kind: string, above: number): Promise<void>;
  /** Forgets names that were removed before a time, in milliseconds since the epoch. @returns how many */
  forget(kind: string, beforeMs: number): Promise<number>;
}

/** A line of one master's audit log, as it was written there. */
export interface StoredAuditLine {
  /** The master that has written it. */
  readonly by: string;
  /** The number of the entry in that master's log. */
  readonly n: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly line: Uint8Array;
}

/** The audit logs of all masters. A line that is there MUST NOT be replaced. */
export interface AuditStore {
  /** Appends lines, in one transaction; those whose number is there already are left out, so that it may be done twice. */
  append(by: string, lines: readonly Omit<StoredAuditLine, "by">[]): Promise<void>;
  /** The number of the last line of a master; 0 if there is none. */
  last(by: string): Promise<number>;
  /**
   * Lines of all masters, newest first, a page at a time.
   *
   * @param search.before the last line of the page before
   * @param search.limit most lines; a page also ends before 16 MiB
   */
  read(
    search: {
      by?: string;
      sinceMs?: number;
      untilMs?: number;
      before?: Pick<StoredAuditLine, "by" | "n" | "atMs">;
      limit: number;
    },
  ): Promise<StoredAuditLine[]>;
  /** Removes lines older than a time in milliseconds since the epoch. @returns how many */
  expire(beforeMs: number): Promise<number>;
}

/**
 * What the masters of a cluster share: jobs, leases, records, and their audit logs. One object for each master; those of the same
 * place see the same. Whatever resolves is durable, and whatever waits ends within a bounded time.
 */
export interface LedgerStorage {
  /** The file or the server, for errors; without passwords. */
  readonly place: string;
  readonly leases: Leases;
  readonly records: Records;
  readonly audit: AuditStore;
  /**
   * The job cache of all masters. Returns are facts: any master may save them, and the first of a minion stays. Publications,
   * outcomes and `settle` are decisions, under the lease of {@link LedgerStorage.own}:
   *
   * - if the lease has lapsed or was taken over, they are refused with {@link LeaseLostError}, by the save or by the flush after
   *   it, together with everything else that the flush would have made durable;
   * - outcomes and the settling of a job that belongs to another lease are left out: its owner decides;
   * - `unsettled()` has the jobs of the own lease alone.
   */
  readonly jobs: JobCache;
  /** The seal that a job was saved with; undefined if it has none. */
  sealOf(jid: string): Promise<Uint8Array | undefined>;
  /** How things stand, by the latest call that has ended: usable or not, since when (of the even clock), and why not. */
  readonly state: { readonly usable: boolean; readonly sinceMs: number; readonly reason?: string };
  /** The jobs that are published from now on belong to this lease; undefined: decisions are refused. */
  own(lease: Lease | undefined): void;
  /**
   * Gives all unsettled jobs of a lapsed lease to another, in one transaction, and removes the lapsed one: of several that try, one
   * has them.
   *
   * Only a master that is well may do so: its lease must have been held without a gap for as long as it lasts. So a storage that
   * was away for everybody does not make masters take over from each other.
   *
   * @param dead name of the lapsed lease; `""`: jobs that belong to no lease that is known, such as those from before the cluster
   * @returns their jids, oldest first; undefined if the lease is held, was taken over by another, or `by` may not take it yet
   * @throws {LeaseLostError} if `by` is not held
   */
  takeOver(dead: string, by: Lease): Promise<string[] | undefined>;
  /** Asks the storage for nothing: resolves if it answers, and rejects within a bounded time if not. */
  ping(): Promise<void>;
  /** Flushes and closes; leases are not released. Twice is harmless. */
  close(): Promise<void>;
}

/** @throws {RangeError} for names, values and numbers that no storage takes, so that all refuse the same */
export function checkPuts(kind: string, puts: readonly RecordPut[]): void {
  checkName("kind", kind);
  if (puts.length > MOST_PUTS) {
    throw new RangeError(`Cannot change ${puts.length} records at once: expected at most ${MOST_PUTS}`);
  }
  const names = new Set<string>();
  for (const { name, value } of puts) {
    checkName("name", name);
    if (names.has(name)) throw new RangeError(`Cannot change the record "${name}" twice at once`);
    names.add(name);
    if (value !== undefined && value.length > LARGEST_VALUE) {
      throw new RangeError(`Cannot keep ${value.length} bytes of "${name}": expected at most ${LARGEST_VALUE}`);
    }
  }
}

function checkName(what: string, name: string): void {
  if (name.length === 0 || name.length > LONGEST_NAME || name.includes("\0")) {
    throw new RangeError(
      `Cannot keep a record with a ${what} of ${name.length} characters: expected 1 to ${LONGEST_NAME}, without NUL`,
    );
  }
}
