import { deferred } from "../../base/async/deferred.ts";
import type { EngineContext, EngineModule } from "../../model/loader/engines.ts";
import { isMap, lookup, repr, str } from "../../language/python/values.ts";
import { utf8 } from "../../protocol/wire/utf8.ts";
import { RespReader, type RespValue } from "./resp.ts";
import { tcpAddress } from "./sending.ts";

/** Data of an event for a message of a sentinel. @see salt/engines/redis_sentinel.py Listener.work */
export function sentinelEvent(channel: string, data: string | number): Record<string, unknown> {
  const named = (names: string[], words: string[]) =>
    Object.fromEntries(names.slice(0, words.length).map((name, at) => [name, words[at]]));
  if (typeof data === "number") return { channel, code: data };
  const words = data.split(" ");
  if (channel === "+switch-master") {
    return { channel, ...named(["master", "old_host", "old_port", "new_host", "new_port"], words) };
  }
  if (channel === "+odown" || channel === "-odown") {
    return { channel, ...named(["master", "host", "port"], words.slice(1)) };
  }
  return { channel, data };
}

const command = (...words: string[]) =>
  utf8(`*${words.length}\r\n${words.map((word) => `$${utf8(word).length}\r\n${word}\r\n`).join("")}`);

/** The channel and the data of what a sentinel sends; undefined for an answer to a command. */
function message(value: RespValue): { channel: string; data: string | number } | undefined {
  if (!Array.isArray(value)) return undefined;
  const [kind, ...rest] = value;
  const [channel, data] = kind === "pmessage" ? rest.slice(1) : rest;
  const isKnown = kind === "pmessage" || kind === "psubscribe" || kind === "message" || kind === "subscribe";
  if (!isKnown || typeof channel !== "string" || (typeof data !== "string" && typeof data !== "number")) {
    return undefined;
  }
  return { channel, data };
}

/** The address of a minion of a target. @throws {Error} if none has one */
async function minionAddress({ master }: EngineContext, hosts: unknown): Promise<string> {
  const field = (name: string) => isMap(hosts) ? lookup(hosts, name) : undefined;
  const [matching, face] = [field("matching"), field("interface")];
  if (matching === undefined) throw new TypeError("Cannot use hosts: expected a map with matching, port and interface");
  const found = await master!.command({ tgt: str(matching), fun: "network.ip_addrs", arg: [face ?? null] });
  const addresses = Object.values(found ?? {}).filter(Array.isArray).at(-1);
  if (addresses?.[0] !== undefined) return str(addresses[0]);
  throw new Error(`No minion of ${repr(matching)} has answered with an address of its interface ${repr(face ?? null)}`);
}

/** A connection that is lost is made again at once, unless the one before it was lost so shortly before. */
const LOST_AGAIN_MS = 10_000;

/** Follows the channels until the engine is to end, or the connection is lost. @throws {Error} if there is none, or the server refuses */
async function follow(
  engine: EngineContext,
  to: ReturnType<typeof tcpAddress>,
  { channels, tag, password }: { channels: string[]; tag: string; password: string | undefined },
): Promise<void> {
  const { runtime: { net }, signal, fire, report } = engine;
  const connection = await net.dial(to, { signal });
  const ended = deferred<void>();
  const reader = new RespReader();
  const take = async (value: RespValue) => {
    if (value instanceof Error) throw value;
    const found = message(value);
    if (found !== undefined) await fire(`${tag}/${found.channel}`, sentinelEvent(found.channel, found.data));
  };
  let last = Promise.resolve();
  connection.start({
    onData(chunk) {
      try {
        const values = reader.read(chunk);
        connection.pause();
        for (const value of values) last = last.then(() => take(value));
        last.then(() => connection.resume(), ended.reject);
      } catch (error) {
        ended.reject(error as Error);
      }
    },
    onClose: () => void last.then(ended.resolve, ended.reject),
  });
  report({ sentinel: `${to.host}:${to.port}` });
  signal.addEventListener("abort", () => connection.end(), { once: true });
  if (password !== undefined) connection.write(command("AUTH", password));
  connection.write(command("PSUBSCRIBE", ...channels));
  try {
    await ended.promise;
  } finally {
    connection.destroy();
  }
}

/** Fires an event for each message of the channels of a sentinel of Redis. @see salt/engines/redis_sentinel.py */
export const engine: EngineModule = {
  signature: "hosts, channels, tag=None, password=None",
  doc: "Fires an event for each message of the channels of a sentinel of Redis.",
  unavailable: ({ role }) =>
    role === "master" ? undefined : "it asks minions for the address of the sentinel: configure it on a master",
  async start(engine, { hosts, channels, tag, password }) {
    const port = isMap(hosts) ? lookup(hosts, "port") : undefined;
    const to = tcpAddress(await minionAddress(engine, hosts), port ?? 26379);
    const { runtime: { clock }, log, signal } = engine;
    for (let lostMs = -Infinity; !signal.aborted;) {
      await follow(engine, to, {
        channels: [channels ?? "*"].flat().map(str),
        tag: tag === null ? "salt/engine/redis_sentinel" : str(tag),
        password: password === null ? undefined : str(password),
      });
      if (signal.aborted) return;
      const nowMs = clock.elapsed();
      if (nowMs - lostMs < LOST_AGAIN_MS) {
        throw new Error("The sentinel has closed the connection, twice within seconds");
      }
      lostMs = nowMs;
      log.warning("the sentinel closed the connection: connecting again", { host: to.host, port: to.port });
    }
  },
};
