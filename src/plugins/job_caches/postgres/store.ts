import { loadDriver } from "../../driver.ts";
import { RecentJobs } from "../recent_jobs.ts";
import { type Remedy, serverFailure } from "../server_failure.ts";
import { WriteBuffer } from "../write_buffer.ts";
import type { Queries, Query, Row, Value } from "./queries.ts";
import { prepareSchema } from "./schema.ts";

export interface PostgresOptions {
  host: string;
  port: number;
  user: string;
  password?: string;
  database: string;
  now(): number;
}

/** The part of npm's `postgres` that is used here. */
interface Client extends Queries {
  begin(work: (queries: Queries) => unknown): Promise<unknown>;
  end(options: { timeout: number }): Promise<void>;
}
interface Driver {
  default(options: Record<string, unknown>): Client;
}

const REMEDIES: readonly Remedy[] = [
  [/28P01|28000|password|authentication/i, "EACCES", "check returner.postgres.user and returner.postgres.passwd"],
  [/3D000/, "ENOENT", "create the database that returner.postgres.db names"],
  [/42501|permission denied/i, "EACCES", "the user must own its tables or be allowed to create them"],
  [/53100|No space left/i, "ENOSPC", "free space on the server's disk"],
  [/53300|too many/i, "EAGAIN", "raise the server's max_connections"],
  [/25006|read-only/i, "EROFS", "the server takes no writes: name the primary in returner.postgres.host"],
  [
    /ECONN|CONNECTION|CONNECT_TIMEOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN|57P0|EPIPE/i,
    "ECONNREFUSED",
    "see that the server runs and can be reached: returner.postgres.host and returner.postgres.port; the master goes " +
    "on using it as soon as it is back",
  ],
];

/** Connects, and makes the tables if they are missing. */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const { host, port, user, password, database } = options;
  const { default: connect } = await loadDriver("postgres", "master_job_cache: postgres") as Driver;
  const client = connect({
    host,
    port,
    username: user,
    password: password ?? "",
    database,
    // One connection keeps everything in order.
    max: 1,
    connect_timeout: 10,
    // A server that is back is used at once.
    backoff: () => 0.1,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: "brine" },
  });
  const store = new PostgresStore(client, options);
  try {
    await client.begin((queries) => prepareSchema(queries, store.place));
  } catch (error) {
    await client.end({ timeout: 0 });
    throw store.failure(error);
  }
  return store;
}

/** The connection to the server, and the writes that are buffered for it. */
export class PostgresStore {
  readonly place: string;
  readonly writes: WriteBuffer<Query>;
  readonly recent = new RecentJobs();
  readonly now: () => number;
  readonly #client: Client;

  constructor(client: Client, { host, port, user, database, now }: PostgresOptions) {
    this.place = `postgres://${user}@${host}:${port}/${database}`;
    this.now = now;
    this.#client = client;
    this.writes = new WriteBuffer((batch) => this.transaction(batch), () => this.recent.clear());
  }

  failure(error: unknown): Error {
    return serverFailure(this.place, error, REMEDIES);
  }

  /** Runs a query beside the buffered writes. */
  async run(sql: string, ...values: Value[]): Promise<Row[]> {
    try {
      return await this.#client.unsafe(sql, values, { prepare: true });
    } catch (error) {
      throw this.failure(error);
    }
  }

  /** Runs a query that sees everything saved before. */
  async read(sql: string, ...values: Value[]): Promise<Row[]> {
    await this.writes.settle();
    return await this.run(sql, ...values);
  }

  /** All are sent at once; the first that fails undoes the others. */
  async transaction(batch: readonly Query[]): Promise<void> {
    try {
      await this.#client.begin((queries) =>
        Promise.all(batch.map(([sql, ...values]) => queries.unsafe(sql, values, { prepare: true })))
      );
    } catch (error) {
      throw this.failure(error);
    }
  }

  async close(): Promise<void> {
    try {
      await this.writes.flush();
    } finally {
      await this.#client.end({ timeout: 5 });
    }
  }
}
