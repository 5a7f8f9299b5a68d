import { ConfigError, messageOf, type SaltError } from "../../errors.ts";
import {
  type JobCache,
  type JobListEntry,
  type JobLoad,
  mergeOutcomes,
  type StoredReturn,
  summaryOf,
} from "../../job/job_cache.ts";
import { OUTCOME_STATES, type OutcomeState, succeeded, type TargetOutcome } from "../../job/outcome.ts";
import { decode, encode, type Packed } from "../../wire/msgpack.ts";
import { entryOf, entryText } from "./entry_text.ts";
import { storedWordsOf } from "./search.ts";
import { searchJobs, type SearchStore, type Source } from "./search_store.ts";
import { type Remedy, serverFailure, WriteBuffer } from "./write_buffer.ts";

export interface RedisOptions {
  host: string;
  port: number;
  /** A socket on this host instead of host and port. */
  unixSocketPath?: string;
  user?: string;
  password?: string;
  /** Number of the database. */
  database: number;
  now(): number;
  /** The runtime's class of bytes, `Buffer` of `node:buffer`: the client takes and gives no other. */
  bytes: { from(bytes: Uint8Array): Uint8Array };
}

type Reply = null | number | Uint8Array | Reply[];
/** The part of npm's `redis` that is used here. */
interface Client {
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  on(event: "error", listener: (error: unknown) => void): void;
  withTypeMapping(types: Record<number, unknown>): {
    sendCommand(words: (string | Uint8Array)[]): Promise<Reply>;
  };
  multi(): Multi;
  close(): Promise<void>;
  destroy(): void;
}
interface Multi {
  addCommand(words: (string | Uint8Array)[]): Multi;
  exec(): Promise<unknown>;
}

/** In a variable, so that neither a bundler nor Deno fetches it for those who have another job cache. */
const PACKAGE = "redis";
/** "Blob string" in the client's table of types. */
const BLOB = 36;

/** The value of `brine:version`; a newer form is refused rather than misread. */
const SCHEMA_VERSION = 1;

/**
 * Keys. Sets that are read in order of their members have all scores 0.
 *
 * - of a job: `job` (hash: load, bytes), `target` (hash: source → minions), `ret` (hash: minion → return), `back` (hash:
 *   minion → time and whether it failed), `outcome` (hash: minion → outcome), `words` (set of what it is found under)
 * - of all: `jobs` (jids by time), `entries` (hash: jid → text of the list), `listed`, `open`, `failed` (jids in order),
 *   `state:S` (`jid minion` in order), `word:K:W` (jids in order), `words:K` (words in order), `bytes`
 */
const key = (...parts: string[]) => ["brine", ...parts].join(":");

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
    "see that the server runs and can be reached: redis.host and redis.port, or redis.unix_socket_path; the master goes " +
    "on using it as soon as it is back",
  ],
];

/** Jobs that are removed in one transaction. */
const SLICE = 100;
/** Jobs that are known to have a load. */
const RECENT = 1000;

const utf8 = new TextDecoder();
const text = (reply: Reply) => reply instanceof Uint8Array ? utf8.decode(reply) : String(reply);
const texts = (reply: Reply) => (reply as Reply[]).map(text);
const unpack = (reply: Reply) => decode(reply as Uint8Array, { mode: "bin" });

async function load(): Promise<(options: Record<string, unknown>) => Client> {
  try {
    const found = await import(PACKAGE);
    return found.createClient ?? found.default.createClient;
  } catch (cause) {
    throw new ConfigError(
      `Cannot load "${PACKAGE}" (npm install redis), which master_job_cache: redis needs: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** The set that holds the jids of a source. */
function setOf(source: Source): string {
  switch (source.kind) {
    case "listed":
    case "open":
    case "failed":
      return key(source.kind);
    case "word":
      return key("word", source.of, source.word);
    case "state":
      return key("state", source.state);
  }
}

/**
 * The master's job cache in a Redis server, under keys that begin with `brine:`. What is saved waits for
 * {@link JobCache.flush}, which sends it as one MULTI; whether it then outlives the server's end is for the server's
 * configuration (`appendonly`).
 *
 * @throws {SystemError} naming the server if it cannot be used
 * @throws {ConfigError} if the package `redis` is not installed
 */
export async function openRedisJobCache(options: RedisOptions): Promise<JobCache> {
  const { host, port, unixSocketPath, user, password, database, now, bytes } = options;
  const place = unixSocketPath === undefined
    ? `redis://${host}:${port}/${database}`
    : `redis+unix://${unixSocketPath}#${database}`;
  const createClient = await load();
  const failure = (error: unknown): SaltError => serverFailure(place, error, REMEDIES);

  let client: Client | undefined;
  let connecting: Promise<Client> | undefined;
  /** A connection that stands: asked for with each command, so that one that was lost is made anew. */
  function connected(): Promise<Client> {
    if (client?.isReady === true) return Promise.resolve(client);
    return connecting ??= (async () => {
      client?.destroy();
      client = undefined;
      const fresh = createClient({
        socket: {
          ...(unixSocketPath === undefined ? { host, port } : { path: unixSocketPath }),
          connectTimeout: 10_000,
          // By ourselves, with the next command: one that waits for a server that is gone would wait without a word.
          reconnectStrategy: false,
        },
        disableOfflineQueue: true,
        // With 3, a hash would come as an object, whose names a minion's name can clash with.
        RESP: 2,
        database,
        ...(user === undefined ? {} : { username: user }),
        ...(password === undefined ? {} : { password }),
      });
      // Whoever waits for a command hears of it; without a listener the process would end.
      fresh.on("error", () => {});
      await fresh.connect();
      return client = fresh;
    })().finally(() => connecting = undefined);
  }
  const run = async (...words: (string | number | Uint8Array)[]): Promise<Reply> => {
    try {
      return await (await connected()).withTypeMapping({ [BLOB]: bytes }).sendCommand(words.map(word));
    } catch (error) {
      throw failure(error);
    }
  };
  const word = (one: string | number | Uint8Array) => one instanceof Uint8Array ? bytes.from(one) : String(one);
  type Command = (string | number | Uint8Array)[];
  async function together(commands: readonly Command[]): Promise<void> {
    try {
      const multi = (await connected()).multi();
      for (const command of commands) multi.addCommand(command.map(word));
      await multi.exec();
    } catch (error) {
      throw failure(error);
    }
  }

  try {
    const version = await run("GET", key("version"));
    if (version === null) await run("SET", key("version"), SCHEMA_VERSION);
    else if (Number(text(version)) > SCHEMA_VERSION) {
      throw new ConfigError(
        `Cannot use the job cache at ${place}: it was written by a newer release (form ${
          text(version)
        }, this one knows ` +
          `${SCHEMA_VERSION}): upgrade, or name another database in redis.db`,
      );
    }
  } catch (error) {
    (client as Client | undefined)?.destroy();
    throw failure(error);
  }

  /** Jobs of late that have a load. */
  const recent = new Set<string>();
  /** Reserved here, and without a load so far: whether there is one need not be asked. */
  const fresh = new Set<string>();
  const forget = () => {
    recent.clear();
    fresh.clear();
  };
  const writes = new WriteBuffer<Command>(together, forget);
  const read = async (...words: (string | number | Uint8Array)[]) => {
    await writes.settle();
    return await run(...words);
  };

  const addJob = (jid: string) => writes.push(["ZADD", key("jobs"), "NX", now(), jid]);
  const addBytes = (jid: string, bytes: number) => {
    writes.push(["HINCRBY", key("job", jid), "bytes", bytes]);
    writes.push(["INCRBY", key("bytes"), bytes]);
  };
  const loadOf = async (jid: string) => {
    const reply = await read("HGET", key("job", jid), "load");
    return reply === null ? undefined : unpack(reply) as JobLoad;
  };
  const hasLoad = async (jid: string) => recent.has(jid) || await read("HEXISTS", key("job", jid), "load") === 1;
  const minionsOf = async (jid: string) => {
    const all = new Set<string>();
    for (const reply of await read("HVALS", key("target", jid)) as Reply[]) {
      for (const id of unpack(reply) as string[]) all.add(id);
    }
    return [...all].sort();
  };
  const byMinion = (a: { minion: string }, b: { minion: string }) => a.minion < b.minion ? -1 : 1;
  const outcomesOf = async (jid: string) =>
    (await read("HVALS", key("outcome", jid)) as Reply[]).map((reply) => unpack(reply) as TargetOutcome).sort(byMinion);

  async function remove(jids: readonly string[]): Promise<void> {
    recent.clear();
    const commands: Command[] = [];
    const words = new Map<string, [kind: string, word: string]>();
    for (const jid of jids) {
      const [found, outcomes, bytes] = await Promise.all([
        run("SMEMBERS", key("words", jid)),
        outcomesOf(jid),
        run("HGET", key("job", jid), "bytes"),
      ]);
      for (const one of texts(found)) {
        const [kind, of] = [one.slice(0, one.indexOf(":")), one.slice(one.indexOf(":") + 1)];
        commands.push(["ZREM", key("word", kind, of), jid]);
        words.set(one, [kind, of]);
      }
      for (const { minion, state } of outcomes) commands.push(["ZREM", key("state", state), `${jid} ${minion}`]);
      commands.push(["INCRBY", key("bytes"), bytes === null ? 0 : -Number(text(bytes))]);
      commands.push(["DEL", ...["job", "target", "ret", "back", "outcome", "words"].map((name) => key(name, jid))]);
    }
    commands.push(["HDEL", key("entries"), ...jids]);
    for (const name of ["jobs", "listed", "open", "failed"]) commands.push(["ZREM", key(name), ...jids]);
    await together(commands);
    for (const [kind, of] of words.values()) {
      // Nobody has it any more.
      if (await run("EXISTS", key("word", kind, of)) === 0) await run("ZREM", key("words", kind), of);
    }
  }

  const store: SearchStore = {
    async bounds(fromMs, untilMs) {
      const jids = texts(await read("ZRANGE", key("jobs"), fromMs, untilMs, "BYSCORE")).sort();
      return jids.length === 0 ? undefined : { low: jids[0]!, high: jids.at(-1)! };
    },
    async jids(source, after, oldestFirst, limit) {
      const found = new Set<string>();
      let last = after;
      for (;;) {
        // A member of a state has a minion behind its jid: "!" is above the space between them, below all else.
        const range = oldestFirst
          ? [source.kind === "state" ? `(${last}!` : `(${last}`, "+", "BYLEX"]
          : [`(${last}`, "-", "BYLEX", "REV"];
        const members = texts(await read("ZRANGE", setOf(source), ...range, "LIMIT", 0, limit));
        for (const member of members) {
          const space = member.indexOf(" ");
          found.add(last = space < 0 ? member : member.slice(0, space));
        }
        if (members.length < limit || found.size >= limit) return [...found].slice(0, limit);
      }
    },
    async words(kind, prefix) {
      const [low, high] = prefix === "" ? ["-", "+"] : [`[${prefix}`, `(${prefix}\u{10ffff}`];
      return texts(await read("ZRANGE", key("words", kind), low, high, "BYLEX"));
    },
    async entries(jids, fromMs, untilMs) {
      if (jids.length === 0) return [];
      const [found, times] = await Promise.all([
        read("HMGET", key("entries"), ...jids),
        read("ZMSCORE", key("jobs"), ...jids),
      ]) as [Reply[], Reply[]];
      const entries: JobListEntry[] = [];
      for (const [at, entry] of found.entries()) {
        const time = Number(text(times[at]!));
        if (entry === null || times[at] === null || time < fromMs || time > untilMs) continue;
        const item = JSON.parse(text(entry)) as unknown;
        const load = typeof item === "string" ? await loadOf(item) : undefined;
        entries.push(entryOf(item, () => load));
      }
      return entries;
    },
    async hasOutcome(jid, state) {
      const back = texts(await read("HGETALL", key("back", jid)));
      const returns = [];
      for (let at = 0; at < back.length; at += 2) {
        const [storedMs, failed] = back[at + 1]!.split(" ").map(Number);
        returns.push({ minion: back[at]!, storedMs: storedMs!, retcode: failed, success: true });
      }
      return mergeOutcomes(await minionsOf(jid), await outcomesOf(jid), returns, 0).some((one) => one.state === state);
    },
  };

  return {
    place,
    async reserve(jid) {
      await writes.settle();
      // Not kept back: two masters may share the server.
      const free = await run("ZADD", key("jobs"), "NX", now(), jid) === 1;
      if (fresh.size >= RECENT) fresh.clear();
      if (free) fresh.add(jid);
      return free;
    },
    async saveLoad(jid, load, minions) {
      if (!fresh.delete(jid) && await hasLoad(jid)) {
        writes.push(["HSET", key("target", jid), "", encode(minions, "bin")]);
        writes.push(["ZADD", key("open"), 0, jid]);
        return;
      }
      const summary = summaryOf(load);
      const packed = encode(load, "bin");
      addJob(jid);
      writes.push(["HSETNX", key("job", jid), "load", packed]);
      addBytes(jid, packed.length);
      writes.push(["HSET", key("target", jid), "", encode(minions, "bin")]);
      writes.push(["HSETNX", key("entries"), jid, entryText(jid, summary)]);
      writes.push(["ZADD", key("listed"), 0, jid]);
      writes.push(["ZADD", key("open"), 0, jid]);
      for (const [kind, of] of storedWordsOf(summary)) {
        writes.push(["SADD", key("words", jid), `${kind}:${of}`]);
        writes.push(["ZADD", key("word", kind, of), 0, jid]);
        writes.push(["ZADD", key("words", kind), 0, of]);
      }
      if (recent.size >= RECENT) recent.clear();
      recent.add(jid);
    },
    saveMinions(jid, minions, syndic = "") {
      addJob(jid);
      writes.push(["HSET", key("target", jid), syndic, encode(minions, "bin")]);
    },
    saveReturn(jid, { minion, return: value, retcode, success, out, storedMs }) {
      const isKnown = async () => await run("HEXISTS", key("ret", jid), minion) === 1;
      return writes.once(`${jid} ${minion}`, isKnown, () => {
        const failed = !succeeded(retcode, success);
        const packed = encode({ return: value, retcode, success, out, storedMs }, "bin");
        addJob(jid);
        writes.push(["HSETNX", key("ret", jid), minion, packed]);
        writes.push(["HSETNX", key("back", jid), minion, `${storedMs} ${failed ? 1 : 0}`]);
        if (failed) writes.push(["ZADD", key("failed"), 0, jid]);
        addBytes(jid, packed.length);
      });
    },
    saveOutcomes(jid, outcomes) {
      if (outcomes.length === 0) return;
      addJob(jid);
      const members = outcomes.map(({ minion }) => `${jid} ${minion}`);
      for (const state of OUTCOME_STATES) writes.push(["ZREM", key("state", state), ...members]);
      for (const [at, outcome] of outcomes.entries()) {
        writes.push(["ZADD", key("state", outcome.state), 0, members[at]!]);
        writes.push(["HSET", key("outcome", jid), outcome.minion, encode(outcome, "bin")]);
      }
    },
    settle: (jid) => writes.push(["ZREM", key("open"), jid]),
    load: loadOf,
    hasLoad,
    hasReturn: async (jid, minion) => await read("HEXISTS", key("ret", jid), minion) === 1,
    minions: minionsOf,
    async returns(jid) {
      const found = await read("HGETALL", key("ret", jid)) as Reply[];
      const returns: StoredReturn[] = [];
      for (let at = 0; at < found.length; at += 2) {
        const fields = decode(found[at + 1] as Uint8Array, { mode: "bin", keep: ["return"] }) as
          & Omit<StoredReturn, "minion" | "return">
          & { return: Packed };
        const { retcode, success, out, storedMs } = fields;
        const own = { minion: text(found[at]!), return: fields.return, retcode, success, storedMs: Number(storedMs) };
        returns.push(out === undefined ? own : { ...own, out });
      }
      return returns.sort(byMinion);
    },
    outcomes: outcomesOf,
    unsettled: async () => texts(await read("ZRANGE", key("open"), 0, -1)),
    async inState(state: OutcomeState) {
      const found: { jid: string; outcome: TargetOutcome }[] = [];
      for (const member of texts(await read("ZRANGE", key("state", state), 0, -1))) {
        const [jid, minion] = [member.slice(0, member.indexOf(" ")), member.slice(member.indexOf(" ") + 1)];
        const reply = await run("HGET", key("outcome", jid), minion);
        if (reply !== null) found.push({ jid, outcome: unpack(reply) as TargetOutcome });
      }
      return found;
    },
    list: (search = {}) => searchJobs(store, search),
    async expire(beforeMs) {
      let gone = 0;
      let kept = 0;
      for (;;) {
        const jids = texts(
          await read("ZRANGE", key("jobs"), "-inf", `(${beforeMs}`, "BYSCORE", "LIMIT", kept, SLICE),
        );
        if (jids.length === 0) return gone;
        const settled = await settledOf(jids);
        kept += jids.length - settled.length;
        if (settled.length > 0) await remove(settled);
        gone += settled.length;
      }
    },
    async shrink(bytes) {
      let gone = 0;
      let kept = 0;
      for (;;) {
        let excess = Number(text(await read("GET", key("bytes")) ?? 0)) - bytes;
        if (excess <= 0) return gone;
        const jids = texts(await run("ZRANGE", key("jobs"), kept, kept + SLICE - 1));
        if (jids.length === 0) return gone;
        const settled = await settledOf(jids);
        const going: string[] = [];
        for (const jid of settled) {
          if (excess <= 0) break;
          going.push(jid);
          const size = await run("HGET", key("job", jid), "bytes");
          excess -= size === null ? 0 : Number(text(size));
        }
        if (going.length === 0) kept += jids.length;
        else await remove(going);
        gone += going.length;
      }
    },
    flush: () => writes.flush(),
    async close() {
      try {
        await writes.flush();
        await client?.close();
      } finally {
        if (client?.isReady === true) client.destroy();
      }
    },
  };

  async function settledOf(jids: readonly string[]): Promise<string[]> {
    const open = await run("ZMSCORE", key("open"), ...jids) as Reply[];
    return jids.filter((_jid, at) => open[at] === null);
  }
}
