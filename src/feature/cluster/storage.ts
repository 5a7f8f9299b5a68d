import { SaltError } from "../../base/errors.ts";
import type { JobCache } from "../../model/job/job_cache.ts";

/** A claim that one master holds for a limited time: that it is alive, or that it does a duty for the cluster. */
export interface Lease {
  readonly name: string;
  /** The holder: the name of one master process, never used again by another one. */
  readonly owner: string;
  /** A number that grows with each new holder of any lease in the storage: decisions under an older number are refused. */
  readonly fence: number;
  /** How long the lease is valid after each renewal, in seconds. */
  readonly seconds: number;
}

/**
 * A decision was refused, because its lease is not held any more: the master was stopped, or cut off from the storage, for longer than
 * its lease, and another master may have taken over.
 */
export class LeaseLostError extends SaltError {
  /** Makes an error with the code `"LEASE_LOST"`. */
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
 * bounded time if the storage cannot be reached; the state of the lease is then unknown.
 */
export interface Leases {
  /**
   * Takes a lease that nobody holds, or that has lapsed.
   *
   * @returns undefined if another owner holds the lease; otherwise the lease with a new fence, also for its current owner
   */
  hold(name: string, owner: string, seconds: number): Promise<Lease | undefined>;
  /**
   * Renews a lease for its full time from now. A lapsed lease is renewed as well if nobody has taken it.
   *
   * @returns false if the lease belongs to another owner by now, or was taken over: it MUST NOT be used any more
   */
  renew(lease: Lease): Promise<boolean>;
  /** Ends a lease at once; does nothing if it is not held any more. Its jobs stay, for {@link LedgerStorage.takeOver}. */
  release(lease: Lease): Promise<void>;
  /** Every lease whose name begins with a prefix, sorted by name, including lapsed ones that were not taken over. */
  list(prefix: string): Promise<{ name: string; owner: string; fence: number; held: boolean }[]>;
}

/** A named value: a key of a minion, its grains, a token. The storage does not know the meaning of the bytes. */
export interface StoredRecord {
  readonly name: string;
  /** The version of the record, which grows with every change of any record of its kind. */
  readonly version: number;
  /** The value; undefined if the record was removed: its name stays, so that the feed reports the removal. */
  readonly value: Uint8Array | undefined;
  /** The master that has written it. */
  readonly by: string;
}

export interface RecordPut {
  /** The name of the record: 1 to {@link MAX_NAME_CHARACTERS} characters. */
  readonly name: string;
  /** The new value, at most {@link MAX_VALUE_BYTES} bytes; undefined removes the record. */
  readonly value: Uint8Array | undefined;
  /**
   * Changes the record only if it still has this version; 0: only if there is none, or it was removed.
   *
   * @default any version is replaced
   */
  readonly ifVersion?: number;
}

/** The result of a {@link RecordPut}: the new version, or undefined if the record did not have the expected version. */
type PutResult = number | undefined;

interface RecordChanges {
  /** The changed records by version, oldest first: only the latest change of each name. */
  readonly records: readonly StoredRecord[];
  /** The version after which to continue. Equal to the requested version if there are no changes. */
  readonly upTo: number;
  /** True if there are more changes to read now. */
  readonly more: boolean;
  /**
   * True if the storage has forgotten which names were removed after the requested version: the caller has to read all from 0, and to
   * treat missing names as removed. Also true if the feed never had that version, because the storage was restored to an older state.
   */
  readonly gap: boolean;
}

/** The most characters of a record's name, and of its kind. Longer ones are refused with a `RangeError`. */
export const MAX_NAME_CHARACTERS = 512;
/** The most bytes of a record's value. Larger ones are refused with a `RangeError`. */
export const MAX_VALUE_BYTES = 16 * 2 ** 20;
/** The most changes in one call of {@link Records.put}. */
const MAX_PUTS = 1000;

/**
 * Versioned maps with a feed of changes, one for each kind. Versions of a kind grow in the order in which changes can be read: a reader
 * of the feed up to a version has seen all changes below it, whatever other masters write at the same time.
 *
 * Names are compared by their bytes: `web1` and `Web1` are two.
 */
export interface Records {
  /**
   * Changes records in one transaction: when it resolves, the changes are durable. Each change is done or refused by its `ifVersion`.
   *
   * @param by the master that writes
   * @param puts of different names; at most {@link MAX_PUTS}
   * @returns one result for each, in order
   * @throws {SystemError} if the storage cannot be reached: the changes may have been done or not
   */
  put(kind: string, by: string, puts: readonly RecordPut[]): Promise<PutResult[]>;
  /** The latest state of one record; also of a removed one, as long as it is remembered. */
  get(kind: string, name: string): Promise<StoredRecord | undefined>;
  /**
   * The records that were changed after a version; all records after 0.
   *
   * @param limit the most records @param bytes the most bytes of all values; the first record is always returned. @default 16 MiB
   */
  changes(kind: string, after: number, limit: number, bytes?: number): Promise<RecordChanges>;
  /** The version of the latest change of a kind; 0 if there was none. A cheap call, for polling. */
  latest(kind: string): Promise<number>;
  /**
   * Continues the versions of a kind above a known one, after the storage was restored to an older state. A reader below that version is
   * told of a gap, since newer changes may have versions that the reader has seen before.
   */
  raise(kind: string, above: number): Promise<void>;
  /** Forgets names that were removed before a time, in milliseconds since the epoch. @returns how many */
  forget(kind: string, beforeMs: number): Promise<number>;
}

/** A line of one master's audit log. */
export interface StoredAuditLine {
  /** The master that has written it. */
  readonly by: string;
  /** The number of the entry in that master's log. */
  readonly n: number;
  /** When the entry was written, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly line: Uint8Array;
}

/** The audit logs of all masters. An existing line MUST NOT be replaced. */
export interface AuditStore {
  /** Appends lines in one transaction; lines whose number exists already are left out, so the call may be repeated. */
  append(by: string, lines: readonly Omit<StoredAuditLine, "by">[]): Promise<void>;
  /** The number of the last line of a master; 0 if there is none. */
  last(by: string): Promise<number>;
  /**
   * A page of lines of all masters, newest first.
   *
   * @param search.before the last line of the page before
   * @param search.limit the most lines; a page also ends before 16 MiB
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
 * The shared storage of a cluster's masters: jobs, leases, records and audit logs. Each master has one object; objects with the same
 * place see the same data. A call that resolves is durable, and every call ends within a bounded time.
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
   * - if the lease has lapsed or was taken over, decisions are refused with {@link LeaseLostError}, by the save or by the flush after
   *   it, together with everything else that the flush would have made durable;
   * - outcomes and the settling of a job that belongs to another lease are left out: its owner decides;
   * - `unsettled()` returns only jobs of the master's own lease.
   */
  readonly jobs: JobCache;
  /** The seal that a job was saved with; undefined if the job has none. */
  sealOf(jid: string): Promise<Uint8Array | undefined>;
  /** The state of the storage, by the last finished call: whether it is usable, since when (milliseconds of the even clock), and why not. */
  readonly state: { readonly usable: boolean; readonly sinceMs: number; readonly reason?: string };
  /** Sets the lease that newly published jobs belong to; undefined: decisions are refused. */
  own(lease: Lease | undefined): void;
  /**
   * Gives all unsettled jobs of a lapsed lease to another lease, in one transaction, and removes the lapsed one: of several masters that
   * try, only one gets the jobs.
   *
   * A master may do so only if it has held its own lease without a gap for the full time of the lease. So masters do not take over from
   * each other after the storage was unreachable for all of them.
   *
   * @param dead the name of the lapsed lease; `""`: jobs without a known lease, such as those from before the cluster
   * @returns the jids of the jobs, oldest first; undefined if the lease is held, was taken over by another, or `by` may not take it yet
   * @throws {LeaseLostError} if `by` is not held
   */
  takeOver(dead: string, by: Lease): Promise<string[] | undefined>;
  /** Checks the connection: resolves if the storage answers, and rejects within a bounded time if not. */
  ping(): Promise<void>;
  /** Flushes and closes; leases are not released. A second call does nothing. */
  close(): Promise<void>;
}

/** Checks changes, so that all storages refuse the same. @throws {RangeError} for invalid names, values and numbers */
export function checkPuts(kind: string, puts: readonly RecordPut[]): void {
  checkName("kind", kind);
  if (puts.length > MAX_PUTS) {
    throw new RangeError(`Cannot change ${puts.length} records at once: expected at most ${MAX_PUTS}`);
  }
  const names = new Set<string>();
  for (const { name, value } of puts) {
    checkName("name", name);
    if (names.has(name)) throw new RangeError(`Cannot change the record "${name}" twice at once`);
    names.add(name);
    if (value !== undefined && value.length > MAX_VALUE_BYTES) {
      throw new RangeError(`Cannot keep ${value.length} bytes of "${name}": expected at most ${MAX_VALUE_BYTES}`);
    }
  }
}

function checkName(what: string, name: string): void {
  if (name.length === 0 || name.length > MAX_NAME_CHARACTERS || name.includes("\0")) {
    throw new RangeError(
      `Cannot keep a record with a ${what} of ${name.length} characters: expected 1 to ${MAX_NAME_CHARACTERS}, without NUL`,
    );
  }
}
