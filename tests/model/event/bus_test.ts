import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BusEvent, EventBus } from "../../../src/model/event/bus.ts";
import { listenBus, sendToBus } from "../../../src/model/event/bus_client.ts";
import { serveBus } from "../../../src/model/event/bus_server.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryNet } from "../../../src/runtime/memory/memory_runtime.ts";
import type { Net, SocketAddress } from "../../../src/runtime/net.ts";
import { encode, Packed } from "../../../src/protocol/wire/msgpack.ts";
import { packEvent } from "../../../src/protocol/wire/event_frame.ts";
import { packIpcFrame } from "../../../src/protocol/wire/ipc_frame.ts";
import { captureLog } from "../../support/capture_log.ts";

const TIMEOUT = { timeout: 120_000 };
const NOW = Date.UTC(2024, 4, 6, 7, 8, 9) + 123.456;
const { later } = await currentRuntime();
const turn = () => new Promise<void>((resolve) => later(resolve));

describe("EventBus", TIMEOUT, () => {
  test("fire() adds a time in microseconds, and does not change the caller's data", () => {
    const bus = new EventBus(() => NOW);
    const events: BusEvent[] = [];
    bus.on((event) => events.push(event));
    const data = { x: 1 };
    bus.fire("a", data);
    assert.deepEqual(events[0]!.data, { x: 1, _stamp: "2024-05-06T07:08:09.123456" });
    assert.deepEqual(data, { x: 1 });
    assert.deepEqual(BusEvent.fromBytes(events[0]!.bytes).data, events[0]!.data);
  });

  test("a packed value is written without being decoded", () => {
    const bus = new EventBus(() => NOW);
    let bytes = new Uint8Array(0) as Uint8Array;
    bus.on((event) => bytes = event.bytes);
    bus.fire("a", { return: new Packed(encode([1, "x"], "bin")) });
    assert.deepEqual(BusEvent.fromBytes(bytes).data.return, [1, "x"]);
  });

  test("a listener that throws is reported and does not affect others", () => {
    const errors: unknown[] = [];
    const bus = new EventBus(() => NOW, (error) => errors.push(error));
    const heard: string[] = [];
    bus.on(() => {
      throw new Error("mine");
    });
    bus.on(({ tag }) => heard.push(tag));
    bus.fire("a", {});
    assert.deepEqual(heard, ["a"]);
    assert.equal(errors.length, 1);
  });

  test("listeners may be added and removed while an event is delivered", () => {
    const bus = new EventBus(() => NOW);
    const heard: string[] = [];
    const off = bus.on(() => {
      off();
      bus.on(() => heard.push("late"));
    });
    bus.on(() => heard.push("first"));
    bus.fire("a", {});
    bus.fire("b", {});
    assert.deepEqual(heard.filter((one) => one === "first").length, 2);
    assert.equal(bus.listeners, 2);
  });

  test(
    "subscribe() gives what begins with a prefix, from the call on; leaving the loop unsubscribes",
    TIMEOUT,
    async () => {
      const bus = new EventBus(() => NOW);
      bus.fire("job/0", {});
      const events = bus.subscribe("job/");
      for (const tag of ["job/1", "other", "job/2", "job/3"]) bus.fire(tag, {});
      const tags: string[] = [];
      for await (const event of events) {
        tags.push(event.tag);
        if (tags.length === 2) break;
      }
      assert.deepEqual(tags, ["job/1", "job/2"]);
      assert.equal(bus.listeners, 0);
    },
  );

  test("subscribe() drops the oldest for a reader that is behind, and ends with its signal", TIMEOUT, async () => {
    const bus = new EventBus(() => NOW);
    const stop = new AbortController();
    const events = bus.subscribe("", { limit: 3, signal: stop.signal });
    for (let n = 0; n < 10; n++) bus.fire(`t/${n}`, {});
    stop.abort();
    const tags: string[] = [];
    for await (const event of events) tags.push(event.tag);
    assert.deepEqual(tags, ["t/7", "t/8", "t/9"]);
    assert.equal(bus.listeners, 0);
    const none = bus.subscribe("", { signal: stop.signal });
    assert.equal((await none.next()).done, true);
  });

  test("events without a tag or with an empty line in it do not reach other processes", () => {
    for (const tag of ["", "a\n\nb"]) assert.throws(() => BusEvent.fromData(tag, {}).bytes, TypeError);
  });
});

describe("serveBus()", TIMEOUT, () => {
  const pub: SocketAddress = { kind: "unix", path: "/pub" };
  const pull: SocketAddress = { kind: "unix", path: "/pull" };
  async function scene(
    options: { listenerBuffer?: number; maxEventBytes?: number; framing?: () => "stream" | "length" } = {},
  ) {
    const net = memoryNet();
    const bus = new EventBus(() => NOW);
    const { log, complaints } = captureLog();
    const server = await serveBus(bus, net, { pub, pull }, log, { later, ...options });
    return { net, bus, server, complaints };
  }

  test("a listener that does not read loses its own events and delays no other", TIMEOUT, async () => {
    const { net, bus, server, complaints } = await scene({ listenerBuffer: 100_000 });
    const slow = await net.dial(pub);
    const tags: string[] = [];
    let got = Promise.withResolvers<void>();
    await listenBus(net, pub, ({ tag }) => {
      tags.push(tag);
      got.resolve();
    });
    while (server.listeners < 2) await turn();
    const data = { text: "x".repeat(10_000) };
    for (let n = 0; n < 100; n++) {
      got = Promise.withResolvers<void>();
      bus.fire(`t/${n}`, data);
      await got.promise;
    }
    assert.equal(tags.length, 100);
    assert.ok(server.dropped > 50, String(server.dropped));
    assert.ok(slow.buffered === 0);
    assert.equal(complaints().length, 1, "said once, not for every event");
    await server.close();
  });

  test("a burst is one write for each listener", TIMEOUT, async () => {
    const { net, bus, server } = await scene();
    const connection = await net.dial(pub);
    const chunks: number[] = [];
    connection.start({ onData: (chunk) => void chunks.push(chunk.length), onClose: () => {} });
    while (server.listeners < 1) await turn();
    for (let n = 0; n < 10; n++) bus.fire(`t/${n}`, {});
    while (chunks.length === 0) await turn();
    assert.equal(chunks.length, 1);
    await server.close();
  });

  test("a listener that connects before an event, but is accepted after it, receives it", TIMEOUT, async () => {
    const net = memoryNet();
    let accept = (): void => assert.fail("nothing was accepted");
    const held: Net = {
      ...net,
      listen: (address, onConnection, options) =>
        net.listen(address, (connection) => accept = () => onConnection(connection), options),
    };
    const bus = new EventBus(() => NOW);
    const server = await serveBus(bus, held, { pub, pull }, captureLog().log, { later });
    bus.fire("before", {});
    await turn();
    const tags: string[] = [];
    const done = Promise.withResolvers<void>();
    await listenBus(net, pub, ({ tag }) => {
      tags.push(tag);
      if (tag === "last") done.resolve();
    });
    await turn();
    bus.fire("first", {});
    accept();
    bus.fire("last", {});
    await done.promise;
    assert.deepEqual(tags, ["first", "last"]);
    await server.close();
  });

  test("events are read in both framings, one byte at a time, and sent to all", TIMEOUT, async () => {
    for (const framing of ["stream", "length"] as const) {
      const net = memoryNet({ chunkSize: 1 });
      const bus = new EventBus(() => NOW);
      const { log } = captureLog();
      const server = await serveBus(bus, net, { pub, pull }, log, { later });
      const heard = Promise.withResolvers<BusEvent>();
      await listenBus(net, pub, heard.resolve);
      while (server.listeners < 1) await turn();
      const sender = await sendToBus(net, pull, framing);
      sender.send(packEvent("a/b", { n: 1 }, { now: NOW }));
      const event = await heard.promise;
      assert.equal(event.tag, "a/b");
      assert.equal(event.data.n, 1);
      sender.close();
      await server.close();
    }
  });

  test("a listener that needs a length before each frame receives it", TIMEOUT, async () => {
    const { net, bus, server } = await scene({ framing: () => "length" });
    const connection = await net.dial(pub);
    const received = Promise.withResolvers<Uint8Array>();
    connection.start({ onData: received.resolve, onClose: () => {} });
    while (server.listeners < 1) await turn();
    bus.fire("a", {});
    const bytes = await received.promise;
    const frame = packIpcFrame(packEvent("a", {}, { now: NOW }));
    assert.equal(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0), frame.length);
    assert.deepEqual(bytes.subarray(4), frame);
    await server.close();
  });

  test("an event that is too large closes its sender; the bus goes on", TIMEOUT, async () => {
    const { net, bus, server, complaints } = await scene({ maxEventBytes: 10_000 });
    const closed = Promise.withResolvers<void>();
    const connection = await net.dial(pull);
    connection.start({ onData: () => {}, onClose: () => closed.resolve() });
    connection.write(packIpcFrame(packEvent("a", { text: "x".repeat(50_000) })));
    await closed.promise;
    assert.equal(complaints().length, 1);
    const heard = Promise.withResolvers<string>();
    bus.on(({ tag }) => heard.resolve(tag));
    (await sendToBus(net, pull)).send(packEvent("b", {}));
    assert.equal(await heard.promise, "b");
    await server.close();
  });

  test("close() ends listeners, which are notified once; a second close() does nothing", TIMEOUT, async () => {
    const { net, bus, server } = await scene();
    let closes = 0;
    const closed = Promise.withResolvers<void>();
    await listenBus(net, pub, () => {}, () => {
      closes++;
      closed.resolve();
    });
    while (server.listeners < 1) await turn();
    await Promise.all([server.close(), server.close()]);
    await closed.promise;
    assert.equal(closes, 1);
    assert.equal(bus.listeners, 0);
    await assert.rejects(listenBus(net, pub, () => {}), { errno: "ENOENT" });
  });

  test("an address in use leaves nothing half open", TIMEOUT, async () => {
    const { net, bus, server } = await scene();
    const before = bus.listeners;
    const { log } = captureLog();
    await assert.rejects(serveBus(bus, net, { pub: { kind: "unix", path: "/other" }, pull }, log, { later }), {
      errno: "EADDRINUSE",
    });
    assert.equal(bus.listeners, before);
    await assert.rejects(net.dial({ kind: "unix", path: "/other" }), { errno: "ENOENT" });
    await server.close();
  });
});
