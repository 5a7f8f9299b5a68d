import type { Clock } from "../../../base/async/clock.ts";
import type { Lease, LedgerStorage } from "../../../feature/cluster/storage.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import { ConfigError, messageOf, SystemError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { Crypto } from "../../../runtime/crypto.ts";

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
  /** The last life of this master that is known: its lease may not have lapsed yet. @default "" */
  previous?: string;
  /** Lives of other masters with this id, and when each was first seen, by the even clock: they outlast the attempts to begin. */
  rivals?: Map<string, number>;
  /** A job of a master that is gone is this one's from now on. Called again if it rejects. */
  taken(jid: string): Promise<void>;
  /** Jobs were taken; all of them, or as many as could be read. */
  inherited(): void;
  /** Own jobs of the storage that this master has no record of: {@link MembershipOptions.taken} is called with them. */
  strangers(): Promise<readonly string[]>;
  /** Another master is gone. */
  gone(life: string): void;
  /** This master has a new lease: other masters may decide on its previous jobs. */
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
  readonly #owed = new Set<string>();
  /** A takeover was asked for, and no answer came: jobs may be this master's without its knowledge. */
  #unsure = false;
  #inheriting: Promise<void> | undefined;
  #hasFailedToInherit = false;
  #left = false;

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

  /** Of two masters with the same id, the one that has begun first stays. */
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
    // The lease of a killed master has expired by then.
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
   * Renews the lease, and looks who else is gone. To be called several times within the seconds of a lease: jobs of others are taken over
   * beside it, however long that takes.
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

  /** Looks after the jobs of masters that are gone. What fails is tried again with the next look. */
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

  /** @param lease under which it began: what is taken belongs to it, and is nothing to a later one */
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
    // Jobs from before the cluster.
    if (clock.elapsed() - this.#orphansAt >= 60_000) {
      const orphans = await this.#take("", lease);
      if (!this.#isUnder(lease)) return;
      if (orphans !== undefined) this.#orphansAt = clock.elapsed();
      this.#owe(orphans ?? []);
    }
    await this.#lookAfter(lease);
  }

  /** False after a new lease, or while this master leaves. */
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

  /** Nobody else will. One at a time: a job that cannot be read now is the last of the next look, and holds up no other. */
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

  /** Leaves: others take the jobs over at once. */
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
