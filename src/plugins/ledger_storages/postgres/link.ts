import type { Clock } from "../../../base/async/clock.ts";
import { SystemError } from "../../../base/errors.ts";
import type { PostgresClient, PostgresRow, Queries, Value } from "../../job_caches/postgres/queries.ts";

/**
 * A connection of which nothing waits for ever: what has no answer in time is given up together with the connection, since nobody
 * knows what it still carries, and the next call makes a new one.
 */
export class PostgresLink implements PostgresClient {
  readonly #connect: () => PostgresClient;
  readonly #clock: Pick<Clock, "after">;
  readonly #timeoutMs: number;
  #client: PostgresClient | undefined;
  #closed = false;

  /** @param timeoutMs from a call to its answer, in milliseconds; transactions as a whole */
  constructor(connect: () => PostgresClient, clock: Pick<Clock, "after">, timeoutMs: number) {
    this.#connect = connect;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  unsafe(sql: string, values?: Value[], options?: { prepare?: boolean }): Promise<PostgresRow[] & { count: number }> {
    return this.#bounded((client) => client.unsafe(sql, values, options));
  }

  begin(work: (queries: Queries) => unknown): Promise<unknown> {
    return this.#bounded((client) => client.begin(work));
  }

  async end(options: { timeout: number }): Promise<void> {
    this.#closed = true;
    const client = this.#client;
    this.#client = undefined;
    await client?.end(options);
  }

  async #bounded<T>(work: (client: PostgresClient) => PromiseLike<T>): Promise<T> {
    if (this.#closed) throw new SystemError("ECLOSED", "Cannot use the cluster's database: it was closed");
    const client = this.#client ??= this.#connect();
    const { promise, reject } = Promise.withResolvers<never>();
    const cancel = this.#clock.after(this.#timeoutMs, () => {
      if (this.#client === client) this.#client = undefined;
      void client.end({ timeout: 0 }).catch(() => {});
      reject(new Error(`CONNECT_TIMEOUT: no answer within ${this.#timeoutMs} ms`));
    });
    try {
      return await Promise.race([work(client), promise]);
    } finally {
      cancel();
    }
  }
}
