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
import { sendQueuedJobs } from "../jobs/queued_jobs.ts";
import type { Answers, ClusterLink, Statement } from "../cluster_contract.ts";
import { Membership } from "./membership.ts";
import { Mirrors } from "./mirrors.ts";
import { PeerJobs } from "./peer_jobs.ts";
import { PeerPresence } from "./peer_presence.ts";
import { SharedKey } from "./shared_key.ts";
import { Statements } from "./statements.ts";
import { ToldReturns } from "./told_returns.ts";
import { untilReached, type Waiting } from "./until_reached.ts";

const PUBLICATIONS = "publications";
const EVENTS = "events";
const KEY_CHANGED = "publication key";
/** Keys, tokens or data of minions have changed: the kind. */
const RECORDS = "records";
/** How often the storage is asked for changes that the bus has not told of, in milliseconds. */
const RECORDS_MS = 1000;
/** How long a publication is tried again while NATS is away, in milliseconds: minions are told again by the ledger after that. */
const APPEND_MS = 30_000;
/** How often the returns of open jobs are looked up that others may have taken without a word, in milliseconds. */
const RESYNC_MS = 15_000;
/** Returns of the last minute may be on their way to the storage, or their events to other masters, in milliseconds. */
const UNTOLD_MS = 60_000;
/** An event may still be on its way for so long after its return was stored, in milliseconds. */
const EVENT_MS = 2000;
const text = new TextEncoder();
const RETURN_TAG = /^salt\/job\/([^/]+)\/ret\/(.+)$/;

/** What several masters have in common: given to a master where `cluster` is set. */
export interface ClusterParts {
  /** The storage; its job cache is the master's job cache. */
  storage: LedgerStorage;
  /** Connects to the bus. @param random differs for each connection */
  openWire(random: string): Promise<BusWire>;
  /** `cluster: name`. */
  name: string;
  /** `cluster: lease_seconds`. */
  leaseSeconds: number;
  /** How long it waits for its servers at start. @default as long as it takes */
  waiting?: Waiting;
}

const lifeFile = ({ directory }: ClusterHost) => joinPath(directory, "life");

/** The name of the last life of this master; "" if none is known. */
function readLife(parts: ClusterHost): string {
  const { fs } = parts.runtime;
  const path = lifeFile(parts);
  return fs.stat(path)?.kind === "file" ? fs.readText(path).trim() : "";
}

/** Without it, a master that was killed waits until its lease has lapsed. */
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
export class ClusterMember implements ClusterLink {
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
  /** The tag of a return that is stored, and whose event is fired in this turn. */
  #announcing: string | undefined;
  readonly #seconds: number;
  readonly #joinedMs: number;
  readonly #waiting: Waiting | undefined;
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
  /** Returns of own jobs that were found stored without an event, and when that was first seen. */
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
    // A lease that nobody renews while the bus is waited for would lapse.
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

  /** Begins to read what others publish and fire. To be called once the services are there, before minions are. */
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
    // Before minions sign in: a key that was revoked meanwhile is good no more.
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

  /** A revocation is on every master within this second, also while the bus is away. */
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

  /** True if what one master does for all is this one's. */
  get onDuty(): boolean {
    return this.membership.onDuty;
  }

  /** Number of the latest publication. */
  get serial(): number {
    return this.#serial;
  }

  get audit(): AuditStore {
    return this.storage.audit;
  }

  /** How the cluster stands, for the status report. */
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

  /** @throws {SystemError} if nothing can be published now: before anything of a job is recorded */
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

  /** Publishes to the minions of all masters. */
  publish(load: Record<string, unknown>, minions: readonly string[]): void {
    if (!this.valid) {
      // A process that was stopped for a while goes on in the middle: another master has the job by now, or has given it up.
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

  /** Minions refuse numbers that do not grow under one key, so a new key starts a new sequence. */
  #numberedAnew(seq: number): void {
    this.#log.error("publications have lower numbers than before: NATS has lost its stream, or its clock was wrong", {
      before: this.#serial,
      now: seq,
    });
    void this.rotateKey(this.#sharedKey.keyString);
  }

  /** An event of this master: the others hear of it, and of a return whether it is stored. */
  #fired(event: BusEvent): void {
    if (event.origin !== undefined) return;
    const isStored = this.#announcing !== undefined && event.tag === this.#announcing;
    if (isStored) this.#announcing = undefined;
    this.bus.send(EVENTS, encode([event.cause ?? null, event.bytes, isStored], "bin"));
  }

  /** An event of another master. */
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
      // Whoever may fire events can fire one of a return: it ends nothing.
      if (isStored !== true) return this.#told.has(jid, id) ? undefined : services.bus.deliver(event);
      this.#jobs.returned(jid, id);
      // It was stored here, though that failed as far as could be seen: its minion sends it again, and it has been told.
      services.store.unannounced.take(jid, id);
      if (services.ledger.standing(jid, id) === "expected") this.#returned(jid, id, event.data);
      if (!this.#told.add(jid, id)) return;
    }
    services.bus.deliver(event);
  }

  /** A return of an own job, which another master has stored. */
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

  /** True if another master has published the job to the minion, and no return of it was heard of. */
  expects(jid: string, id: string): boolean {
    return this.#jobs.expects(jid, id);
  }

  /** A return was stored here. */
  stored(jid: string, id: string): void {
    this.#jobs.returned(jid, id);
  }

  get untoldSinceMs(): number {
    const { sinceMs } = this.#parts.services().store.unannounced;
    return Math.min(sinceMs ?? Infinity, this.#joinedMs) - this.#untoldMs;
  }

  /** For so long before it was gone, a master may have stored returns that the others have not heard of, in milliseconds. */
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

  /** Passes on what a minion says of jobs. See {@link Statements.tell}. */
  tell(statement: Statement): Promise<Answers> {
    return this.#statements!.tell(statement);
  }

  /** A job of a master that is gone. */
  async #taken(jid: string): Promise<void> {
    const { ledger, replayed } = this.#parts.services();
    await ledger.restore([jid]);
    ledger.offerNow(jid);
    void replayed.tell();
  }

  /** Jobs that are this master's by the storage, and of which it does not know. */
  async #strangers(): Promise<string[]> {
    const { jobs, ledger } = this.#parts.services();
    // Asked after the answer: what is published or ends meanwhile is known by then.
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
          // Values are read where there is one to be told of.
          if (!(await returnedOf(jobs, jid)).some((id) => waiting.has(id))) continue;
          for (const stored of await jobs.returns(jid)) {
            const { minion: id } = stored;
            if (!waiting.has(id) || ledger.standing(jid, id) !== "expected") continue;
            const sinceMs = this.#silent.get(`${jid} ${id}`) ?? now;
            // The master that has stored it tells of it in a moment, if it can.
            if (now - sinceMs < EVENT_MS) {
              silent.set(`${jid} ${id}`, sinceMs);
              continue;
            }
            const data = eventOfStored(jid, load, stored);
            this.#returned(jid, id, data);
            // Its minion sends it again where storing it seemed to have failed.
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

  /** Makes a new publication key for all masters. @param old the key that is to go: if another master has replaced it, nothing is done */
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

/** The other masters, as a master is given them. */
export function clusterOf(parts: ClusterParts): OpenCluster {
  return { storage: parts.storage, join: (host) => ClusterMember.join(parts, host) };
}
