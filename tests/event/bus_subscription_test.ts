import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BusEvent, EventBus } from "../../src/event/bus.ts";
import { listenBus, sendToBus } from "../../src/event/bus_client.ts";
import { serveBus, type ServeBusOptions } from "../../src/event/bus_server.ts";
import { subscribeBus } from "../../src/event/bus_subscription.ts";
import { EventHistory } from "../../src/event/event_history.ts";
import { EVENTS_MISSED } from "../../src/event/tag.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryNet } from "../../src/runtime/memory/mod.ts";
import type { SocketAddress } from "../../src/runtime/net.ts";
import { packEvent } from "../../src/wire/event_frame.ts";
import { IpcFrameReader, packIpcFrame, packNumberedFrame } from "../../src/wire/ipc_frame.ts";
import { captureLog } from "../support/capture_log.ts";
import { FakeClock } from "../support/fake_clock.ts";

const TIMEOUT = { timeout: 20_000 };
const at = (path: string): SocketAddress => ({ kind: "unix", path });
const ADDRESSES = { pub: at("/pub"), pull: at("/pull"), own: at("/own") };
const { later } = await currentRuntime();
const turn = () => new Promise<void>((resolve) => later(resolve));

async function scene(options: Partial<ServeBusOptions> = {}) {
  const net = memoryNet();
  const bus = new EventBus(() => 0);
  const { log, complaints } = captureLog();
  const server = await serveBus(bus, net, ADDRESSES, log, { later, boot: "b", ...options });
  /** A subscriber, and all that it was told. */
  const subscriber = async (after?: string) => {
    const heard: string[] = [];
    const causes: unknown[] = [];
    const subscribed = await subscribeBus(net, ADDRESSES.own, {
      ...after === undefined ? {} : { after },
      onEvent: ({ tag, cause }, n) => {
        heard.push(`${n} ${tag}`);
        causes.push(cause);
      },
      onMissed: (count) => heard.push(`missed ${count}`),
      onClose: () => heard.push("closed"),
    });
    const until = async (count: number) => {
      while (heard.length < count) await turn();
      return heard;
    };
    return { ...subscribed, heard, causes, until };
  };
  return { net, bus, server, complaints, subscriber };
}

describe("subscribeBus()", TIMEOUT, () => {
  test("events come with their numbers, from the moment of the call on", async () => {
    const { bus, server, subscriber } = await scene();
    bus.fire("before", {});
    const one = await subscriber();
    assert.deepEqual({ boot: one.boot, latest: one.latest, lost: one.lost }, { boot: "b", latest: 1, lost: false });
    bus.fire("a", {});
    bus.fire("b", {}, "20260101000000000000");
    assert.deepEqual(await one.until(2), ["2 a", "3 b"]);
    assert.deepEqual(one.causes, [undefined, "20260101000000000000"]);
    await server.close();
    assert.deepEqual(await one.until(3), ["2 a", "3 b", "closed"]);
  });

  for (
    const { after, lost, want } of [
      { after: "b-1", lost: false, want: ["2 e2", "3 e3", "4 live"] },
      { after: "b-0", lost: false, want: ["1 e1", "2 e2", "3 e3", "4 live"] },
      { after: "b-3", lost: false, want: ["4 live"] },
      { after: "other-2", lost: true, want: ["1 e1", "2 e2", "3 e3", "4 live"] },
      { after: "nonsense", lost: true, want: ["1 e1", "2 e2", "3 e3", "4 live"] },
    ]
  ) {
    test(`one that comes back after ${after} gets what it has missed, then what happens now`, async () => {
      const { bus, server, subscriber } = await scene();
      for (const tag of ["e1", "e2", "e3"]) bus.fire(tag, {});
      const one = await subscriber(after);
      bus.fire("live", {});
      assert.deepEqual(await one.until(want.length), want);
      assert.equal(one.lost, lost);
      await server.close();
    });
  }

  test("an event tells by which job it was fired, if its sender said so", async () => {
    const { net, server, subscriber } = await scene();
    const one = await subscriber();
    const connection = await net.dial(ADDRESSES.pull);
    connection.start({ onData: () => {}, onClose: () => {} });
    connection.write(packIpcFrame(packEvent("mine", {}), { cause: "20260101000000000000" }));
    await one.until(1);
    (await sendToBus(net, ADDRESSES.pull)).send(packEvent("other", {}));
    await one.until(2);
    assert.deepEqual(one.causes, ["20260101000000000000", undefined]);
    await server.close();
  });

  test("bytes that are no subscription close the connection, and nobody else's", async () => {
    const { net, bus, server, subscriber, complaints } = await scene();
    const one = await subscriber();
    const closed = Promise.withResolvers<void>();
    const bad = await net.dial(ADDRESSES.own);
    bad.start({ onData: () => {}, onClose: () => closed.resolve() });
    bad.write(new Uint8Array(8192).fill(0x01));
    await closed.promise;
    bus.fire("a", {});
    assert.deepEqual(await one.until(1), ["1 a"]);
    assert.equal(complaints().length, 1);
    await server.close();
  });
});

test(
  "a listener that did not read is told how many events it has missed, and gets those that follow",
  TIMEOUT,
  async () => {
    const { net, bus, server } = await scene({ listenerBuffer: 20_000 });
    const connection = await net.dial(ADDRESSES.pub);
    const chunks: Uint8Array[] = [];
    connection.start({ onData: (chunk) => void chunks.push(chunk.slice()), onClose: () => {} });
    connection.pause();
    while (server.listeners < 1) await turn();
    for (let n = 0; n < 100; n++) {
      bus.fire(`t/${n}`, { text: "x".repeat(1000) });
      await turn();
    }
    const { dropped } = server;
    assert.ok(dropped > 0, String(dropped));
    connection.resume();
    const reader = new IpcFrameReader({});
    const events: BusEvent[] = [];
    const read = async (tag: string) => {
      while (events.at(-1)?.tag !== tag) {
        await turn();
        for (const chunk of chunks.splice(0)) reader.push(chunk);
        for (let body = reader.next(); body !== undefined; body = reader.next()) events.push(BusEvent.fromBytes(body));
        if (events.length === 100 - dropped) bus.fire("after", {});
      }
    };
    await read("after");
    const told = events.findIndex(({ tag }) => tag === EVENTS_MISSED);
    assert.equal(told, 100 - dropped, "after all that was kept for it");
    assert.equal(events[told]!.data.missed, dropped);
    assert.deepEqual(events.slice(0, told).map(({ tag }) => tag), Array.from({ length: told }, (_, n) => `t/${n}`));
    await server.close();
  },
);

test("plain listeners get frames without numbers, as Salt has them", TIMEOUT, async () => {
  const { net, bus, server } = await scene();
  const heard = Promise.withResolvers<string>();
  await listenBus(net, ADDRESSES.own, ({ tag }) => heard.resolve(tag));
  const connection = await net.dial(ADDRESSES.pub);
  const bytes = Promise.withResolvers<Uint8Array>();
  connection.start({ onData: bytes.resolve, onClose: () => {} });
  while (server.listeners < 2) await turn();
  bus.fire("a", {});
  assert.equal(await heard.promise, "a");
  assert.deepEqual(await bytes.promise, packIpcFrame(packEvent("a", {}, { now: 0 })));
  await server.close();
});

test("EventHistory: keeps as much as fits, and says what is lost", () => {
  const history = new EventHistory<{ seq: number; size: number }>({ maxBytes: 10 * 300, boot: "x-y" });
  for (let seq = 1; seq <= 1000; seq++) history.add({ seq, size: 100 });
  assert.equal(history.latest, 1000);
  assert.deepEqual(history.since("x-y-995").events.map(({ seq }) => seq), [996, 997, 998, 999, 1000]);
  assert.equal(history.since("x-y-990").lost, false);
  assert.equal(history.since("x-y-989").lost, true);
  assert.equal(history.since("x-y-0").events.length, 10);
  assert.deepEqual(history.since("x-y-1000"), { events: [], lost: false });
  const few = new EventHistory<{ seq: number; size: number }>({ most: 3, boot: "b" });
  for (let seq = 1; seq <= 5; seq++) few.add({ seq, size: 1 });
  assert.deepEqual(few.since("b-1").events.map(({ seq }) => seq), [3, 4, 5]);
});

test("EventHistory: forgets what is old, and says that it is lost", () => {
  const history = new EventHistory<{ seq: number; size: number }>({ boot: "b" });
  for (let seq = 1; seq <= 500; seq++) history.add({ seq, size: 100 });
  history.forget(3);
  assert.equal(history.size, 497);
  assert.equal(history.since("b-3").lost, false);
  assert.equal(history.since("b-2").lost, true);
  history.forget(500);
  assert.equal(history.size, 0);
  assert.deepEqual(history.since("b-500"), { events: [], lost: false });
  assert.equal(history.since("b-499").lost, true);
  history.add({ seq: 501, size: 1 });
  assert.deepEqual(history.since("b-500").events.map(({ seq }) => seq), [501]);
});

test("serveBus(): keeps events for a while, and times nothing while it has none", async () => {
  const clock = new FakeClock();
  const { bus, subscriber, server } = await scene({ after: (ms, call) => clock.after(ms, call) });
  assert.deepEqual(clock.waits, []);
  bus.fire("a", {});
  clock.advance(15_000);
  bus.fire("b", {});
  clock.advance(10_000);
  assert.equal((await subscriber("b-0")).lost, false, "after 25 seconds");
  clock.advance(20_000);
  assert.equal((await subscriber("b-0")).lost, true, "after 45 seconds");
  clock.advance(60_000);
  assert.deepEqual(clock.waits, []);
  bus.fire("c", {});
  assert.equal(clock.waits.length, 1);
  await server.close();
  assert.deepEqual(clock.waits, []);
});

test("packNumberedFrame: reads as any frame with a head", () => {
  for (const n of [1, 2 ** 31, 2 ** 40 + 5]) {
    const reader = new IpcFrameReader({});
    reader.push(packNumberedFrame(Uint8Array.of(1, 2, 3), n));
    assert.deepEqual(reader.nextFrame(), { head: { n }, body: Uint8Array.of(1, 2, 3) });
  }
});
