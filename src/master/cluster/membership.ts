import type { Clock } from "../../async/clock.ts";
import type { Lease, LedgerStorage } from "../../cluster/storage.ts";
import { hex } from "../../crypto/hex.ts";
import { messageOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { Crypto } from "../../runtime/crypto.ts";

/** What the lease of a master's life begins with. */
const LIVES = "master/";
const DUTIES = "duties";

export interface MembershipOptions {
  storage: LedgerStorage;
  clock: Clock;
  crypto: Crypto;
  log: Logger;
  /** The master's id. */
  id: string;
  /** `cluster: lease_seconds`. */
  seconds: number;
  /** Jobs of a master that is gone are this one's from now on. Called again, also for some that were taken, if it rejects. */
  taken(jids: readonly string[]): Promise<void>;
  /** Own jobs of the storage that this master has no record of: {@link MembershipOptions.taken} is called with them. */
  strangers(): Promise<readonly string[]>;
  /** Another master is gone. */
  gone(life: string): void;
  /** This master has begun anew: others may decide on the jobs that it had. */
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
  /** Until when the lease is good for certain, by the even clock. */
  #until = -Infinity;
  #dutiesUntil = -Infinity;
  #failedAt: number | undefined;
  #reason: string | undefined;
  #orphansAt = -Infinity;
  /** Jobs that were taken over, and are not in the ledger yet. */
  #owed: string[] = [];
  /** A takeover was asked for, and no answer came: jobs may be this master's without its knowledge. */
  #unsure = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /** The name of this life; none before {@link Membership.begin}. */
  get life(): string {
    return this.#lease?.owner ?? "";
  }

  /** True while this master may decide: its lease is good. */
  get valid(): boolean {
    return this.#options.clock.elapsed() < this.#until;
  }

  /** True if the duties of the whole cluster are this master's. */
  get onDuty(): boolean {
    return this.valid && this.#options.clock.elapsed() < this.#dutiesUntil;
  }

  /** Why it may not decide. */
  get reason(): string {
    return this.#reason ?? "the lease of this master has lapsed";
  }

  /** Takes a lease under a new name. @throws {SystemError} if the storage cannot be reached */
  async begin(): Promise<void> {
    const { storage, clock, crypto, id, seconds } = this.#options;
    const life = `${id}/${hex(crypto.randomBytes(6))}`;
    const began = clock.elapsed();
    const lease = await storage.leases.hold(LIVES + life, life, seconds);
    if (lease === undefined) throw new Error(`Cannot take the lease "${life}" at ${storage.place}`);
    this.#lease = lease;
    this.#owed = [];
    this.#unsure = false;
    this.#duties = undefined;
    this.#dutiesUntil = -Infinity;
    this.#until = began + seconds * 1000;
    storage.own(lease);
  }

  /** Renews the lease, and looks who else is gone. To be called several times within the seconds of a lease. */
  async look(): Promise<void> {
    try {
      await this.#renew();
      await this.#takeOver();
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
    }
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
    this.#log.warning("this master was away for longer than its lease, and begins anew: others have its jobs", {
      before,
      now: this.life,
    });
    renamed(this.life);
  }

  async #takeOver(): Promise<void> {
    const { storage, clock, gone, strangers } = this.#options;
    await this.#lookAfter();
    if (this.#unsure) {
      this.#owed.push(...await strangers());
      this.#unsure = false;
      await this.#lookAfter();
    }
    for (const { name, held } of await storage.leases.list(LIVES)) {
      if (held || name === this.#lease!.name) continue;
      const jids = await this.#take(name);
      if (jids === undefined) continue;
      const from = name.slice(LIVES.length);
      gone(from);
      this.#log.warning("another master is gone: its jobs are taken over", { master: from, jobs: jids.length });
      this.#owed.push(...jids);
      await this.#lookAfter();
    }
    // Jobs from before the cluster.
    if (clock.elapsed() - this.#orphansAt < 60_000) return;
    const orphans = await this.#take("");
    if (orphans === undefined) return;
    this.#orphansAt = clock.elapsed();
    this.#owed.push(...orphans);
    await this.#lookAfter();
  }

  async #take(dead: string): Promise<string[] | undefined> {
    this.#unsure = true;
    const jids = await this.#options.storage.takeOver(dead, this.#lease!);
    this.#unsure = false;
    return jids;
  }

  /** Nobody else will: what failed is tried again with the next look. */
  async #lookAfter(): Promise<void> {
    const jids = [...this.#owed];
    if (jids.length === 0) return;
    await this.#options.taken(jids);
    this.#owed = this.#owed.slice(jids.length);
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

  /** Leaves: others take the jobs over at once. */
  async leave(): Promise<void> {
    const { storage } = this.#options;
    this.#until = -Infinity;
    try {
      if (this.#duties !== undefined) await storage.leases.release(this.#duties);
      if (this.#lease !== undefined) await storage.leases.release(this.#lease);
    } catch (error) {
      this.#log.warning("lease not released: others take the jobs of this master over when it lapses", {
        error: messageOf(error),
      });
    }
  }
}
