/**
 * The same engines beside our master and beside real Salt's: the same requests and lines become the same events. Not `logstash` and `fluent`: those of
 * 3006 send no data of events, and die with the first event.
 * `BRINE_RECORD_ENGINES=1` writes what real Salt does to `tests/vectors/engines.json`.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { Bed } from "../../bench/bed/bed.ts";
import { accepts, freePort } from "../../bench/bed/ports.ts";
import { brine, realSalt, type Side } from "../../bench/bed/sides.ts";
import { until } from "../../bench/bed/until.ts";
import { listenBus } from "../../src/model/event/bus_client.ts";
import { currentRuntime } from "../../src/runtime/current.ts";

const isOther = process.versions.bun !== undefined || process.versions.deno !== undefined;
const skip = process.env.BRINE_INTEROP !== "full" || isOther
  ? "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to full, on Node"
  : false;

/** A value as JSON has it: bytes are maps of one text. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, item) =>
      item?.type === "Buffer"
        ? { $text: Buffer.from(item.data).toString() }
        : item instanceof Uint8Array
        ? { $text: Buffer.from(item).toString() }
        : item),
  );

const REQUESTS: { name: string; path: string; method: string; headers?: Record<string, string>; body?: string }[] = [
  {
    name: "json",
    path: "/build/done",
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"a": 1}',
  },
  {
    name: "escapes and a query",
    path: "/a%20b/%C3%BC?x=1",
    method: "POST",
    headers: { "x-MY-header": "v" },
    body: "b",
  },
  { name: "empty", path: "/", method: "POST", body: "" },
  { name: "GET", path: "/a", method: "GET" },
];
const SCRIPT =
  `printf '{"tag": "scripted/a", "data": {"n": 1}}\\n{"tag": "scripted/b", "data": {"id": "mine"}}\\n{"tag": "scripted/c"}\\n{"data": {"n": 2}}\\n'`;

interface Outcome {
  responses: Record<string, number>;
  events: { tag: string; data: unknown }[];
}

/** Fields of requests that clients add. */
const CLIENTS = new Set([
  "Host",
  "Connection",
  "User-Agent",
  "Accept",
  "Accept-Language",
  "Accept-Encoding",
  "Sec-Fetch-Mode",
]);

async function scenario(side: Side): Promise<Outcome> {
  const hookPort = await freePort();
  await using bed = new Bed();
  const master = await bed.startMaster(side, {
    id: "here_master",
    engines: [
      { webhook: { address: "127.0.0.1", port: hookPort } },
      { script: { cmd: `sh -c ${JSON.stringify(SCRIPT)}`, interval: 2 } },
    ],
  });
  const { net } = await currentRuntime();
  const socket = (name: string) => ({ kind: "unix" as const, path: bed.path("master", "run", name) });
  const seen: { tag: string; data: Record<string, unknown> }[] = [];
  const take = ({ tag, data }: { tag: string; data: Record<string, unknown> }) => void seen.push({ tag, data });
  using _listener = await listenBus(net, socket("master_event_pub.ipc"), take);
  await bed.until(master, "the webhook listens", () => accepts(hookPort));
  const responses: Record<string, number> = {};
  for (const { name, path, ...init } of REQUESTS) {
    responses[name] = (await fetch(`http://127.0.0.1:${hookPort}${path}`, init)).status;
  }
  await until(
    "all have come",
    () => ["salt/engines/hook/", "scripted/c"].every((tag) => seen.some((event) => event.tag === tag)),
  );
  const once = new Map(seen.map((event) => [event.tag, event]));
  return {
    responses,
    events: [...once.values()].filter(({ tag }) => /^salt\/engines\/hook\/|^scripted\//.test(tag)).map(
      ({ tag, data: { _stamp, ...data } }) => {
        const headers = data.headers as Record<string, string> | undefined;
        const own = headers && Object.fromEntries(Object.entries(headers).filter(([name]) => !CLIENTS.has(name)));
        return { tag, data: plain(own === undefined ? data : { ...data, headers: own }) };
      },
    ).sort((a, b) => a.tag < b.tag ? -1 : 1),
  };
}

test("webhook and script do the same as beside real Salt 3006", { skip, timeout: 300_000 }, async () => {
  const real = await scenario(realSalt("3006")!);
  if (process.env.BRINE_RECORD_ENGINES === "1") {
    const file = new URL("../vectors/engines.json", import.meta.url);
    writeFileSync(
      file,
      `${JSON.stringify({ generated_with: "3006", requests: REQUESTS, script: SCRIPT, ...real }, null, 1)}\n`,
    );
  }
  const ours = await scenario(brine("node", "source"));
  assert.ok(real.events.length >= 6, JSON.stringify(real));
  assert.deepEqual(ours, real);
});
