import type { Clock } from "../../../base/async/clock.ts";
import type { LedgerStorage } from "../../../feature/cluster/storage.ts";
import { ConfigError, messageOf, type SaltError } from "../../../base/errors.ts";
import type { Driver, PostgresClient, PostgresRow, Value } from "../../job_caches/postgres/queries.ts";
import { type Remedy, serverFailure } from "../../job_caches/server_failure.ts";
import { loadDriver } from "../../driver.ts";
import { PostgresLink } from "./link.ts";

export interface PostgresLedgerOptions {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  clock: Clock;
  /** Bytes as hexadecimal digits, as fast as the runtime can. */
  hex(bytes: Uint8Array): string;
  /** From a call to its answer, in milliseconds. @default 5000 */
  timeoutMs?: number;
  /** Connects with TLS and checks the server's name and certificate: PEM texts. @default no TLS */
  tls?: { ca?: string; cert?: string; key?: string };
}

const REMEDIES: readonly Remedy[] = [
  [/28P01|28000|password|authentication/i, "EACCES", "check user and password of cluster: postgres"],
  [/3D000/, "ENOENT", "create the database that cluster: postgres names"],
  [
    /42501|permission denied/i,
    "EACCES",
    "the user of cluster: postgres must own its tables or be allowed to create them",
  ],
  [/53100|No space left/i, "ENOSPC", "free space on the server's disk"],
  [/53300|too many/i, "EAGAIN", "raise the server's max_connections: each master has two"],
  [/25006|read-only/i, "EROFS", "the server takes no writes: name the primary in cluster: postgres"],
  [/CERT|certificate|TLS|SSL/i, "ETLS", "check cluster: tls and the server's certificate"],
  [
    /ECONN|CONNECTION|CONNECT_TIMEOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN|57P0|57014|25P03|55P03|EPIPE/i,
    "ECONNREFUSED",
    "check that the server of cluster: postgres runs and can be reached; the master continues when it is back",
  ],
];

interface Address {
  host: string;
  port: number;
  username: string;
  password: string;
  database: string;
}

/** @throws {ConfigError} naming what is wrong, never the password */
export function serverAddress(url: string): Address {
  const refuse = (what: string): never => {
    throw new ConfigError(
      `Cannot use cluster: postgres: ${what}; expected postgres://user:password@host:5432/database`,
    );
  };
  if (!/^postgres(?:ql)?:\/\//.test(url)) refuse("it is not an address of a PostgreSQL server");
  if (!URL.canParse(url)) refuse("it is not a URL (one host, and a password with its special characters as %XX)");
  const { hostname, port, username, password, pathname, search } = new URL(url);
  if (hostname === "") refuse("it names no host");
  if (username === "") refuse("it names no user");
  if (search !== "") refuse(`it has options behind the database ("${search.split("=")[0]}")`);
  const database = decodeURIComponent(pathname.slice(1));
  if (database === "" || database.includes("/")) refuse("it names no database");
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? 5432 : Number(port),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database,
  };
}

/** The server that masters share, by two connections of each: jobs do not hold up leases. */
export class LedgerServer {
  readonly place: string;
  readonly clock: Clock;
  readonly jobs: PostgresClient;
  readonly hex: (bytes: Uint8Array) => string;
  state: LedgerStorage["state"];
  readonly #client: PostgresClient;

  constructor(driver: Driver, options: PostgresLedgerOptions) {
    const { clock, timeoutMs = 5000, tls, url } = options;
    const address = serverAddress(url);
    this.place = `postgres://${address.username}@${address.host}:${address.port}/${address.database}`;
    this.clock = clock;
    this.hex = options.hex;
    this.state = { usable: true, sinceMs: clock.elapsed() };
    const connect = () =>
      driver.default({
        ...address,
        // One connection keeps everything in order.
        max: 1,
        connect_timeout: timeoutMs / 1000,
        // A server that is back is used at once.
        backoff: () => 0.1,
        fetch_types: false,
        onnotice: () => {},
        ...(tls === undefined ? {} : { ssl: { ...tls, servername: address.host, rejectUnauthorized: true } }),
        connection: {
          application_name: "brine",
          default_transaction_isolation: "read committed",
          // An answer that comes later than we wait is of no use, and a master that was stopped in the middle must not hold locks.
          statement_timeout: timeoutMs,
          lock_timeout: timeoutMs,
          idle_in_transaction_session_timeout: timeoutMs,
        },
      });
    this.jobs = this.#noting(new PostgresLink(connect, clock, timeoutMs));
    this.#client = this.#noting(new PostgresLink(connect, clock, timeoutMs));
  }

  failure(error: unknown): SaltError {
    return serverFailure(this.place, error, REMEDIES, "cluster's database");
  }

  /** One statement, which is a transaction. */
  async run(sql: string, ...values: Value[]): Promise<PostgresRow[]> {
    try {
      return await this.#client.unsafe(sql, values, { prepare: true });
    } catch (error) {
      throw this.failure(error);
    }
  }

  async transaction<T>(
    work: (run: (sql: string, ...values: Value[]) => Promise<PostgresRow[]>) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#client.begin((queries) =>
        work(async (sql, ...values) => await queries.unsafe(sql, values, { prepare: true }))
      ) as T;
    } catch (error) {
      throw this.failure(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.end({ timeout: 1 }), this.jobs.end({ timeout: 1 })]);
  }

  /** The same, and {@link LedgerServer.state} follows what becomes of each call. */
  #noting(client: PostgresClient): PostgresClient {
    const noted = async <T>(work: PromiseLike<T>): Promise<T> => {
      try {
        const result = await work;
        this.#note(undefined);
        return result;
      } catch (error) {
        // The server has answered, if only to refuse: that says nothing of others.
        const { errno } = this.failure(error) as { errno?: string };
        if (errno === "ECONNREFUSED" || errno === "EACCES" || errno === "EROFS" || errno === "ENOSPC") {
          this.#note(messageOf(this.failure(error)));
        }
        throw error;
      }
    };
    return {
      unsafe: (...args) => noted(client.unsafe(...args)),
      begin: (work) => noted(client.begin(work)),
      end: (options) => client.end(options),
    };
  }

  #note(reason: string | undefined): void {
    if (this.state.usable === (reason === undefined)) return;
    const sinceMs = this.clock.elapsed();
    this.state = reason === undefined ? { usable: true, sinceMs } : { usable: false, sinceMs, reason };
  }
}

/** @throws {ConfigError} if the package `postgres` is not installed, or the address cannot be used */
export async function connectLedgerServer(options: PostgresLedgerOptions): Promise<LedgerServer> {
  serverAddress(options.url);
  return new LedgerServer(await loadDriver("postgres", "cluster: postgres") as Driver, options);
}
