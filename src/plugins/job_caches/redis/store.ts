import { loadDriver } from "../../driver.ts";
import { RecentJobs } from "../oldest_jobs.ts";
import { refuseNewerForm, type Remedy, serverFailure } from "../server_failure.ts";
import { WriteBuffer } from "../write_buffer.ts";
import { redisKey, type RedisReply, replyText } from "./replies.ts";

export interface RedisOptions {
  host: string;
  port: number;
  /** A socket on this host instead of host and port. */
  unixSocketPath?: string | undefined;
  user?: string | undefined;
  password?: string | undefined;
  database: number;
  now(): number;
  /** The runtime's class of bytes, `Buffer` of `node:buffer`: the client takes and returns no other. */
  bytes: { from(bytes: Uint8Array): Uint8Array };
}

export type RedisCommand = (string | number | Uint8Array)[];
/** The part of npm's `redis` that is used here. */
interface Client {
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  on(event: "error", listener: (error: unknown) => void): void;
  withTypeMapping(types: Record<number, unknown>): {
    sendCommand(words: (string | Uint8Array)[]): Promise<RedisReply>;
  };
  multi(): Multi;
  close(): Promise<void>;
  destroy(): void;
}
interface Multi {
  addCommand(words: (string | Uint8Array)[]): Multi;
  exec(): Promise<unknown>;
}
interface Driver {
  createClient(options: Record<string, unknown>): Client;
}

/** "Blob string" in the client's table of types. */
const BLOB = 36;
/** The value of `brine:version`; a newer form is refused rather than misread. */
const SCHEMA_VERSION = 1;

const REMEDIES: readonly Remedy[] = [
  [/WRONGPASS|NOAUTH|NOPERM|AUTH/, "EACCES", "check redis.user and redis.password"],
  [/OOM|maxmemory/, "ENOSPC", "raise the server's maxmemory, or lower keep_jobs_seconds or brine_job_cache_bytes"],
  [/MISCONF|No space/i, "ENOSPC", "the server cannot write to its disk: free space there"],
  [/READONLY/, "EROFS", "the server is a replica: name the primary in redis.host"],
  [/LOADING/, "EAGAIN", "the server is still reading its data"],
  [/DB index/, "ENOENT", "check redis.db"],
  [
    /ECONN|ENOENT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN|EPIPE|clos|timeout|disconnect/i,
    "ECONNREFUSED",
    "check that the server runs and can be reached: redis.host and redis.port, or redis.unix_socket_path; the master uses it " +
    "again when it is back",
  ],
];

/** Connects, and checks the form of what is there. */
export async function openRedisStore(options: RedisOptions): Promise<RedisStore> {
  const driver = await loadDriver("redis", "master_job_cache: redis") as Partial<Driver> & { default: Driver };
  const store = new RedisStore(driver.createClient ?? driver.default.createClient, options);
  try {
    const version = await store.run("GET", redisKey("version"));
    if (version === null) await store.run("SET", redisKey("version"), SCHEMA_VERSION);
    else refuseNewerForm(store.place, replyText(version), SCHEMA_VERSION, "redis.db");
  } catch (error) {
    store.destroy();
    throw store.failure(error);
  }
  return store;
}

/** The connection to the server, made again when it was lost, and the writes that are buffered for it. */
export class RedisStore {
  readonly place: string;
  readonly writes: WriteBuffer<RedisCommand>;
  readonly recent = new RecentJobs();
  readonly now: () => number;
  readonly #create: Driver["createClient"];
  readonly #options: RedisOptions;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;

  constructor(create: Driver["createClient"], options: RedisOptions) {
    const { host, port, unixSocketPath, database } = options;
    this.place = unixSocketPath === undefined
      ? `redis://${host}:${port}/${database}`
      : `redis+unix://${unixSocketPath}#${database}`;
    this.now = options.now;
    this.#create = create;
    this.#options = options;
    this.writes = new WriteBuffer((commands) => this.transaction(commands), () => this.recent.clear());
  }

  failure(error: unknown): Error {
    return serverFailure(this.place, error, REMEDIES);
  }

  /** Runs a command beside the buffered writes. */
  async run(...words: RedisCommand): Promise<RedisReply> {
    try {
      const client = await this.#connected();
      return await client.withTypeMapping({ [BLOB]: this.#options.bytes }).sendCommand(this.#encoded(words));
    } catch (error) {
      throw this.failure(error);
    }
  }

  /** Runs a command that sees everything saved before. */
  async read(...words: RedisCommand): Promise<RedisReply> {
    await this.writes.settle();
    return await this.run(...words);
  }

  /** Sends commands as one MULTI. */
  async transaction(commands: readonly RedisCommand[]): Promise<void> {
    try {
      const multi = (await this.#connected()).multi();
      for (const command of commands) multi.addCommand(this.#encoded(command));
      await multi.exec();
    } catch (error) {
      throw this.failure(error);
    }
  }

  async close(): Promise<void> {
    try {
      await this.writes.flush();
      await this.#client?.close();
    } finally {
      if (this.#client?.isReady === true) this.destroy();
    }
  }

  /** Drops the connection without waiting for replies. */
  destroy(): void {
    this.#client?.destroy();
  }

  #encoded(words: RedisCommand): (string | Uint8Array)[] {
    return words.map((word) => word instanceof Uint8Array ? this.#options.bytes.from(word) : String(word));
  }

  /** The open connection, asked for with each command, so that a lost one is made again. */
  #connected(): Promise<Client> {
    if (this.#client?.isReady === true) return Promise.resolve(this.#client);
    return this.#connecting ??= this.#connect().finally(() => this.#connecting = undefined);
  }

  async #connect(): Promise<Client> {
    const { host, port, unixSocketPath, user, password, database } = this.#options;
    this.destroy();
    this.#client = undefined;
    const client = this.#create({
      socket: {
        ...(unixSocketPath === undefined ? { host, port } : { path: unixSocketPath }),
        connectTimeout: 10_000,
        // The next command reconnects: the client's own reconnecting would let a command wait without an error.
        reconnectStrategy: false,
      },
      disableOfflineQueue: true,
      // With 3, a hash would come as an object, whose own properties a minion's name can clash with.
      RESP: 2,
      database,
      ...(user === undefined ? {} : { username: user }),
      ...(password === undefined ? {} : { password }),
    });
    // The command that is waiting fails with it; without a listener the process would end.
    client.on("error", () => {});
    await client.connect();
    return this.#client = client;
  }
}
