import { codeOf, ConfigError, messageOf, SaltError } from "../../base/errors.ts";
import type { ReturnerContext, ReturnerModule } from "../../model/loader/family.ts";
import type { Logger } from "../../base/log.ts";
import { truthy } from "../../language/python/values.ts";
import { loadDriver } from "../driver.ts";
import { Connections } from "./connections.ts";
import { fromJson, toJson } from "./json.ts";
import { numberOption, returnerKeepSeconds, returnerOptions } from "./options.ts";

/** The part of npm's `redis` that is used here. */
interface Pipeline {
  hSet(key: string, field: string, value: string): Pipeline;
  expire(key: string, seconds: number): Pipeline;
  set(key: string, value: string, options?: { EX: number }): Pipeline;
  sAdd(key: string, member: string): Pipeline;
  xAdd(
    key: string,
    id: "*",
    fields: Record<string, string>,
    options: { TRIM: { strategy: "MAXLEN"; strategyModifier: "~"; threshold: number } },
  ): Pipeline;
  exec(): Promise<unknown>;
}
interface Client {
  readonly isOpen: boolean;
  on(event: "error", handler: (error: unknown) => void): void;
  connect(): Promise<unknown>;
  close(): Promise<unknown>;
  multi(): Pipeline;
  get(key: string): Promise<string | null>;
  mGet(keys: string[]): Promise<(string | null)[]>;
  hGetAll(key: string): Promise<Record<string, string>>;
  scanIterator(options: { MATCH: string; COUNT: number }): AsyncIterable<string | string[]>;
}
interface Driver {
  createClient(options: Record<string, unknown>): Client;
}

const CONNECT_MS = 10_000;
/** Keys asked for at once. */
const PAGE = 500;

interface Place {
  /** As errors name it: without the password. */
  name: string;
  socket: Record<string, unknown>;
  database: number;
  username: string | undefined;
  password: string | undefined;
  /** Seconds that keys live; 0 for ever. */
  ttl: number;
  /** The stream of events, and about how many it holds. */
  stream: string;
  streamLength: number;
}

function placeOf(context: ReturnerContext): Place {
  const options = returnerOptions(context, "redis", {
    host: "salt" as unknown,
    port: 6379 as unknown,
    unix_socket_path: undefined as unknown,
    db: "0" as unknown,
    username: undefined as unknown,
    password: undefined as unknown,
    cluster_mode: false as unknown,
    ttl: undefined as unknown,
    event_stream: "salt:events" as unknown,
    event_stream_length: 100_000 as unknown,
  });
  if (truthy(options.cluster_mode)) {
    throw new TypeError("Cannot use Redis with redis.cluster_mode: only single servers are supported");
  }
  const port = numberOption("redis.port", options.port);
  const path = options.unix_socket_path === undefined ? undefined : String(options.unix_socket_path);
  const text = (value: unknown) => value === undefined ? undefined : String(value);
  return {
    name: path ?? `${options.host}:${port}`,
    socket: path === undefined ? { host: String(options.host), port } : { path },
    database: numberOption("redis.db", options.db),
    username: text(options.username),
    password: text(options.password),
    ttl: options.ttl === undefined ? returnerKeepSeconds(context.opts) : numberOption("redis.ttl", options.ttl),
    stream: String(options.event_stream),
    streamLength: numberOption("redis.event_stream_length", options.event_stream_length),
  };
}

async function connect(load: () => Promise<unknown>, place: Place, log: Logger): Promise<Client> {
  const { createClient } = await load() as Driver;
  const { socket, database, username, password } = place;
  const client = createClient({
    // The next return reconnects, and fails if that fails.
    socket: { ...socket, connectTimeout: CONNECT_MS, reconnectStrategy: false },
    database,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  });
  // Without a listener a lost connection would end the process.
  client.on("error", (error) => log.debug("redis connection lost", { at: place.name, error: messageOf(error) }));
  await client.connect();
  return client;
}

/** Publications newest first, in pages. */
async function* publications(
  use: <T>(work: (client: Client) => Promise<T>) => Promise<T>,
): AsyncIterable<[string, Record<string, unknown>]> {
  const keys = await use(async (client) => {
    const found = new Set<string>();
    // A scan may return a key twice, and in no order.
    for await (const some of client.scanIterator({ MATCH: "load:*", COUNT: PAGE })) {
      for (const key of [some].flat()) found.add(key);
    }
    return [...found].sort().reverse();
  });
  for (let at = 0; at < keys.length; at += PAGE) {
    const page = keys.slice(at, at + PAGE);
    const texts = await use((client) => client.mGet(page));
    for (const [index, text] of texts.entries()) {
      // Null if it has expired since the scan.
      if (text !== null) yield [page[index]!.slice("load:".length), fromJson(text) as Record<string, unknown>];
    }
  }
}

/**
 * Writes returns under the keys that Salt's own returner uses: the hash `ret:<jid>`, `load:<jid>`, `<id>:<fun>` for the
 * last job of each function, and the set `minions`. Options: `redis.host`, `.port`, `.db`, `.username`, `.password`,
 * `.unix_socket_path`; `.ttl` in seconds, by default Salt's `keep_jobs_seconds`. Events of a master go into the stream
 * `redis.event_stream`, which keeps about the latest `redis.event_stream_length`.
 *
 * @see salt/returners/redis_return.py
 */
export function redisReturner(load: () => Promise<unknown> = () => loadDriver("redis", "the returner redis")): Required<
  Pick<ReturnerModule, "fromJob" | "returner" | "saveLoad" | "getLoad" | "getJid" | "getJids" | "eventReturn" | "close">
> {
  const connections = new Connections<Place, Client>({
    connect: (place, context) => connect(load, place, context.log),
    isOpen: (client) => client.isOpen,
    close: (client) => client.close(),
  });

  async function use<T>(context: ReturnerContext, work: (client: Client, place: Place) => Promise<T>): Promise<T> {
    const place = placeOf(context);
    try {
      return await connections.use(context, place, (client) => work(client, place));
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      const reason = messageOf(error) || codeOf(error);
      throw new SaltError("REDIS", `Cannot use Redis at ${place.name}, database ${place.database}: ${reason}`, {
        cause: error,
      });
    }
  }

  return {
    fromJob: ["ttl"],
    async returner(context, ret) {
      const { id, jid, fun } = ret;
      await use(context, async (client, { ttl }) => {
        const pipeline = client.multi().hSet(`ret:${jid}`, String(id), toJson(ret));
        if (ttl > 0) pipeline.expire(`ret:${jid}`, ttl);
        for (const name of [fun].flat()) pipeline.set(`${id}:${name}`, String(jid), ttl > 0 ? { EX: ttl } : undefined);
        await pipeline.sAdd("minions", String(id)).exec();
      });
    },
    async saveLoad(context, jid, load, minions) {
      // Salt's own returner does not save the minions, but reads them under this name.
      const text = toJson({ ...load, Minions: minions });
      await use(context, async (client, { ttl }) => {
        await client.multi().set(`load:${jid}`, text, ttl > 0 ? { EX: ttl } : undefined).exec();
      });
    },
    async getLoad(context, jid) {
      const text = await use(context, (client) => client.get(`load:${jid}`));
      return text === null ? undefined : fromJson(text) as Record<string, unknown>;
    },
    async getJid(context, jid) {
      const all = await use(context, (client) => client.hGetAll(`ret:${jid}`));
      return Object.fromEntries(
        Object.entries(all).map(([minion, text]) => [minion, fromJson(text) as { return: unknown }]),
      );
    },
    getJids: (context) => publications((work) => use(context, work)),
    async eventReturn(context, { id, events, again }) {
      const master = String(context.opts.id ?? "");
      await use(context, async (client, { stream, streamLength }) => {
        // Written together with the events: it says what was stored last.
        const place = `${stream}:last:${master}`;
        if (again && await client.get(place) === id) return;
        const TRIM = { strategy: "MAXLEN", strategyModifier: "~", threshold: streamLength } as const;
        const pipeline = client.multi();
        for (const event of events) {
          const fields = { id: event.id, master, tag: event.tag, data: toJson(event.data) };
          pipeline.xAdd(stream, "*", fields, { TRIM });
        }
        await pipeline.set(place, id).exec();
      });
    },
    close: () => connections.close(),
  };
}

export const returner: ReturnerModule = redisReturner();
