/** The engines `stalekey`, `test` and `redis_sentinel`: they do what those of real Salt did, which `tests/vectors/engine_runs.json` has. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import { engine as redisSentinel } from "../../../src/plugins/engines/redis_sentinel.ts";
import { engine as stalekey } from "../../../src/plugins/engines/stalekey.ts";
import { engine as testEngine } from "../../../src/plugins/engines/test.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { decode, encode, Float } from "../../../src/protocol/wire/msgpack.ts";
import {
  BEGINS,
  PASSWORD,
  REDIS_CASES,
  type RedisCase,
  STALE_CASES,
  type StaleCase,
  TEST_EVENTS,
} from "../../interop/automation/engine_cases.ts";
import { engineSite } from "../../support/engine_site.ts";
import { FakeClock } from "../../support/fake_clock.ts";

type Fields = Record<string, unknown>;
type Events = [string, Fields][];
interface Round {
  keys: string[];
  presence: Record<string, number>;
  log: string[];
}

const recorded = JSON.parse(
  readFileSync(new URL("../../vectors/engine_runs.json", import.meta.url), "utf8"),
) as {
  stalekey: Record<string, { rounds: Round[] }>;
  test: { level: string; line: string }[];
  redis_sentinel: Record<string, { said: Fields[]; octets?: string; events: Events }>;
  failover: { octets: string; events: Events };
};

/** Where ours does something else on purpose, as `docs/internals/engines.md` says. */
const DIFFERENT: Record<string, Round[]> = {
  "a name that is a pattern": [{
    keys: ["web1", "web2"],
    presence: { web1: BEGINS, web2: BEGINS - 10 },
    log: ["Removing stale key for web[12]"],
  }],
  "without a key": [0, 60, 120].map((later) => ({ keys: ["web1"], presence: { web1: BEGINS + later }, log: [] })),
};

async function staleRounds({ settings = {}, before, rounds }: StaleCase): Promise<Round[]> {
  const clock = new FakeClock(BEGINS * 1000);
  const { crypto } = await currentRuntime();
  const runtime = memoryRuntime({ clock, crypto });
  runtime.fs.mkdir("/cache");
  const file = "/cache/presence.p";
  if (before !== undefined) {
    const times = new Map(Object.entries(before).map(([id, ago]) => [id, new Float(BEGINS - ago)]));
    runtime.fs.write(file, encode(times, "bin"));
    runtime.fs.utimes(file, clock.now(), clock.now());
  }
  const [keys, all]: [Set<string>, Round[]] = [new Set(rounds[0]!.accept), []];
  await using here = await engineSite({
    runtime,
    opts: { cachedir: "/cache", minion_data_cache: true },
    master: {
      accepted: () => Promise.resolve([...keys]),
      connected: () => Promise.resolve(rounds[all.length]?.connected ?? []),
      wheel(fun, arg) {
        assert.equal(fun, "key.delete_dict");
        for (const id of (arg as [{ minions: string[] }])[0].minions) keys.delete(id);
        return Promise.resolve({});
      },
    },
  });
  void here.start(stalekey, settings);
  const interval = settings.interval ?? 3600;
  while (all.length < rounds.length) {
    await clock.waiting(interval * 1000);
    const { records } = here.captured;
    all.push({
      keys: [...keys].sort(),
      presence: JSON.parse(JSON.stringify(decode(runtime.fs.read(file), { mode: "bin" }))),
      log: records.splice(0).filter(({ level }) => level === "info").map(({ fields }) =>
        `Removing stale key for ${fields.minion}`
      ),
    });
    for (const id of rounds[all.length]?.accept ?? []) keys.add(id);
    if (all.length < rounds.length) clock.advance(interval * 1000);
  }
  return all;
}

describe("stalekey deletes the keys that Salt's deletes", () => {
  for (const [name, one] of Object.entries(STALE_CASES)) {
    test(name, async () => {
      assert.deepEqual(await staleRounds(one), DIFFERENT[name] ?? recorded.stalekey[name]!.rounds);
    });
  }
});

test("test writes the lines that Salt's writes", async () => {
  await using here = await engineSite();
  const { records } = here.captured;
  void here.start(testEngine);
  for (const [tag, data] of TEST_EVENTS) {
    here.event(tag, decode(encode({ ...data, _stamp: "STAMP" }, "bin"), { mode: "bin" }) as Fields);
  }
  await until(() => records.length >= TEST_EVENTS.length);
  assert.equal(recorded.test.length, TEST_EVENTS.length);
  // A long one is cut here.
  assert.deepEqual(
    records.map(({ level, fields }) => ({ level, line: fields.data })),
    recorded.test.map(({ level, line }) => ({ level, line: line.slice(0, 2000) })),
  );
});

/** A server that sends to each connection what a server of Redis has sent, then ends it if it is not the last. */
async function replay(octets: string, connections: number) {
  const { net } = await currentRuntime();
  const bytes = Uint8Array.from(octets, (character) => character.charCodeAt(0));
  const asked: string[] = [];
  const listener = await net.listen({ kind: "tcp", host: "127.0.0.1", port: 0 }, (connection) => {
    const at = asked.push("") - 1;
    connection.start({
      onData(chunk) {
        asked[at] += new TextDecoder().decode(chunk);
        if (!asked[at]!.includes("PSUBSCRIBE")) return;
        connection.write(bytes);
        if (asked.length < connections) connection.end();
      },
      onClose: () => {},
    });
  });
  const { port } = listener.address as { port: number };
  return { port, asked, [Symbol.asyncDispose]: () => listener.close() };
}

const bulk = (...words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`;

async function redisCase(name: string, one: RedisCase): Promise<void> {
  const { said, octets, events } = recorded.redis_sentinel[name]!;
  await using server = await replay(octets ?? "-WRONGPASS no\r\n", one.cut ? 2 : 1);
  let asked: unknown[] | undefined;
  await using here = await engineSite({
    master: {
      command({ tgt, fun, arg }) {
        asked = [tgt, fun, arg];
        return Promise.resolve(one.answers ?? { board1: ["127.0.0.1"] });
      },
    },
  });
  const hosts = one.hosts ?? { matching: "board*", port: server.port, interface: "eth2" };
  const running = here.start(redisSentinel, { hosts, password: PASSWORD, ...one.settings });
  if (said.some((fields) => "failed" in fields || "returned" in fields)) await assert.rejects(running);
  else await here.until(() => here.fired.length >= events.length, "all have come");
  assert.deepEqual(asked, said.find((fields) => "asked" in fields)?.asked);
  assert.deepEqual(here.fired.map(({ tag, data }) => [tag, data]), events);
  if (octets === undefined) return;
  const channels = [(one.settings as { channels: unknown }).channels ?? "*"].flat() as string[];
  assert.equal(server.asked[0], bulk("AUTH", PASSWORD) + bulk("PSUBSCRIBE", ...channels));
}

describe("redis_sentinel fires the events that Salt's fires", () => {
  for (const [name, one] of Object.entries(REDIS_CASES)) test(name, () => redisCase(name, one));

  test("while a sentinel puts a replica in the place of its master", async () => {
    const { octets } = recorded.failover;
    // A master fires `key` by itself.
    const events = recorded.failover.events.filter(([tag]) => tag !== "key");
    await using server = await replay(octets, 1);
    await using here = await engineSite({ master: { command: () => Promise.resolve({ board1: ["127.0.0.1"] }) } });
    void here.start(redisSentinel, {
      hosts: { matching: "board*", port: server.port, interface: "lo" },
      channels: ["*"],
    });
    await here.until(() => here.fired.length >= events.length, "all have come");
    assert.ok(events.some(([tag]) => tag.endsWith("/+switch-master")));
    assert.deepEqual(here.fired.map(({ tag, data }) => [tag, data]), events);
  });
});
