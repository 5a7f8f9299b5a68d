import type { Clock } from "../../base/async/clock.ts";
import type {
  AuditStore,
  Lease,
  Leases,
  LedgerStorage,
  Records,
  StoredAuditLine,
  StoredRecord,
} from "../../feature/cluster/storage.ts";
import { checkPuts, LeaseLostError } from "../../feature/cluster/storage.ts";
import { SystemError } from "../../base/errors.ts";
import type { JobCache } from "../../model/job/job_cache.ts";
import { memoryJobCache } from "../job_caches/memory.ts";
import { ownedJobs } from "./owned_jobs.ts";

/** Bytes of one page of a feed or of audit lines. */
export const PAGE_BYTES = 16 * 2 ** 20;

/** The first of `all`: so many, and so many bytes, but at least one. */
function page<T>(all: readonly T[], limit: number, bytes: number, sizeOf: (item: T) => number): T[] {
  let [end, sum] = [0, 0];
  while (end < all.length && end < limit) {
    sum += sizeOf(all[end]!);
    if (end > 0 && sum > bytes) break;
    end++;
  }
  return all.slice(0, end);
}

interface HeldLease {
  owner: string;
  fence: number;
  seconds: number;
  untilMs: number;
  /** Since when it is held without a gap. */
  sinceMs: number;
}

interface Kind {
  version: number;
  /** Versions up to this one may be of names that were forgotten. */
  forgotten: number;
  records: Map<string, StoredRecord & { changedMs: number }>;
}

/** A {@link LedgerStorage} that can be cut off from what it shares with others. */
export interface MemoryLedgerStorage extends LedgerStorage {
  /** Until it is called with false, every call rejects as if the server were away. */
  cut(isCut?: boolean): void;
}

/**
 * What masters share, in one process: the reference for the contract of {@link LedgerStorage}, and for tests with several masters.
 */
export class MemoryLedger {
  readonly clock: Pick<Clock, "now" | "elapsed">;
  readonly jobs: JobCache;
  readonly leases = new Map<string, HeldLease>();
  readonly kinds = new Map<string, Kind>();
  readonly owners = new Map<string, string>();
  readonly seals = new Map<string, Uint8Array>();
  readonly lines = new Map<string, StoredAuditLine>();
  fence = 0;

  constructor(clock: Pick<Clock, "now" | "elapsed">) {
    this.clock = clock;
    this.jobs = memoryJobCache(() => clock.now());
  }

  isHeld({ name, fence }: Pick<Lease, "name" | "fence">): boolean {
    const held = this.leases.get(name);
    return held?.fence === fence && held.untilMs > this.clock.now();
  }

  /** The view of one more master. */
  open(): MemoryLedgerStorage {
    const place = "memory";
    let lease: Lease | undefined;
    let isCut = false;
    let state: LedgerStorage["state"] = { usable: true, sinceMs: this.clock.elapsed() };
    /** Whatever is asked, in a later turn, and not while it is cut off. */
    const over = async <T>(work: () => T | Promise<T>): Promise<T> => {
      await undefined;
      const { reason } = state;
      const now = isCut ? `Cannot use the storage at ${place}: it is cut off; join it again` : undefined;
      if (now !== reason) {
        state = { usable: !isCut, sinceMs: this.clock.elapsed(), ...(now === undefined ? {} : { reason: now }) };
      }
      if (now !== undefined) throw new SystemError("ECONNREFUSED", now, { place });
      return await work();
    };
    const jobs = ownedJobs(this.jobs, {
      decide: () => {
        if (lease === undefined || !this.isHeld(lease)) throw new LeaseLostError(lease?.name ?? "", place);
        return lease.name;
      },
      get own() {
        return lease?.name;
      },
      ownerOf: (jid) => this.owners.get(jid),
      give: (jid, owner) => void this.owners.set(jid, owner),
      seal: (jid, seal) => void this.seals.set(jid, seal.slice()),
    });
    return {
      place,
      leases: memoryLeases(this, over),
      records: memoryRecords(this, over),
      audit: memoryAudit(this, over),
      jobs: throughDoor(jobs, over),
      sealOf: (jid) => over(() => this.seals.get(jid)?.slice()),
      get state() {
        return state;
      },
      own: (own) => void (lease = own),
      takeOver: (dead, by) => over(() => takeOver(this, dead, by, place)),
      ping: () => over(() => {}),
      close: () => Promise.resolve(),
      cut: (cut = true) => void (isCut = cut),
    };
  }
}

type Door = <T>(work: () => T | Promise<T>) => Promise<T>;

/** Each call through the door; lists, too, from page to page. */
function throughDoor(jobs: JobCache, over: Door): JobCache {
  const all = Object.entries(jobs).map(([name, value]) => [
    name,
    typeof value === "function"
      ? (...args: never[]) => over(() => (value as (...args: never[]) => unknown)(...args))
      : value,
  ]);
  return {
    ...Object.fromEntries(all) as JobCache,
    async *list(search) {
      await over(() => {});
      yield* jobs.list(search);
    },
  };
}

function takeOver(shared: MemoryLedger, dead: string, by: Lease, place: string): string[] | undefined {
  const { leases, owners, clock } = shared;
  if (!shared.isHeld(by)) throw new LeaseLostError(by.name, place);
  if (clock.now() - leases.get(by.name)!.sinceMs < by.seconds * 1000) return undefined;
  if (dead !== "") {
    const held = leases.get(dead);
    if (held === undefined || held.untilMs > clock.now()) return undefined;
    leases.delete(dead);
  }
  const isTaken = (owner: string | undefined) =>
    dead === "" ? owner === undefined || !leases.has(owner) : owner === dead;
  const open = shared.jobs.unsettled() as string[];
  const taken = open.filter((jid) => isTaken(owners.get(jid)));
  for (const jid of taken) owners.set(jid, by.name);
  return taken;
}

function memoryLeases(shared: MemoryLedger, over: Door): Leases {
  const { leases, clock } = shared;
  return {
    hold: (name, owner, seconds) =>
      over(() => {
        const [held, now] = [leases.get(name), clock.now()];
        if (held !== undefined && held.owner !== owner && held.untilMs > now) return undefined;
        const fence = ++shared.fence;
        leases.set(name, { owner, fence, seconds, untilMs: now + seconds * 1000, sinceMs: now });
        return { name, owner, fence, seconds };
      }),
    renew: (lease) =>
      over(() => {
        const [held, now] = [leases.get(lease.name), clock.now()];
        if (held?.fence !== lease.fence) return false;
        if (held.untilMs <= now) held.sinceMs = now;
        held.untilMs = now + lease.seconds * 1000;
        return true;
      }),
    release: (lease) =>
      over(() => {
        const held = leases.get(lease.name);
        if (held?.fence === lease.fence) held.untilMs = Math.min(held.untilMs, clock.now());
      }),
    list: (prefix) =>
      over(() =>
        [...leases].filter(([name]) => name.startsWith(prefix)).sort(([a], [b]) => a < b ? -1 : 1)
          .map(([name, { owner, fence, untilMs }]) => ({ name, owner, fence, held: untilMs > clock.now() }))
      ),
  };
}

function memoryRecords(shared: MemoryLedger, over: Door): Records {
  const { kinds, clock } = shared;
  const kindOf = (kind: string): Kind => {
    let found = kinds.get(kind);
    if (found === undefined) kinds.set(kind, found = { version: 0, forgotten: 0, records: new Map() });
    return found;
  };
  return {
    async put(kind, by, puts) {
      checkPuts(kind, puts);
      return await over(() => {
        const own = kindOf(kind);
        return puts.map(({ name, value, ifVersion }) => {
          const there = own.records.get(name);
          const version = ifVersion === 0 && there?.value === undefined ? 0 : there?.version ?? 0;
          if (ifVersion !== undefined && ifVersion !== version) return undefined;
          const record = { name, version: ++own.version, value: value?.slice(), by, changedMs: clock.now() };
          own.records.set(name, record);
          return record.version;
        });
      });
    },
    get: (kind, name) => over(() => shown(kinds.get(kind)?.records.get(name))),
    changes: (kind, after, limit, bytes = PAGE_BYTES) =>
      over(() => {
        const own = kinds.get(kind);
        const later = [...own?.records.values() ?? []].filter(({ version }) => version > after)
          .sort((a, b) => a.version - b.version);
        const records = page(later.map((record) => shown(record)!), limit, bytes, ({ value }) => value?.length ?? 0);
        const more = records.length < later.length;
        const upTo = more ? records.at(-1)!.version : Math.max(after, own?.version ?? 0);
        const [latest, forgotten] = [own?.version ?? 0, own?.forgotten ?? 0];
        return { records, upTo, more, gap: after !== 0 && (after < forgotten || after > latest) };
      }),
    latest: (kind) => over(() => kinds.get(kind)?.version ?? 0),
    raise: (kind, above) =>
      over(() => {
        const own = kindOf(kind);
        if (own.version < above) own.version = own.forgotten = above;
      }),
    forget: (kind, beforeMs) =>
      over(() => {
        const own = kindOf(kind);
        const gone = [...own.records.values()].filter(({ value, changedMs }) =>
          value === undefined && changedMs < beforeMs
        );
        for (const { name, version } of gone) {
          own.records.delete(name);
          own.forgotten = Math.max(own.forgotten, version);
        }
        return gone.length;
      }),
  };
}

function shown(record: StoredRecord | undefined): StoredRecord | undefined {
  return record && { name: record.name, version: record.version, value: record.value?.slice(), by: record.by };
}

const isNewer = (a: Pick<StoredAuditLine, "by" | "n" | "atMs">, b: Pick<StoredAuditLine, "by" | "n" | "atMs">) =>
  a.atMs !== b.atMs ? a.atMs > b.atMs : a.by !== b.by ? a.by > b.by : a.n > b.n;

function memoryAudit({ lines }: MemoryLedger, over: Door): AuditStore {
  return {
    append: (by, added) =>
      over(() => {
        for (const { n, atMs, line } of added) {
          const name = `${by} ${n}`;
          if (!lines.has(name)) lines.set(name, { by, n, atMs, line: line.slice() });
        }
      }),
    last: (by) =>
      over(() => [...lines.values()].reduce((last, line) => line.by === by ? Math.max(last, line.n) : last, 0)),
    read: ({ by, sinceMs = -Infinity, untilMs = Infinity, before, limit }) =>
      over(() =>
        page(
          [...lines.values()].filter((line) =>
            (by === undefined || line.by === by) && line.atMs >= sinceMs && line.atMs <= untilMs &&
            (before === undefined || isNewer(before, line))
          ).sort((a, b) => isNewer(a, b) ? -1 : 1),
          limit,
          PAGE_BYTES,
          ({ line }) => line.length,
        )
      ),
    expire: (beforeMs) =>
      over(() => {
        const gone = [...lines].filter(([, { atMs }]) => atMs < beforeMs);
        for (const [name] of gone) lines.delete(name);
        return gone.length;
      }),
  };
}
