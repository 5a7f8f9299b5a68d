/**
 * Records what the engines `stalekey`, `test` and `redis_sentinel` of real Salt do: `node tests/interop/automation/record_engines.ts DIRECTORY`.
 * The directory is one with Python's library redis: `pip install --target DIRECTORY redis`.
 */
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { Bed } from "../../../bench/bed/bed.ts";
import { freePort } from "../../../bench/bed/ports.ts";
import { ProcessGroup } from "../../../bench/bed/process_group.ts";
import { realSalt, saltPython } from "../../../bench/bed/sides.ts";
import { pause, until } from "../../../bench/bed/until.ts";
import { listenBus, sendToBus } from "../../../src/model/event/bus_client.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { packEvent } from "../../../src/protocol/wire/event_frame.ts";
import { encode, Float } from "../../../src/protocol/wire/msgpack.ts";
import { BEGINS, PASSWORD, REDIS_CASES, STALE_CASES, TEST_EVENTS } from "./engine_cases.ts";

type Fields = Record<string, unknown>;

const [library = ""] = process.argv.slice(2);
await using bed = new Bed();
await bed.startMaster(realSalt("3006")!, { id: "here_master" });
const { net, clock } = await currentRuntime();
const at = (name: string) => ({ kind: "unix" as const, path: bed.path("master", "run", name) });
const bus = await sendToBus(net, at("master_event_pull.ipc"));
let heard: Fields[] = [];
await listenBus(net, at("master_event_pub.ipc"), ({ tag, data: { _stamp, ...data } }) => {
  if (!/^salt\/(auth|stats|key\/)|^\d+$|^minion|^key$/.test(tag)) heard.push({ tag, data });
});

/** Starts an engine; what it says comes line by line. */
function start(engine: string, more: Fields): { said: Fields[]; group: ProcessGroup } {
  const said: Fields[] = [];
  const program = new URL("run_engine.py", import.meta.url).pathname;
  const group = new ProcessGroup([saltPython(), program], {
    env: { ...process.env, PYTHONPATH: library, PYTHONWARNINGS: "ignore" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  createInterface({ input: group.child.stdout! }).on("line", (line) => said.push(JSON.parse(line)));
  group.child.stdin!.end(`${JSON.stringify({ engine, config: path.join(bed.config("master"), "master"), ...more })}\n`);
  return { said, group };
}

/** What wheel functions were called, and what became of keys. */
const called = () =>
  heard.filter(({ tag }) => /^salt\/(key|wheel)/.test(String(tag))).map(({ tag, data }) => {
    const { jid: _jid, ...rest } = data as Fields;
    return JSON.parse(
      JSON.stringify([String(tag).replace(/\d{20}/, "JID"), rest]).replaceAll(/"?\d{20}"?/g, '"JID"')
        .replaceAll(/,?"_stamp":"[^"]*"/g, ""),
    );
  });

async function recordStalekey(): Promise<Fields> {
  const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ type: "spki", format: "pem" });
  const found: Fields = {};
  for (const [name, { settings = {}, before, rounds }] of Object.entries(STALE_CASES)) {
    const keys = bed.path("master", "pki", "minions");
    mkdirSync(keys, { recursive: true });
    for (const file of readdirSync(keys)) rmSync(path.join(keys, file));
    const presence = bed.path("master", "cache", "presence.p");
    rmSync(presence, { force: true });
    if (before !== undefined) {
      const times = new Map(Object.entries(before).map(([id, ago]) => [id, new Float(BEGINS - ago)]));
      writeFileSync(presence, encode(times, "bin"));
    }
    heard = [];
    const { said, group } = start("stalekey", { settings, rounds, key, begins: BEGINS });
    await group.exited;
    await pause(500);
    found[name] = { rounds: said.slice(0, -1), ended: said.at(-1), events: called() };
  }
  return found;
}

async function recordTest(): Promise<unknown> {
  const { said, group } = start("test", {});
  const send = ([tag, data]: [string, Fields]) => bus.send(packEvent(tag, data, { now: clock.now() }));
  await until("it listens", async () => {
    send(["my/begin", { begin: true }]);
    await pause(300);
    return said.length > 0;
  });
  await pause(1000);
  said.length = 0;
  TEST_EVENTS.forEach(send);
  await until("all are said", () => said.length >= TEST_EVENTS.length);
  await pause(500);
  await group.stop(1000);
  return said.map((one) => ({ ...one, line: String(one.line).replace(/"_stamp": "[^"]*"/, '"_stamp": "STAMP"') }));
}

/** What a listener of the same channels is sent, until its time is over. */
function tap(port: number, words: string[][]): { octets: () => Buffer; end(): void } {
  const chunks: Buffer[] = [];
  const socket = connect(port, "127.0.0.1").on("data", (chunk) => void chunks.push(chunk)).on("error", () => {});
  for (const all of words) {
    socket.write(`*${all.length}\r\n${all.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`);
  }
  return { octets: () => Buffer.concat(chunks), end: () => void socket.destroy() };
}

/** Starts a server of Redis in a directory of its own. */
async function startRedis(name: string, lines: string[], words: string[] = []): Promise<number> {
  const port = await freePort();
  mkdirSync(bed.path(name));
  writeFileSync(
    bed.path(name, "redis.conf"),
    [`port ${port}`, "bind 127.0.0.1", `dir ${bed.path(name)}`, ...lines, ""].join("\n"),
  );
  bed.run(["redis-server", bed.path(name, "redis.conf"), ...words], bed.path(name, "out"));
  await until(`${name} listens`, async () => {
    const { octets, end } = tap(port, [["PING"]]);
    await pause(100);
    end();
    return octets().length > 0;
  });
  return port;
}

async function recordRedis(): Promise<Fields> {
  const port = await startRedis("redis", [`requirepass ${PASSWORD}`, 'save ""']);
  const found: Fields = {};
  for (const [name, one] of Object.entries(REDIS_CASES)) {
    const hosts = JSON.parse(
      JSON.stringify(one.hosts ?? { matching: "board*", port: "PORT", interface: "eth2" }).replace(
        '"PORT"',
        String(port),
      ),
    );
    const { channels } = one.settings as { channels: unknown };
    heard = [];
    const settings = { hosts, password: PASSWORD, ...one.settings };
    const { said, group } = start("redis_sentinel", { settings, answers: one.answers ?? { board1: ["127.0.0.1"] } });
    const wanted = [channels ?? "*"].flat() as string[];
    const listener = tap(port, [["AUTH", PASSWORD], ["PSUBSCRIBE", ...wanted]]);
    const isOver = () => said.some((fields) => "failed" in fields || "returned" in fields);
    await until(
      name,
      () => isOver() || heard.filter(({ tag }) => !/^salt\/(key|wheel)/.test(String(tag))).length >= wanted.length,
      { timeoutMs: 60_000 },
    );
    const publish = async () => {
      const words = (one.publish ?? []).map((both) => ["PUBLISH", ...both]);
      const sender = tap(port, [["AUTH", PASSWORD], ...words]);
      await pause(800);
      sender.end();
    };
    await publish();
    const octets = listener.octets().toString("latin1");
    if (one.cut) {
      const killer = tap(port, [["AUTH", PASSWORD], ["CLIENT", "KILL", "TYPE", "pubsub"]]);
      await pause(2000);
      killer.end();
      await publish();
    }
    await group.stop(1000);
    listener.end();
    found[name] = {
      said: said.filter(({ level }) => level !== "debug"),
      octets: isOver() ? undefined : octets,
      events: heard.map(({ tag, data }) => [tag, data]),
    };
  }
  return found;
}

/** A master, its replica, and a sentinel that puts the one in the place of the other: what a listener hears of it. */
async function recordFailover(): Promise<Fields> {
  const master = await startRedis("first", ['save ""']);
  await startRedis("second", ['save ""', `replicaof 127.0.0.1 ${master}`]);
  const sentinel = await startRedis("sentinel", [
    `sentinel monitor mymaster 127.0.0.1 ${master} 1`,
    "sentinel down-after-milliseconds mymaster 1000",
    "sentinel failover-timeout mymaster 6000",
  ], ["--sentinel"]);
  heard = [];
  const settings = { hosts: { matching: "board*", port: sentinel, interface: "eth2" }, channels: ["*"] };
  const { group } = start("redis_sentinel", { settings, answers: { board1: ["127.0.0.1"] } });
  const listener = tap(sentinel, [["PSUBSCRIBE", "*"]]);
  const has = (tag: string) => heard.some((one) => one.tag === `salt/engine/redis_sentinel/${tag}`);
  await until("it listens", () => has("*"));
  // Until the sentinel knows the replica.
  await pause(12_000);
  const sender = tap(master, [["SHUTDOWN", "NOSAVE"]]);
  await until("the other one is the master", () => has("+switch-master"), { timeoutMs: 60_000 });
  await pause(3000);
  sender.end();
  await group.stop(1000);
  const found = { octets: listener.octets().toString("latin1"), events: heard.map(({ tag, data }) => [tag, data]) };
  listener.end();
  return found;
}

const vector = {
  generated_with: "3006",
  stalekey: await recordStalekey(),
  test: await recordTest(),
  redis_sentinel: library === "" ? {} : await recordRedis(),
  failover: library === "" ? {} : await recordFailover(),
};
writeFileSync(
  new URL("../../vectors/engine_runs.json", import.meta.url),
  `${JSON.stringify(vector, null, 1)}\n`,
);
void bus.close();
await bed.stop();
process.exit(0);
