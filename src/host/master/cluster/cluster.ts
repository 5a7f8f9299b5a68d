import type { ClusterHost, OpenCluster } from "../master_options.ts";
import type { Bus, BusWire } from "../../../feature/cluster/bus.ts";
import { ClusterKey } from "../../../feature/cluster/cluster_key.ts";
import { LoadSeal } from "../../../feature/cluster/load_seal.ts";
import { openBus } from "../../../feature/cluster/sealed_bus.ts";
import type { AuditStore, LedgerStorage } from "../../../feature/cluster/storage.ts";
import { joinPath } from "../../../base/paths.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import { messageOf, SystemError } from "../../../base/errors.ts";
import { BusEvent } from "../../../model/event/bus.ts";
import { EVENTS_MISSED, jobReturn } from "../../../model/event/tag.ts";
import { returnedOf } from "../../../model/job/job_cache.ts";
import type { Logger } from "../../../base/log.ts";
import { decode, encode, Packed } from "../../../protocol/wire/msgpack.ts";
import { eventOfStored } from "../jobs/replayed_returns.ts";
import { sendQueuedJobs } from "../jobs/master_jobs.ts";
import type { Answers, ClusterLink, MasterStatement } from "../cluster_contract.ts";
import { Membership } from "./membership.ts";
import { Mirrors } from "./mirrors.ts";
import { PeerJobs } from "./peer_jobs.ts";
import { PeerPresence } from "./peer_presence.ts";
import { SharedKey } from "./shared_key.ts";
import { Statements } from "./statements.ts";
import { ToldReturns } from "./told_returns.ts";
import { untilReached, type WaitingReach } from "./until_reached.ts";

const PUBLICATIONS = "publications";
const EVENTS = "events";
const KEY_CHANGED = "publication key";
/** The message that keys, tokens or data of minions have changed; it holds the kind. */
const RECORDS = "records";
/** How often the storage is read for changes that no message of the bus has announced, in milliseconds. */
const RECORDS_MS = 1000;
/** How long a publication is tried again while NATS is away, in milliseconds: after that the ledger sends the job to minions again. */
const APPEND_MS = 30_000;
/** How often the storage is searched for returns of open jobs that other masters stored without an event, in milliseconds. */
const RESYNC_MS = 15_000;
/** How long a return may be on its way to the storage, or its event to other masters, in milliseconds. */
const UNTOLD_MS = 60_000;
/** How long after its return was stored an event may still be on its way, in milliseconds. */
const EVENT_MS = 2000;
const text = new TextEncoder();
const RETURN_TAG = /^salt\/job\/([^/]+)\/ret\/(.+)$/;

/** The parts that the masters of a cluster share: a master gets them if `cluster` is set. */
export interface ClusterParts {
  /** The storage of the cluster; its job cache is the master's job cache. */
  storage: LedgerStorage;
  /** Connects to the bus. @param random differs for each connection */
  openWire(random: string): Promise<BusWire>;
  name: string;
  /** How long a lease is good, in seconds: `cluster: lease_seconds`. */
  leaseSeconds: number;
  /** How long the master waits at start for the servers of the cluster. @default as long as it takes */
  waiting?: WaitingReach;
}

const lifeFile = ({ directory }: ClusterHost) => joinPath(directory, "life");

/** Returns the name of the last life of this master; "" if none is known. */
function readLife(parts: ClusterHost): string {
  const { fs } = parts.runtime;
  const path = lifeFile(parts);
  return fs.stat(path)?.kind === "file" ? fs.readText(path).trim() : "";
}

/** Stores the name of this master's life: without it, a master that was killed would wait at start until its old lease has lapsed. */
function writeLife(parts: ClusterHost, life: string): void {
  try {
    parts.runtime.fs.write(lifeFile(parts), life, { mode: 0o600 });
  } catch (error) {
    parts.log.warning("the lease name of this master cannot be written", { error: messageOf(error) });
  }
}

/**
 * One master of a cluster: publications go through the stream of the bus and to the minions of every master under one key and one count;
 * events go to all masters; a job is decided on by the master that has published it, or that has taken it over.
 */
class ClusterMember implements ClusterLink {
  readonly bus: Bus;
  readonly key: ClusterKey;
  readonly storage: LedgerStorage;
  readonly membership: Membership;
  readonly #parts: ClusterHost;
  readonly #log: Logger;
  readonly #sharedKey: SharedKey;
  readonly #loadSeal: LoadSeal;
  readonly #jobs = new PeerJobs();
  readonly #told = new ToldReturns();
  /** The tag of a return that is stored and whose event is fired in this turn of the event loop. */
  #announcing: string | undefined;
  readonly #seconds: number;
  readonly #joinedMs: number;
  readonly #waiting: WaitingReach | undefined;
  #presence: PeerPresence | undefined;
  #statements: Statements | undefined;
  #mirrors: Mirrors | undefined;
  #serial = 0;
  readonly #stops: (() => void)[] = [];
  #stopTick: () => void = () => {};
  #stopTickRecords: () => void = () => {};
  #looking: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #rotationOwed = false;
  #resyncAt = -Infinity;
  #resyncing: Promise<void> | undefined;
  #resyncAgain = false;
  /** The returns of own jobs that were found stored without an event, and when each was first found. */
  #silent = new Map<string, number>();
  #stopResync: () => void = () => {};
  #closed = false;

  private constructor(cluster: ClusterParts, parts: ClusterHost, key: ClusterKey, bus: Bus, membership: Membership) {
    const { runtime: { fs }, masterKey } = parts;
    this.storage = cluster.storage;
    this.key = key;
    this.bus = bus;
    this.membership = membership;
    this.#seconds = cluster.leaseSeconds;
    this.#joinedMs = parts.runtime.clock.now();
    this.#waiting = cluster.waiting;
    this.#parts = parts;
    this.#log = parts.log.child("cluster");
    fs.mkdir(parts.directory, 0o700);
    this.#loadSeal = new LoadSeal(parts.runtime.crypto, key);
    this.#sharedKey = new SharedKey({
      records: cluster.storage.records,
      key,
      runtime: parts.runtime,
      log: this.#log,
      masterKey,
      path: joinPath(parts.directory, "publication_key"),
    });
  }

  /**
   * Joins a cluster: takes a lease, and the key of publications. Waits for storage and bus as long as they cannot be reached.
   *
   * @throws {ConfigError} if the cluster has another master.pem; {SystemError} if a server refuses it for good
   */
  static join(cluster: ClusterParts, parts: ClusterHost): Promise<ClusterMember> {
    const { runtime: { clock }, log } = parts;
    const rivals = new Map<string, number>();
    return untilReached(() => ClusterMember.#join(cluster, parts, rivals), {
      clock,
      log: log.child("cluster"),
      ...cluster.waiting,
    });
  }

  static async #join(
    cluster: ClusterParts,
    parts: ClusterHost,
    rivals: Map<string, number>,
  ): Promise<ClusterMember> {
    const { runtime, identity, id } = parts;
    const { crypto, clock } = runtime;
    const log = parts.log.child("cluster");
    const key = new ClusterKey(crypto, identity.key, cluster.name);
    const joined: { member?: ClusterMember } = {};
    const membership = new Membership({
      storage: cluster.storage,
      clock,
      crypto,
      log,
      id,
      seconds: cluster.leaseSeconds,
      previous: readLife(parts),
      rivals,
      taken: (jid) => joined.member!.#taken(jid),
      inherited: () => joined.member!.resync(),
      strangers: () => joined.member!.#strangers(),
      gone: (life) => joined.member!.#presence?.drop(life),
      renamed: (life) => joined.member!.#renamed(life),
    });
    // The bus is connected first: a lease would lapse while the master waits for the bus and nobody renews it.
    const wire = await cluster.openWire(hex(crypto.randomBytes(6)));
    try {
      await membership.begin();
    } catch (error) {
      await wire.close();
      throw error;
    }
    const bus = openBus({ wire, key, name: membership.life, clock, log, later: (call) => runtime.later(call) });
    const self = joined.member = new ClusterMember(cluster, parts, key, bus, membership);
    try {
      await self.#sharedKey.join(membership.life, cluster.storage.place);
      self.#serial = await bus.last(PUBLICATIONS);
    } catch (error) {
      await membership.leave();
      await bus.close();
      throw error;
    }
    writeLife(parts, membership.life);
    log.info("joined the cluster", {
      name: cluster.name,
      as: membership.life,
      storage: cluster.storage.place,
      bus: bus.place,
    });
    return self;
  }

  /** Begins to read what other masters publish and fire. Call it once the services exist, before minions connect. */
  async start(): Promise<void> {
    const { runtime: { clock, later }, presence, services } = this.#parts;
    const { bus } = this;
    const eventBus = services().bus;
    this.#stops.push(
      eventBus.on((event) => this.#fired(event)),
      bus.on(EVENTS, ({ sender, bytes }) => this.#heard(sender, bytes)),
      bus.on(KEY_CHANGED, () => void this.#lookForKey()),
      bus.onMissed((sender, missed) => {
        this.#log.warning("events of another master were missed", { master: sender, missed });
        eventBus.deliver(BusEvent.fromBytes(eventBus.stamped(EVENTS_MISSED, { missed }).bytes, undefined, sender));
        this.resync();
      }),
      bus.onState(({ connected }) => void (connected && this.resync())),
      await untilReached(() => this.#follow(), { clock, log: this.#log, ...this.#waiting }),
    );
    this.#statements = new Statements(bus, clock, services, () => this.#presence?.masters ?? []);
    this.#mirrors = new Mirrors({
      storage: this.storage,
      key: this.key,
      runtime: this.#parts.runtime,
      log: this.#log,
      services: services(),
      life: () => this.membership.life,
      sent: (kind) => bus.send(RECORDS, text.encode(kind)),
    });
    this.#stops.push(
      () => this.#mirrors!.close(),
      bus.on(RECORDS, ({ bytes }) => this.#mirrors!.wake(new TextDecoder().decode(bytes))),
    );
    // Keys are read before minions sign in: a key that was revoked meanwhile is no longer valid.
    await this.#mirrors.look();
    this.#presence = new PeerPresence({
      bus,
      presence,
      clock,
      later,
      goneMs: Math.max(3, this.#seconds) * 1000,
      listens: (id) => sendQueuedJobs(services(), id),
      gone: (master) => {
        this.#log.warning("another master no longer sends messages", { master });
        this.resync();
      },
    });
    this.#tick();
    this.#tickRecords();
  }

  #follow(): Promise<() => void> {
    return this.bus.follow(PUBLICATIONS, {
      record: (record) => this.#published(record),
      missed: (missed) =>
        this.#log.error("publications were lost: minions of this master did not get them", { missed }),
    });
  }

  #tick(): void {
    this.#stopTick = this.#parts.runtime.clock.after(this.#seconds * 1000 / 4, () => {
      this.#looking = this.#look().finally(() => this.#closed || this.#tick());
    });
  }

  #tickRecords(): void {
    this.#stopTickRecords = this.#parts.runtime.clock.after(RECORDS_MS, () => {
      this.#reading = this.#read().finally(() => this.#closed || this.#tickRecords());
    });
  }

  /** Reads changed records from the storage: a revocation reaches every master within a second, even while the bus is away. */
  async #read(): Promise<void> {
    await Promise.all([this.#lookForKey(), this.#mirrors!.look()]);
    if (this.#rotationOwed) await this.rotateKey();
  }

  async #look(): Promise<void> {
    this.#presence?.look();
    const { store } = this.#parts.services();
    if (this.#parts.runtime.clock.now() - this.#joinedMs > this.#untoldMs) store.unannounced.settled();
    await this.membership.look();
    if (this.#parts.runtime.clock.elapsed() - this.#resyncAt >= RESYNC_MS) this.resync();
  }

  async #lookForKey(): Promise<void> {
    try {
      await this.#sharedKey.look(this.membership.life);
    } catch (error) {
      this.#log.warning("publication key of the cluster not read", { error: messageOf(error) });
    }
  }

  get id(): string {
    return this.key.fingerprint;
  }

  /** True while this master may take sign-ins and decide on jobs. */
  get valid(): boolean {
    return this.membership.valid;
  }

  get onDuty(): boolean {
    return this.membership.onDuty;
  }

  /** The number of the latest publication. */
  get serial(): number {
    return this.#serial;
  }

  get audit(): AuditStore {
    return this.storage.audit;
  }

  status(): Record<string, unknown> {
    const { bus, storage, membership } = this;
    return {
      name: membership.life,
      masters: [membership.life, ...this.#presence?.masters ?? []].sort(),
      usable: this.valid,
      ...(this.valid ? {} : { reason: membership.reason }),
      on_duty: this.onDuty,
      storage: { place: storage.place, usable: storage.state.usable },
      bus: { place: bus.place, connected: bus.state.connected, ...bus.counts },
    };
  }

  /** To be called before a job is recorded. @throws {SystemError} if nothing can be published now */
  assertCanPublish(): void {
    if (!this.valid) {
      throw new SystemError(
        "ENOTCONN",
        `The storage of the cluster at ${this.storage.place} cannot be used: ${this.membership.reason}`,
      );
    }
    if (this.bus.state.connected) return;
    throw new SystemError(
      "ENOTCONN",
      `The bus of the cluster at ${this.bus.place} cannot be reached: ${this.bus.state.reason}`,
    );
  }

  sealOf(jid: string, load: Record<string, unknown>, minions: readonly string[]): Uint8Array {
    return this.#loadSeal.make(jid, load, minions);
  }

  async isGenuine(jid: string, load: Record<string, unknown>, minions: readonly string[]): Promise<boolean> {
    return this.#loadSeal.isGood(await this.storage.sealOf(jid), jid, load, minions);
  }

  publish(load: Record<string, unknown>, minions: readonly string[]): void {
    if (!this.valid) {
      // A process that was suspended continues in the middle of a job: by now another master has taken the job over, or has given it up.
      this.#log.warning("publication not sent: this master has lost its lease", { jid: load.jid });
      return;
    }
    this.bus.append(PUBLICATIONS, encode([load, minions], "bin"), APPEND_MS).catch((error) => {
      if (!this.#closed) {
        this.#log.error("publication not sent: trying again", { jid: load.jid, error: messageOf(error) });
      }
    });
  }

  #published({ seq, sender, atMs, bytes }: { seq: number; sender: string; atMs: number; bytes: Uint8Array }): void {
    const { publisher, services, runtime: { clock } } = this.#parts;
    const [load, minions] = decode(bytes, { mode: "bin" }) as [Record<string, unknown>, string[]];
    if (seq <= this.#serial) this.#numberedAnew(seq);
    this.#serial = seq;
    const { jid } = load;
    if (sender !== this.bus.name && typeof jid === "string" && load.delivery === undefined) {
      this.#jobs.add(jid, minions);
    }
    const lateMs = clock.now() - atMs;
    if (lateMs > services().opts.job_delivery_timeout * 1000) {
      this.#log.warning("publication not sent: it came too late", { jid, seconds: Math.round(lateMs / 1000) });
      return;
    }
    publisher.send(load, minions, seq);
  }

  /** Starts a new sequence of numbers under a new key: minions refuse numbers that do not grow under one key. */
  #numberedAnew(seq: number): void {
    this.#log.error("publications have lower numbers than before: NATS has lost its stream, or its clock was wrong", {
      before: this.#serial,
      now: seq,
    });
    void this.rotateKey(this.#sharedKey.keyString);
  }

  /** Sends an event of this master to the others, for a return with whether it is stored. */
  #fired(event: BusEvent): void {
    if (event.origin !== undefined) return;
    const isStored = this.#announcing !== undefined && event.tag === this.#announcing;
    if (isStored) this.#announcing = undefined;
    this.bus.send(EVENTS, encode([event.cause ?? null, event.bytes, isStored], "bin"));
  }

  /** Handles an event of another master. */
  #heard(sender: string, bytes: Uint8Array): void {
    const services = this.#parts.services();
    const [cause, packed, isStored] = decode(bytes, { mode: "bin" }) as [
      string | null,
      Uint8Array,
      boolean | undefined,
    ];
    const event = BusEvent.fromBytes(packed, cause ?? undefined, sender);
    const [, jid, id] = RETURN_TAG.exec(event.tag) ?? [];
    if (jid !== undefined && id !== undefined) {
      // Anyone who may fire events can fire the event of a return: without a stored return it ends no job.
      if (isStored !== true) return this.#told.has(jid, id) ? undefined : services.bus.deliver(event);
      this.#jobs.returned(jid, id);
      // The return was stored here although storing seemed to fail: the minion sends it again, but its event has already been fired.
      services.store.unannounced.take(jid, id);
      if (services.ledger.standing(jid, id) === "expected") this.#returned(jid, id, event.data);
      if (!this.#told.add(jid, id)) return;
    }
    services.bus.deliver(event);
  }

  /** Handles a return of an own job that another master has stored. */
  #returned(jid: string, id: string, data: Record<string, unknown>): void {
    const { ledger, jobs, runtime: { clock } } = this.#parts.services();
    ledger.returned(jid, id);
    if (data.ended === "timed out") {
      void jobs.saveOutcomes(jid, [{ minion: id, state: "timed out", atMs: clock.now(), note: "job_timeout" }]);
    }
    ledger.stored(jid);
    if (data.fun !== "saltutil.find_job" || !Array.isArray(data.fun_args)) return;
    const [asked] = data.fun_args as unknown[];
    const value = data.return;
    const busy = value instanceof Packed ? value.bytes.length > 1 : Object.keys(value ?? {}).length > 0;
    if (typeof asked === "string") ledger.foundJob(asked, id, busy);
  }

  /** True if another master has published the job to the minion, and no event of its return was received. */
  expects(jid: string, id: string): boolean {
    return this.#jobs.expects(jid, id);
  }

  stored(jid: string, id: string): void {
    this.#jobs.returned(jid, id);
  }

  get untoldSinceMs(): number {
    const { sinceMs } = this.#parts.services().store.unannounced;
    return Math.min(sinceMs ?? Infinity, this.#joinedMs) - this.#untoldMs;
  }

  /** How long before its end a master may have stored returns whose events the others have not received, in milliseconds. */
  get #untoldMs(): number {
    return UNTOLD_MS + 2000 * this.#seconds;
  }

  hasTold(jid: string, id: string): boolean {
    return this.#told.has(jid, id);
  }

  isNews(jid: string, id: string): boolean {
    const isNews = this.#told.add(jid, id);
    if (isNews) this.#announcing = jobReturn(jid, id);
    return isNews;
  }

  /** Passes on a minion's statement about jobs. See {@link Statements.tell}. */
  tell(statement: MasterStatement): Promise<Answers> {
    return this.#statements!.tell(statement);
  }

  /** Takes over a job of a master that is gone. */
  async #taken(jid: string): Promise<void> {
    const { ledger, replayed } = this.#parts.services();
    await ledger.restore([jid]);
    ledger.offerNow(jid);
    void replayed.tell();
  }

  /** Returns the jobs that belong to this master by the storage but are not in its ledger. */
  async #strangers(): Promise<string[]> {
    const { jobs, ledger } = this.#parts.services();
    // The ledger is asked after the storage has answered: by then it knows the jobs that were published or ended meanwhile.
    return (await jobs.unsettled()).filter((jid) => !ledger.knows(jid));
  }

  #renamed(life: string): void {
    writeLife(this.#parts, life);
    this.#parts.services().ledger.abandon();
    this.bus.rename(life);
    this.#presence?.renamed();
  }

  /** Looks up returns of own jobs that other masters have stored and whose events have not come. */
  resync(): void {
    if (this.#closed) return;
    this.#resyncAgain = true;
    this.#resyncing ??= this.#resync().finally(() => this.#resyncing = undefined);
  }

  async #resync(): Promise<void> {
    const { services, runtime: { clock } } = this.#parts;
    while (this.#resyncAgain && !this.#closed) {
      this.#resyncAgain = false;
      this.#resyncAt = clock.elapsed();
      const { ledger, jobs, bus, store } = services();
      const now = clock.elapsed();
      const silent = new Map<string, number>();
      try {
        for (const [jid, minions] of ledger.expected()) {
          if (this.#closed) return;
          if (minions.length === 0) continue;
          const load = ledger.loadOf(jid) ?? {};
          const waiting = new Set(minions);
          // The values of returns are read only if one of them has to be announced.
          if (!(await returnedOf(jobs, jid)).some((id) => waiting.has(id))) continue;
          for (const stored of await jobs.returns(jid)) {
            const { minion: id } = stored;
            if (!waiting.has(id) || ledger.standing(jid, id) !== "expected") continue;
            const sinceMs = this.#silent.get(`${jid} ${id}`) ?? now;
            // The master that has stored the return fires its event in a moment, if it can.
            if (now - sinceMs < EVENT_MS) {
              silent.set(`${jid} ${id}`, sinceMs);
              continue;
            }
            const data = eventOfStored(jid, load, stored);
            this.#returned(jid, id, data);
            // If storing the return seemed to fail, its minion sends it again: it must not be announced twice.
            store.unannounced.take(jid, id);
            if (this.isNews(jid, id)) bus.fire(jobReturn(jid, id), data);
          }
        }
      } catch (error) {
        this.#log.warning("returns that other masters have stored could not be looked up", { error: messageOf(error) });
      }
      this.#silent = silent;
      this.#stopResync();
      if (silent.size > 0 && !this.#closed) this.#stopResync = clock.after(EVENT_MS, () => this.resync());
    }
  }

  /** Makes a new publication key for all masters. @param old the key to replace: if another master has replaced it, nothing is done */
  async rotateKey(old?: string): Promise<void> {
    try {
      await this.#sharedKey.rotate(this.membership.life, old);
      this.bus.send(KEY_CHANGED, new Uint8Array());
      this.#rotationOwed = false;
    } catch (error) {
      if (!this.#rotationOwed) {
        this.#log.error("master key not rotated: trying again each second", { error: messageOf(error) });
      }
      this.#rotationOwed = true;
    }
  }

  /** Forgets the names of records that were removed before a time, in milliseconds since the epoch. */
  async forgetRemoved(beforeMs: number): Promise<number> {
    let gone = 0;
    for (const kind of this.#mirrors!.kinds) gone += await this.storage.records.forget(kind, beforeMs);
    return gone;
  }

  /** Leaves the cluster: other masters take the open jobs over at once. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const stop of [...this.#stops, this.#stopTick, this.#stopTickRecords]) stop();
    await this.#looking;
    await this.#reading;
    await this.#resyncing;
    this.#stopResync();
    await this.membership.leave();
    await this.bus.close();
  }
}

/** Returns the storage of a cluster and the function with which a master joins it. */
export function clusterOf(parts: ClusterParts): OpenCluster {
  return { storage: parts.storage, join: (host) => ClusterMember.join(parts, host) };
}
