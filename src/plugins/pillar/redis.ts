import { codeOf, ConfigError, messageOf } from "../../base/errors.ts";
import type { ExtPillar, PillarContext } from "../../model/loader/ext_pillar.ts";
import { InvalidArgumentsError } from "../../model/loader/family.ts";
import { isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { parseOrderedJson } from "../../language/python/json.ts";
import { loadDriver } from "../driver.ts";

/** The part of npm's `redis` that is used here. */
interface Client {
  on(event: "error", handler: (error: unknown) => void): void;
  connect(): Promise<unknown>;
  destroy(): void;
  sendCommand(words: string[]): Promise<unknown>;
}
type Driver = { createClient(options: Record<string, unknown>): Client };
type Command = (...words: string[]) => Promise<unknown>;

const CONNECT_MS = 10_000;
/** Time that a command may take. */
const LIMIT_MS = 30_000;
/** The most bytes of a text, and the most items of anything else. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ITEMS = 1_000_000;

/** Type → how many it has, and how all are read. */
const TYPES: Record<string, { size: string; most: number; read: (key: string) => string[] }> = {
  string: { size: "STRLEN", most: MAX_BYTES, read: (key) => ["GET", key] },
  hash: { size: "HLEN", most: MAX_ITEMS, read: (key) => ["HGETALL", key] },
  list: { size: "LLEN", most: MAX_ITEMS, read: (key) => ["LRANGE", key, "0", "-1"] },
  set: { size: "SCARD", most: MAX_ITEMS, read: (key) => ["SMEMBERS", key] },
  zset: { size: "ZCARD", most: MAX_ITEMS, read: (key) => ["ZRANGE", key, "0", "-1"] },
};

/** The value of a key; undefined if there is none, or one of a type that pillar cannot have. */
async function valueOf(command: Command, key: string): Promise<unknown> {
  const type = str(await command("TYPE", key));
  if (!Object.hasOwn(TYPES, type)) return undefined;
  const { size, most, read } = TYPES[type]!;
  const found = Number(await command(size, key));
  if (found > most) {
    throw new Error(`Cannot use the key "${key}": it has ${found} ${type === "string" ? "bytes" : "items"}`);
  }
  const value = await command(...read(key));
  if (type !== "hash") return value;
  const flat = value as unknown[];
  return new Map(flat.flatMap((field, at) => at % 2 === 0 ? [[field, flat[at + 1]] as const] : []));
}

/** The functions that a configuration names: what is at the key that is the minion's id, as it is or as JSON. */
const FUNCTIONS: Record<string, (command: Command, id: string, key: unknown) => Promise<unknown>> = {
  async key_value(command, id, key = "redis_pillar") {
    const value = await valueOf(command, id);
    return value === undefined ? {} : new Map([[key, value]]);
  },
  async key_json(command, id, key = null) {
    if (Number(await command("STRLEN", id)) > MAX_BYTES) throw new Error(`Cannot use the key "${id}": it is too large`);
    const text = await command("GET", id);
    if (typeof text !== "string" || text === "") return {};
    let data: unknown;
    try {
      data = parseOrderedJson(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new Error(`Cannot use the key "${id}": it is not JSON`, { cause: error });
    }
    if (truthy(key)) return new Map([[key, data]]);
    return isMap(data) ? data : new Map([["redis_pillar", data]]);
  },
};

async function withClient<T>({ opts, log }: PillarContext, use: (command: Command) => Promise<T>): Promise<T> {
  const option = (name: string) => opts[`redis.${name}`] ?? (isMap(opts.redis) ? lookup(opts.redis, name) : undefined);
  const [host, port] = [str(option("host") ?? "salt"), Number(option("port") ?? 6379)];
  const { createClient } = await loadDriver("redis", "the external pillar redis") as Driver;
  const client = createClient({
    // The older form of replies has hashes as lists, which keep their order.
    RESP: 2,
    socket: { host, port, connectTimeout: CONNECT_MS, reconnectStrategy: false, socketTimeout: LIMIT_MS },
    database: Number(option("db") ?? 0),
    ...truthy(option("password") ?? null) ? { password: str(option("password")) } : {},
  });
  // Without a listener a lost connection would end the process.
  client.on("error", (error) => log.debug("redis connection lost", { host, port, error: messageOf(error) }));
  try {
    await client.connect();
    return await use((...words) => client.sendCommand(words));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new Error(`Cannot use Redis at ${host}:${port}: ${messageOf(error) || codeOf(error)}`, { cause: error });
  } finally {
    client.destroy();
  }
}

/**
 * What Redis has at the key that is the minion's id. `function: key_value` takes any type, under `pillar_key`; `key_json` a text of
 * JSON. Options: `redis.host`, `.port`, `.db`, `.password`.
 *
 * @see salt/pillar/redismod.py
 */
export const pillar: ExtPillar = {
  signature: "function, pillar_key=None, **kwargs",
  async run(context, { function: name, pillar_key: key, kwargs }) {
    const [unknown] = Object.keys(kwargs as object);
    if (unknown !== undefined) {
      throw new InvalidArgumentsError(`Cannot use ${unknown}: expected function or pillar_key`);
    }
    const work = Object.hasOwn(FUNCTIONS, str(name)) ? FUNCTIONS[str(name)]! : undefined;
    if (work === undefined) {
      context.log.error("redis: no such function", {
        function: str(name),
        available: Object.keys(FUNCTIONS).join(", "),
      });
      return {};
    }
    return await withClient(context, (command) => work(command, context.id, key ?? undefined));
  },
};
