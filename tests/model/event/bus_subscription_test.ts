import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BusEvent, EventBus } from "../../../src/model/event/bus.ts";
import { listenBus, sendToBus } from "../../../src/model/event/bus_client.ts";
import { serveBus, type ServeBusOptions } from "../../../src/model/event/bus_server.ts";
import { subscribeBus } from "../../../src/model/event/bus_subscription.ts";
import { EventHistory } from "../../../src/model/event/event_history.ts";
import { EVENTS_MISSED } from "../../../src/model/event/tag.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryNet } from "../../../src/runtime/memory/memory_runtime.ts";
import type { SocketAddress } from "../../../src/runtime/net.ts";
import { packEvent } from "../../../src/protocol/wire/event_frame.ts";
import { IpcFrameReader, packIpcFrame, packNumberedFrame } from "../../../src/protocol/wire/ipc_frame.ts";
import { captureLog } from "../../support/capture_log.ts";
import { Breaker } from "../../support/failing.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { memoryFiles } from "../../support/memory_files.ts";

const TIMEOUT = { timeout: 120_000 };
const at = (path: string): SocketAddress => ({ kind: "unix", path });
const ADDRESSES = { pub: at("/pub"), pull: at("/pull"), own: at("/own") };
const { later } = await currentRuntime();
const turn = () => new Promise<void>((resolve) => later(resolve));

async function scene(options: Partial<ServeBusOptions> = {}) {
  const net = memoryNet();
  const bus = new EventBus(() => 0);
  const { log, complaints } = captureLog();
  const keep = { fs: memoryFiles(), directory: "/events", ms: 60_000, maxBytes: 1e6, clock: new FakeClock() };
  const server = await serveBus(bus, net, ADDRESSES, log, { later, boot: "b", keep, ...options });
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
  assert.deepEqual(history.since("x-y-1000"), { events: [], lost: false, missed: 0 });
  assert.equal(history.since("x-y-980").missed, 10);
  const few = new EventHistory<{ seq: number; size: number }>({ most: 3, boot: "b" });
  for (let seq = 1; seq <= 5; seq++) few.add({ seq, size: 1 });
  assert.deepEqual(few.since("b-1").events.map(({ seq }) => seq), [3, 4, 5]);
});

test("serveBus(): keeps events for a while, and times nothing while it has none", async () => {
  const clock = new FakeClock();
  const keep = { fs: memoryFiles(), directory: "/events", ms: 80_000, maxBytes: 1e6, clock };
  const { bus, subscriber, server } = await scene({ keep });
  assert.deepEqual(clock.waits, []);
  bus.fire("a", {});
  await turn();
  clock.advance(15_000);
  bus.fire("b", {});
  await turn();
  clock.advance(64_000);
  assert.equal((await subscriber("b-0")).lost, false, "after 79 seconds");
  clock.advance(10_000);
  const one = await subscriber("b-0");
  assert.equal(one.lost, true, "after 89 seconds");
  assert.deepEqual(await one.until(1), ["2 b"]);
  clock.advance(20_000);
  assert.deepEqual(clock.waits, []);
  bus.fire("c", {});
  await turn();
  assert.equal(clock.waits.length, 1);
  await server.close();
  assert.deepEqual(clock.waits, []);
  assert.deepEqual(keep.fs.list("/events"), []);
});

test(
  "one that comes back late gets a long past at its own pace, while events go on, each once and in order",
  TIMEOUT,
  async () => {
    const { bus, subscriber, server, net } = await scene({
      listenerBuffer: 100_000,
      keep: { fs: memoryFiles(), directory: "/events", ms: 60_000, maxBytes: 64e6, clock: new FakeClock() },
    });
    const text = "x".repeat(1000);
    for (let n = 1; n <= 2000; n++) {
      bus.fire(`e${n}`, { text });
      if (n % 100 === 0) await turn();
    }
    const paused = await net.dial(ADDRESSES.own);
    const chunks: Uint8Array[] = [];
    paused.start({ onData: (chunk) => void chunks.push(chunk.slice()), onClose: () => {} });
    paused.write(packIpcFrame(packEvent("brine/subscribe", { after: "b-0" })));
    paused.pause();
    const one = await subscriber("b-0");
    for (let n = 2001; n <= 2200; n++) {
      bus.fire(`e${n}`, { text });
      if (n % 10 === 0) await turn();
    }
    assert.deepEqual(await one.until(2200), Array.from({ length: 2200 }, (_, n) => `${n + 1} e${n + 1}`));
    assert.ok(server.backlog.bytes < 2e6, `${server.backlog.bytes} bytes wait for one that does not read`);
    assert.equal(server.dropped, 0);
    paused.resume();
    const reader = new IpcFrameReader({});
    let seen = 0;
    while (seen < 2200) {
      await turn();
      for (const chunk of chunks.splice(0)) reader.push(chunk);
      for (let frame = reader.nextFrame(); frame !== undefined; frame = reader.nextFrame()) {
        if (frame.head.n !== undefined) assert.equal(frame.head.n, ++seen);
      }
    }
    await server.close();
  },
);

test("a subscriber is told what went while it was catching up", TIMEOUT, async () => {
  const fs = memoryFiles();
  const { bus, subscriber, server } = await scene({
    keep: { fs, directory: "/events", ms: 60_000, maxBytes: 200_000, clock: new FakeClock() },
  });
  for (let n = 1; n <= 1000; n++) {
    bus.fire(`e${n}`, { text: "x".repeat(1000) });
    await turn();
  }
  const one = await subscriber("b-0");
  assert.equal(one.lost, true);
  const first = Number(fs.list("/events")[0]!.slice(0, 15));
  assert.deepEqual(
    await one.until(1001 - first),
    Array.from({ length: 1001 - first }, (_, at) => `${first + at} e${first + at}`),
  );
  await server.close();
});

test(
  "events that cannot be kept are sent all the same, and one that comes back is told that some are lost",
  TIMEOUT,
  async () => {
    const breaker = new Breaker();
    const { bus, subscriber, server, complaints } = await scene({
      keep: {
        fs: breaker.files(memoryFiles()),
        directory: "/events",
        ms: 60_000,
        maxBytes: 1e6,
        clock: new FakeClock(),
      },
    });
    const one = await subscriber();
    bus.fire("a", {});
    await one.until(1);
    breaker.fail();
    for (const tag of ["b", "c"]) {
      bus.fire(tag, {});
      await turn();
    }
    breaker.mend();
    bus.fire("d", {});
    assert.deepEqual(await one.until(4), ["1 a", "2 b", "3 c", "4 d"]);
    assert.equal(complaints().length, 1);
    const two = await subscriber("b-1");
    assert.equal(two.lost, true);
    assert.deepEqual(await two.until(1), ["4 d"]);
    await server.close();
  },
);

test("packNumberedFrame: reads as any frame with a head", () => {
  for (const n of [1, 2 ** 31, 2 ** 40 + 5]) {
    const reader = new IpcFrameReader({});
    reader.push(packNumberedFrame(Uint8Array.of(1, 2, 3), n));
    assert.deepEqual(reader.nextFrame(), { head: { n }, body: Uint8Array.of(1, 2, 3) });
  }
});
