import type { MasterLink, MasterRequestOptions } from "../loader/context.ts";
import type { MasterConnection } from "./connection.ts";

type Load = Record<string, unknown>;

/** Commands that change the mine, which each master keeps for itself: they go to every master. */
const FOR_ALL: ReadonlySet<unknown> = new Set(["_mine", "_mine_delete", "_mine_flush"]);

/**
 * The masters of a minion, which serves all of them at once. Requests of a job go to the master that sent the job, because
 * each has its own files, pillar and mine. Other requests, and those for a master that is not connected, go to the first
 * that is.
 */
export class Masters {
  readonly #all: MasterConnection[] = [];
  readonly #connected = new Set<MasterConnection>();
  readonly #serving = new Set<MasterConnection>();

  add(connection: MasterConnection): void {
    this.#all.push(connection);
  }

  get all(): readonly MasterConnection[] {
    return this.#all;
  }

  get anyServing(): boolean {
    return this.#serving.size > 0;
  }

  /** True once a master has let the minion in, provided a pillar and handed over missed jobs; it stays true. */
  isServing(connection: MasterConnection): boolean {
    return this.#serving.has(connection);
  }

  markServing(connection: MasterConnection): void {
    this.#serving.add(connection);
  }

  /** Notes that the stream of publications from a master has been opened or lost. */
  markConnected(connection: MasterConnection, isConnected: boolean): void {
    if (isConnected) this.#connected.add(connection);
    else this.#connected.delete(connection);
  }

  /** The master for the requests of a job that the master with that address has sent. */
  of(address?: string): MasterConnection {
    const own = this.#all.find((one) => one.address === address);
    if (own !== undefined && this.#connected.has(own)) return own;
    return this.#all.find((one) => this.#connected.has(one)) ?? own ?? this.#all[0]!;
  }

  /** Sends a load to every master, connected or not. @returns false if no master has received it */
  async sendToAll(load: Load): Promise<boolean> {
    const sent = await Promise.allSettled(this.#all.map(({ requests }) => requests.send(load)));
    return sent.some(({ status }) => status === "fulfilled");
  }

  /** {@link MasterLink.request} for jobs of the master with that address. */
  requester(address?: string): MasterLink["request"] {
    return async (load, how = {}) => {
      if (FOR_ALL.has(load.cmd) && this.#connected.size > 1) {
        return await this.#requestAll(load, how, this.of(address));
      }
      return await this.of(address).request(load, how);
    };
  }

  /** Sends a request to every connected master. Resolves with the reply of `own`, else of the first that succeeded. */
  async #requestAll(load: Load, how: MasterRequestOptions, own: MasterConnection): Promise<unknown> {
    const order = [own, ...[...this.#connected].filter((one) => one !== own)];
    const answers = await Promise.allSettled(order.map((one) => one.request(load, how)));
    for (const answer of answers) if (answer.status === "fulfilled") return answer.value;
    throw (answers[0] as PromiseRejectedResult).reason;
  }
}
