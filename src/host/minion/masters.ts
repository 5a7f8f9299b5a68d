import { type Deferred, deferred } from "../../base/async/deferred.ts";
import type { Clock } from "../../base/async/clock.ts";
import { SaltError, TimeoutError } from "../../base/errors.ts";
import type { MasterLink, MasterRequestOptions } from "../../model/loader/family.ts";
import type { MinionOpts } from "../../model/config/minion_opts.ts";
import type { MasterConnection } from "./connection.ts";

type Load = Record<string, unknown>;

/** Masters that one request is sent to, one after the other. */
const MAX_MASTERS = 5;

/** Commands that change the mine, which each master keeps for itself: they go to every master. */
const FOR_ALL: ReadonlySet<unknown> = new Set(["_mine", "_mine_delete", "_mine_flush"]);

/**
 * The masters of a minion, which serves all of them at once, or one of them (`master_type`). Requests of a job go to the master that sent the job, because
 * each has its own files, pillar and mine. Other requests, and those for a master that is not connected, go to the first
 * that is.
 */
export class Masters {
  readonly #all: MasterConnection[] = [];
  readonly #connected = new Set<MasterConnection>();
  readonly #serving = new Set<MasterConnection>();
  readonly #wasConnected = new Set<string>();
  #reconnects = 0;
  readonly #waiting = new Set<Deferred<void>>();
  readonly #clock: Clock;
  readonly #isOne: boolean;

  /** @param isOne only one master is served at a time */
  constructor(clock: Clock, isOne: boolean) {
    this.#clock = clock;
    this.#isOne = isOne;
  }

  add(connection: MasterConnection): void {
    this.#all.push(connection);
  }

  get all(): readonly MasterConnection[] {
    return this.#all;
  }

  /** Masters whose publications arrive. */
  get connected(): number {
    return this.#connected.size;
  }

  /** How often publications were lost and came again. */
  get reconnects(): number {
    return this.#reconnects;
  }

  get anyServing(): boolean {
    return this.#serving.size > 0;
  }

  /**
   * True once a master has let the minion in, provided a pillar and handed over missed jobs. It stays true until the minion
   * leaves that master for another.
   */
  isServing(connection: MasterConnection): boolean {
    return this.#serving.has(connection);
  }

  isConnected(connection: MasterConnection): boolean {
    return this.#connected.has(connection);
  }

  markServing(connection: MasterConnection): void {
    this.#serving.add(connection);
  }

  /** Notes that the stream of publications from a master has been opened or lost. */
  markConnected(connection: MasterConnection, isConnected: boolean): void {
    if (!isConnected) this.#connected.delete(connection);
    else {
      if (!this.#connected.has(connection) && this.#wasConnected.has(connection.address)) this.#reconnects++;
      this.#wasConnected.add(connection.address);
      this.#connected.add(connection);
      for (const waiting of this.#waiting) waiting.resolve();
      this.#waiting.clear();
    }
  }

  /** Notes that the minion has left a master for another. */
  markLeft(connection: MasterConnection): void {
    this.#connected.delete(connection);
    this.#serving.delete(connection);
  }

  /** The master for the requests of a job that the master with that address has sent. @throws {SaltError} if there is none */
  of(address?: string): MasterConnection {
    const own = this.#all.find((one) => one.address === address);
    if (own !== undefined && this.#connected.has(own)) return own;
    const found = [...this.#connected].sort((a, b) => this.#all.indexOf(a) - this.#all.indexOf(b))[0] ?? own ??
      this.#all[0];
    if (found !== undefined) return found;
    throw new SaltError("NO_MASTER", "No master is available: the minion runs without a master (master_type: disable)");
  }

  /** The options as functions see them: of several masters that are served at once, `master` is the one that sent the job. */
  optionsOf(address: string | undefined, opts: MinionOpts): MinionOpts {
    const own = this.#isOne || this.#all.length < 2 ? undefined : this.#all.find((one) => one.address === address);
    return own === undefined ? opts : { ...opts, master: own.host, master_uri: own.address };
  }

  /**
   * Sends a load to every master that serves the minion, and waits for those that are connected. While none is, it is sent to
   * all, or not at all by a minion that serves one master at a time.
   *
   * @returns false if no master has received it
   */
  async sendToAll(load: Load): Promise<boolean> {
    const none = this.#connected.size === 0;
    if (none && this.#isOne) return false;
    const sent: Promise<unknown>[] = [];
    for (const connection of this.#all) {
      const isConnected = this.#connected.has(connection);
      // A master that never let the minion in would keep the load, and all later ones, until it does.
      if (!none && !isConnected && !this.#serving.has(connection)) continue;
      const sending = connection.requests.send(load);
      // A master that is away gets the load if it is back soon; nothing waits for that.
      if (none || isConnected) sent.push(sending);
      else sending.catch(() => {});
    }
    return (await Promise.allSettled(sent)).some(({ status }) => status === "fulfilled");
  }

  /** {@link MasterLink.request} for jobs of the master with that address. */
  requester(address?: string): MasterLink["request"] {
    return async (load, how = {}) => {
      if (FOR_ALL.has(load.cmd) && this.#connected.size > 1) {
        return await this.#requestAll(load, how, this.of(address));
      }
      if (this.#isOne) return await this.#requestOne(load, how, address);
      return await this.of(address).request(load, how);
    };
  }

  /** Sends a request to the master that is served; when the minion leaves that meanwhile, to the next one. */
  async #requestOne(load: Load, how: MasterRequestOptions, address?: string): Promise<unknown> {
    for (let masters = 1;; masters++) {
      if (this.#connected.size === 0) await this.#untilConnected((how.timeoutMs ?? 60_000) * (how.tries ?? 3));
      const master = this.of(address);
      try {
        return await master.request(load, how);
      } catch (error) {
        if (this.#connected.has(master) || masters === MAX_MASTERS) throw error;
      }
    }
  }

  /** Resolves when a master is connected. @throws {TimeoutError} if none is in time */
  async #untilConnected(timeoutMs: number): Promise<void> {
    const waiting = deferred<void>();
    const cancel = this.#clock.after(timeoutMs, () => {
      this.#waiting.delete(waiting);
      waiting.reject(new TimeoutError(`No master has accepted the minion within ${timeoutMs} ms`));
    });
    this.#waiting.add(waiting);
    await waiting.promise.finally(cancel);
  }

  /** Sends a request to every connected master. Resolves with the reply of `own`, else of the first that succeeded. */
  async #requestAll(load: Load, how: MasterRequestOptions, own: MasterConnection): Promise<unknown> {
    const order = [own, ...[...this.#connected].filter((one) => one !== own)];
    const answers = await Promise.allSettled(order.map((one) => one.request(load, how)));
    for (const answer of answers) if (answer.status === "fulfilled") return answer.value;
    throw (answers[0] as PromiseRejectedResult).reason;
  }
}
