import { loadDriver } from "../../driver.ts";
import { RecentJobs } from "../oldest_jobs.ts";
import { type Remedy, serverFailure } from "../server_failure.ts";
import { WriteBuffer } from "../write_buffer.ts";
import type { Driver, PostgresClient, PostgresQuery, PostgresRow, ReturnRow, Value, Write } from "./queries.ts";
import { toText } from "./queries.ts";
import { KnownReturns, returnStatements } from "./return_rows.ts";
import { prepareSchema } from "./schema.ts";

export interface PostgresOptions {
  host: string;
  port: number;
  user: string;
  password?: string | undefined;
  database: string;
  now(): number;
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
    "check that the server runs and can be reached: returner.postgres.host and returner.postgres.port; the master uses it " +
    "again when it is back",
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
  const place = `postgres://${user}@${host}:${port}/${database}`;
  const store = new PostgresStore(client, {
    place,
    now: options.now,
    failure: (error) => serverFailure(place, error, REMEDIES),
  });
  try {
    await client.begin((queries) => prepareSchema(queries, store.place));
  } catch (error) {
    await client.end({ timeout: 0 });
    throw store.failure(error);
  }
  return store;
}

interface PostgresStoreOptions {
  /** For errors; without a password. */
  place: string;
  now(): number;
  /** The error to throw for one of the server or the driver. */
  failure(error: unknown): Error;
  /** Statements that a batch begins with, whatever order they were buffered in; each once. @default none is */
  isGuard?(write: Write): boolean;
}

/** Returns that are remembered until they are asked about. */
const MOST_BEATEN = 50_000;
/** How often a transaction is begun again that the server ended because of others; then its failure is thrown. */
const TRIES = 3;
/** Deadlocks and conflicts of transactions: nothing of it was done, and there is nothing wrong with it. */
const AGAIN: ReadonlySet<unknown> = new Set(["40P01", "40001"]);

/** The connection to the server, and the writes that are buffered for it. */
export class PostgresStore {
  readonly place: string;
  readonly writes: WriteBuffer<Write>;
  readonly recent = new RecentJobs();
  readonly known = new KnownReturns((sql, ...values) => this.run(sql, ...values));
  readonly now: () => number;
  /** Returns that another master had stored when they were sent. */
  readonly #beaten = new Set<string>();
  readonly #client: PostgresClient;
  readonly #options: PostgresStoreOptions;

  constructor(client: PostgresClient, options: PostgresStoreOptions) {
    this.place = options.place;
    this.now = options.now;
    this.#client = client;
    this.#options = options;
    this.writes = new WriteBuffer((batch) => this.#save(batch), () => this.recent.clear());
  }

  failure(error: unknown): Error {
    return this.#options.failure(error);
  }

  /** Runs a query beside the buffered writes. */
  async run(sql: string, ...values: Value[]): Promise<PostgresRow[]> {
    try {
      return await this.#client.unsafe(sql, values, { prepare: true });
    } catch (error) {
      throw this.failure(error);
    }
  }

  /** Runs a query that sees everything saved before. */
  async read(sql: string, ...values: Value[]): Promise<PostgresRow[]> {
    await this.writes.settle();
    return await this.run(sql, ...values);
  }

  /** All are sent at once; the first that fails undoes the others. */
  async transaction(batch: readonly PostgresQuery[]): Promise<PostgresRow[][]> {
    for (let tries = 1;; tries++) {
      try {
        return await this.#client.begin((queries) =>
          Promise.all(batch.map(([sql, ...values]) => queries.unsafe(sql, values, { prepare: true })))
        ) as PostgresRow[][];
      } catch (error) {
        if (tries < TRIES && AGAIN.has((error as { code?: unknown }).code)) continue;
        throw this.failure(error);
      }
    }
  }

  /** Guards first, then the rest in order, then all returns together: they need nothing of what is between them. */
  async #save(batch: readonly Write[]): Promise<void> {
    const guards = new Set<PostgresQuery>();
    const others: PostgresQuery[] = [];
    const returns: ReturnRow[] = [];
    for (const write of batch) {
      if (!Array.isArray(write)) returns.push(write as ReturnRow);
      else if (this.#options.isGuard?.(write as unknown as PostgresQuery) === true) {
        guards.add(write as unknown as PostgresQuery);
      } else others.push(write as unknown as PostgresQuery);
    }
    const inserts = returnStatements(returns, this.now());
    const statements = [...guards, ...others, ...inserts];
    // One statement is a transaction by itself, and needs one turn instead of three.
    const results = statements.length === 1 ? [await this.run(...statements[0]!)] : await this.transaction(statements);
    for (const { jid, minion } of inserts.length === 0 ? [] : results.slice(-inserts.length).flat()) {
      if (this.#beaten.size >= MOST_BEATEN) this.#beaten.delete(this.#beaten.values().next().value!);
      this.#beaten.add(`${jid} ${minion}`);
    }
  }

  /** True once for a return that was sent, and that another master had stored before. */
  takeBeaten(jid: string, minion: string): boolean {
    return this.#beaten.size > 0 && this.#beaten.delete(`${toText(jid)} ${toText(minion)}`);
  }

  async close(): Promise<void> {
    try {
      await this.writes.flush();
    } finally {
      await this.#client.end({ timeout: 5 });
    }
  }
}
