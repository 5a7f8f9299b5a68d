/**
 * Ten subscribers of a master's bus, one of which does not read, under a flood of events: nine get all of them in order, the master's
 * memory stays flat, and the tenth is told how many it has missed.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pause, until } from "../../bench/bed/until.ts";
import { BusEvent } from "../../src/model/event/bus.ts";
import { EVENTS_MISSED } from "../../src/model/event/tag.ts";
import { listenBus, sendToBus } from "../../src/model/event/bus_client.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { packEvent } from "../../src/protocol/wire/event_frame.ts";
import { IpcFrameReader } from "../../src/protocol/wire/ipc_frame.ts";
import { Bed, FULL, whyNot } from "./bed.ts";

/** In full mode 10,000 small events a second for a minute; in quick mode fewer and larger ones, as fast as they go. */
const EVENTS = FULL ? 600_000 : 12_000;
const SIZE = FULL ? 150 : 8_000;
const A_SECOND = FULL ? 10_000 : Infinity;
const READERS = 9;
/** Events that may be on their way to the slowest of them. */
const AHEAD = FULL ? 5_000 : 400;
/** Bytes by which the master may grow once the bounds of the stuck subscriber and of the history are reached. */
const SLACK = 48 * 1024 * 1024;

const residentBytes = (pid: number) =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) * 1024;

test("a subscriber that does not read costs nine others nothing, and the master no memory", {
  skip: whyNot() || (existsSync("/proc/self/status") ? false : "memory cannot be read here"),
  timeout: FULL ? 600_000 : 180_000,
}, async (t) => {
  await using bed = await Bed.start({ minions: 1 });
  const { net, clock } = await currentRuntime();
  const socket = (name: string) => ({ kind: "unix" as const, path: path.join(bed.directory, "master", "run", name) });
  const pub = socket("master_event_pub.ipc");
  const next = Array.from({ length: READERS }, () => 0);
  const wrong: string[] = [];
  const ready = new Set<number>();
  for (const at of next.keys()) {
    await listenBus(net, pub, ({ tag }) => {
      if (tag === "ready") ready.add(at);
      if (!tag.startsWith("flood/")) return;
      if (tag !== `flood/${next[at]}` && wrong.length < 10) wrong.push(`subscriber ${at}: ${tag} for ${next[at]}`);
      next[at]!++;
    });
  }
  const stuck = await net.dial(pub);
  const reader = new IpcFrameReader({});
  let got = 0;
  let missed = 0;
  stuck.start({
    onData: (chunk) => {
      reader.push(chunk);
      for (let body = reader.next(); body !== undefined; body = reader.next()) {
        const event = BusEvent.fromBytes(body);
        if (event.tag === "ready") ready.add(READERS);
        else if (event.tag.startsWith("flood/")) got++;
        else if (event.tag === EVENTS_MISSED) missed += Number(event.data.missed);
      }
    },
    onClose: () => {},
  });
  const bus = await sendToBus(net, socket("master_event_pull.ipc"));
  await until("all of them listen", () => {
    bus.send(packEvent("ready", {}, { now: clock.now() }));
    return ready.size > READERS;
  });
  stuck.pause();
  const text = "x".repeat(SIZE);
  const memory: number[] = [];
  const began = performance.now();
  for (let n = 0; n < EVENTS; n++) {
    bus.send(packEvent(`flood/${n}`, { n, text }, { now: clock.now() }));
    if (n % 200 !== 199) continue;
    // Nobody may be so far ahead that the events wait in this process instead.
    await until("the readers follow", () => Math.min(...next) > n - AHEAD, { timeoutMs: 120_000 });
    const early = n / A_SECOND * 1000 - (performance.now() - began);
    if (early > 0) await pause(early);
    if (n % 1000 === 999) memory.push(residentBytes(bed.master.pid!));
  }
  await until("nine have all", () => Math.min(...next) === EVENTS, { timeoutMs: 60_000 }).catch((error) => {
    throw new Error(`${error.message}: ${next.join(" ")} of ${EVENTS}; ${wrong.join("; ")}`);
  });
  const seconds = (performance.now() - began) / 1000;
  assert.deepEqual(wrong, []);
  const third = Math.floor(memory.length / 3);
  const [middle, last] = [Math.max(...memory.slice(third, 2 * third)), Math.max(...memory.slice(2 * third))];
  if (FULL) assert.ok(last < middle + SLACK, `the master has grown from ${middle} to ${last} bytes`);
  assert.ok(last < memory[0]! + 256 * 1024 * 1024, `the master has grown from ${memory[0]} to ${last} bytes`);
  stuck.resume();
  await until("the tenth is told", () => missed > 0, { timeoutMs: 60_000 });
  await until("nothing is left unsaid", () => got + missed === EVENTS, { timeoutMs: 60_000 });
  assert.ok(missed > EVENTS / 10, `${missed} missed`);
  void bus.close();
  const rate = Math.round(EVENTS / seconds);
  t.diagnostic(
    `${rate} events/s; the tenth got ${got} and missed ${missed}; memory ${memory.at(0)} to ${memory.at(-1)}`,
  );
});
