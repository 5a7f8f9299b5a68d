import type { MasterLink, MasterRequestOptions } from "../loader/context.ts";
import type { MasterConnection } from "./connection.ts";

type Load = Record<string, unknown>;

/** What every master keeps for itself, so that each has to be told. */
const FOR_ALL: ReadonlySet<unknown> = new Set(["_mine", "_mine_delete", "_mine_flush"]);

/**
 * The masters of a minion, all of which it serves at once. Whatever a job asks for goes to the master that sent the job, as
 * each knows its own files, pillar and mine; where no master sent it, or that one has gone, to the first that is there.
 */
export class Masters {
  readonly #all: MasterConnection[] = [];
  readonly #there = new Set<MasterConnection>();

  add(connection: MasterConnection): void {
    this.#all.push(connection);
  }

  get all(): readonly MasterConnection[] {
    return this.#all;
  }

  /** Tells that a master has let us in and is listened to, or is not any more. */
  mark(connection: MasterConnection, isThere: boolean): void {
    if (isThere) this.#there.add(connection);
    else this.#there.delete(connection);
  }

  /** The master for what a job of that one asks for. */
  of(address?: string): MasterConnection {
    const own = this.#all.find((one) => one.address === address);
    if (own !== undefined && this.#there.has(own)) return own;
    return this.#all.find((one) => this.#there.has(one)) ?? own ?? this.#all[0]!;
  }

  /** Sends to every master, those that are away included. @returns false if none has taken it */
  async tell(load: Load): Promise<boolean> {
    const sent = await Promise.allSettled(this.#all.map(({ requests }) => requests.send(load)));
    return sent.some(({ status }) => status === "fulfilled");
  }

  /** {@link MasterLink.request} of a job of that master. */
  requester(address?: string): MasterLink["request"] {
    return async (load, how = {}) => {
      if (FOR_ALL.has(load.cmd) && this.#there.size > 1) return await this.#spread(load, how, this.of(address));
      return await request(this.of(address), load, how);
    };
  }

  /** Asks every master that is there; the answer is that of one's own, or of another that has taken it. */
  async #spread(load: Load, how: MasterRequestOptions, own: MasterConnection): Promise<unknown> {
    const order = [own, ...[...this.#there].filter((one) => one !== own)];
    const answers = await Promise.allSettled(order.map((one) => request(one, load, how)));
    for (const answer of answers) if (answer.status === "fulfilled") return answer.value;
    throw (answers[0] as PromiseRejectedResult).reason;
  }
}

async function request({ requests }: MasterConnection, load: Load, how: MasterRequestOptions): Promise<unknown> {
  const { private: sealed, ...options } = how;
  return await (sealed ? requests.sendPrivate(load, options) : requests.send(load, options));
}
