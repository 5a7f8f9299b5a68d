import type { Clock } from "../../../base/async/clock.ts";
import type { Lease, LedgerStorage } from "../../../feature/cluster/storage.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import { ConfigError, messageOf, SystemError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { Crypto } from "../../../runtime/crypto.ts";

/** The prefix of the names of leases that are masters' lives. */
const LIVES = "master/";
const DUTIES = "duties";

interface MembershipOptions {
  storage: LedgerStorage;
  clock: Clock;
  crypto: Crypto;
  log: Logger;
  id: string;
  /** How long the lease is good, in seconds: `cluster: lease_seconds`. */
  seconds: number;
  /** The last known life of this master: its lease may not have lapsed yet. @default "" */
  previous?: string;
  /** The lives of other masters with this id, and when each was first seen, by the monotonic clock; kept over all attempts to begin. */
  rivals?: Map<string, number>;
  /** Called when this master has taken over a job of a master that is gone. Called again if it rejects. */
  taken(jid: string): Promise<void>;
  /** Called when jobs were taken over: all of them, or as many as could be read. */
  inherited(): void;
  /** Returns own jobs in the storage that this master has no record of; {@link MembershipOptions.taken} is called with each. */
  strangers(): Promise<readonly string[]>;
  /** Called when another master is gone. */
  gone(life: string): void;
  /** Called when this master has a new lease: other masters may decide on its previous jobs. */
  renamed(life: string): void;
}

/**
 * The life of this master in its cluster: one lease, which it renews, and by which it owns its jobs. A master that was stopped or cut off
 * for longer than the lease begins anew under another name, and owns nothing at first.
 */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #log: Logger;
  #lease: Lease | undefined;
  #duties: Lease | undefined;
  /** Until when the lease is certainly good, by the monotonic clock. */
  #until = -Infinity;
  #dutiesUntil = -Infinity;
  #failedAt: number | undefined;
  #reason: string | undefined;
  #orphansAt = -Infinity;
  /** The jobs that were taken over and are not in the ledger yet. */
  readonly #owed = new Set<string>();
  /** True if no answer to a takeover came: jobs may belong to this master without its knowledge. */
  #unsure = false;
  #inheriting: Promise<void> | undefined;
  #hasFailedToInherit = false;
  #left = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /** The name of this life; empty before {@link Membership.begin}. */
  get life(): string {
    return this.#lease?.owner ?? "";
  }

  /** True while this master may decide: its lease is good. */
  get valid(): boolean {
    return this.#options.clock.elapsed() < this.#until;
  }

  /** True if this master does the duties of the whole cluster. */
  get onDuty(): boolean {
    return this.valid && this.#options.clock.elapsed() < this.#dutiesUntil;
  }

  /** Why this master may not decide at present. */
  get reason(): string {
    return this.#reason ?? "the lease of this master has expired";
  }

  /**
   * Takes a lease under a new name.
   *
   * @throws {SystemError} if the storage cannot be reached, or the lease of a master with this id may lapse; {ConfigError} if such a master runs
   */
  async begin(): Promise<void> {
    const { storage, clock, crypto, id, seconds } = this.#options;
    const life = `${id}/${hex(crypto.randomBytes(6))}`;
    const began = clock.elapsed();
    const lease = await storage.leases.hold(LIVES + life, life, seconds);
    if (lease === undefined) throw new Error(`Cannot take the lease "${life}" at ${storage.place}`);
    await this.#assertAlone(lease);
    this.#lease = lease;
    this.#owed.clear();
    this.#unsure = false;
    this.#duties = undefined;
    this.#dutiesUntil = -Infinity;
    this.#until = began + seconds * 1000;
    storage.own(lease);
  }

  /** Throws if another master with the same id runs: of two masters, the one that began first stays. */
  async #assertAlone(lease: Lease): Promise<void> {
    const { storage, clock, id, seconds, previous = "", rivals = new Map<string, number>() } = this.#options;
    const own = [this.life, previous].map((life) => LIVES + life);
    const others = (await storage.leases.list(`${LIVES}${id}/`))
      .filter(({ name, held, fence }) => held && fence < lease.fence && !own.includes(name));
    const [other] = others;
    if (other === undefined) return;
    await storage.leases.release(lease);
    const since = rivals.get(other.name) ?? clock.elapsed();
    rivals.set(other.name, since);
    // After two lease times the lease of a killed master has expired: a lease that is still good belongs to a running master.
    const isRunning = clock.elapsed() - since > 2000 * seconds;
    const text = `Cannot join the cluster as "${id}": another master has this id, as ${other.owner}`;
    if (!isRunning) {
      throw new SystemError("EAGAIN", `${text}. If that master has stopped, its lease expires in ${seconds} seconds`);
    }
    throw new ConfigError(
      `${text}, and it is running. Give each master of the cluster a different id (the option id)`,
      {
        id,
      },
    );
  }

  /**
   * Renews the lease, and finds masters that are gone. Call it several times within the seconds of a lease: their jobs are taken over
   * in the background, however long that takes.
   */
  async look(): Promise<void> {
    try {
      await this.#renew();
      await this.#keepDuties();
      if (this.#failedAt !== undefined) {
        this.#log.info("the storage of the cluster can be reached again", this.#place());
      }
      this.#failedAt = this.#reason = undefined;
    } catch (error) {
      this.#reason = messageOf(error);
      if (this.#failedAt === undefined) {
        this.#log.error("the storage of the cluster cannot be reached", { ...this.#place(), error: this.#reason });
      }
      this.#failedAt ??= this.#options.clock.elapsed();
      return;
    }
    this.#inheriting ??= this.#inherit().finally(() => this.#inheriting = undefined);
  }

  #place(): { place: string } {
    return { place: this.#options.storage.place };
  }

  async #renew(): Promise<void> {
    const { storage, clock, seconds, renamed } = this.#options;
    const began = clock.elapsed();
    if (this.#lease !== undefined && await storage.leases.renew(this.#lease)) {
      this.#until = began + seconds * 1000;
      return;
    }
    this.#until = -Infinity;
    const before = this.life;
    await this.begin();
    this.#log.warning(
      "this master was disconnected for longer than its lease and starts again: other masters have its jobs",
      {
        before,
        now: this.life,
      },
    );
    renamed(this.life);
  }

  /** Takes over the jobs of masters that are gone. A step that fails is tried again with the next look. */
  async #inherit(): Promise<void> {
    try {
      await this.#takeOver(this.#lease!);
      this.#hasFailedToInherit = false;
    } catch (error) {
      if (!this.#hasFailedToInherit) {
        this.#log.error("jobs of other masters could not be taken over: trying again", {
          ...this.#place(),
          waiting: this.#owed.size,
          error: messageOf(error),
        });
      }
      this.#hasFailedToInherit = true;
    }
  }

  /** @param lease the lease under which the takeover began: the jobs belong to this lease, not to a later one */
  async #takeOver(lease: Lease): Promise<void> {
    const { storage, clock, gone, strangers } = this.#options;
    if (this.#unsure) {
      const jids = await strangers();
      if (!this.#isUnder(lease)) return;
      this.#owe(jids);
      this.#unsure = false;
    }
    for (const { name, held } of await storage.leases.list(LIVES)) {
      if (held || name === lease.name) continue;
      const jids = await this.#take(name, lease);
      if (!this.#isUnder(lease)) return;
      if (jids === undefined) continue;
      const from = name.slice(LIVES.length);
      gone(from);
      this.#log.warning("another master has stopped: taking over its jobs", { master: from, jobs: jids.length });
      this.#owe(jids);
    }
    // Jobs from before the cluster was set up have no owner: they are taken once a minute.
    if (clock.elapsed() - this.#orphansAt >= 60_000) {
      const orphans = await this.#take("", lease);
      if (!this.#isUnder(lease)) return;
      if (orphans !== undefined) this.#orphansAt = clock.elapsed();
      this.#owe(orphans ?? []);
    }
    await this.#lookAfter(lease);
  }

  /** False if this master has a new lease, or is leaving. */
  #isUnder(lease: Lease): boolean {
    return this.#lease === lease && !this.#left;
  }

  async #take(dead: string, lease: Lease): Promise<string[] | undefined> {
    this.#unsure = true;
    const jids = await this.#options.storage.takeOver(dead, lease);
    if (this.#isUnder(lease)) this.#unsure = false;
    return jids;
  }

  #owe(jids: readonly string[]): void {
    for (const jid of jids) this.#owed.add(jid);
  }

  /** Adds the taken jobs to the ledger, one by one. A job that cannot be read now comes last in the next look, so it delays no other job. */
  async #lookAfter(lease: Lease): Promise<void> {
    const { taken, inherited } = this.#options;
    if (this.#owed.size === 0) return;
    try {
      for (const jid of this.#owed) {
        this.#owed.delete(jid);
        try {
          await taken(jid);
        } catch (error) {
          if (this.#isUnder(lease)) this.#owe([jid]);
          throw error;
        }
        if (!this.#isUnder(lease)) return;
      }
    } finally {
      inherited();
    }
  }

  async #keepDuties(): Promise<void> {
    const { storage, clock, seconds } = this.#options;
    const began = clock.elapsed();
    if (this.#duties !== undefined && await storage.leases.renew(this.#duties)) {
      this.#dutiesUntil = began + seconds * 1000;
      return;
    }
    this.#duties = await storage.leases.hold(DUTIES, this.life, seconds);
    this.#dutiesUntil = this.#duties === undefined ? -Infinity : began + seconds * 1000;
  }

  /** Leaves the cluster: other masters take over the jobs at once. */
  async leave(): Promise<void> {
    const { storage } = this.#options;
    this.#until = -Infinity;
    this.#left = true;
    await this.#inheriting;
    try {
      if (this.#duties !== undefined) await storage.leases.release(this.#duties);
      if (this.#lease !== undefined) await storage.leases.release(this.#lease);
    } catch (error) {
      this.#log.warning("lease not released: other masters take over its jobs when it expires", {
        error: messageOf(error),
      });
    }
  }
}
