/** What every transport keeps: see src/protocol/transport/transport.ts. Over memory, where bytes arrive whole or one at a time. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns, until } from "../../../bench/bed/until.ts";
import { deferred } from "../../../src/base/async/deferred.ts";
import { openTransport } from "../../../src/protocol/transport/open_transport.ts";
import type { Transport } from "../../../src/protocol/transport/transport.ts";
import { ConfigError } from "../../../src/base/errors.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryFileSystem } from "../../../src/runtime/memory/fs.ts";
import { memoryNet, type MemoryNetOptions } from "../../../src/runtime/memory/net.ts";
import { decode, encode } from "../../../src/protocol/wire/msgpack.ts";
import { ConnectionLimit } from "../../../src/protocol/zmtp/mod.ts";
import { recordingLogger } from "../zmtp/context.ts";

const current = await currentRuntime();

function bed(opts: Record<string, unknown>, net: MemoryNetOptions = {}) {
  const { log, records } = recordingLogger();
  const runtime = {
    net: memoryNet(net),
    clock: current.clock,
    crypto: current.crypto,
    fs: memoryFileSystem({ clock: current.clock, uid: 0, gid: 0 }),
    random: () => 0.5,
    later: (callback: () => void) => current.later(callback),
  };
  return {
    runtime,
    records,
    open: (more = {}): Transport => openTransport({ runtime, log, opts: { ...opts, ...more } }),
  };
}

const pack = (value: unknown) => encode(value, "wire");
const unpack = (bytes: Uint8Array) => decode(bytes, { mode: "wire" });
const FAST = { reconnectInitialMs: 1, reconnectMaxMs: 2, lingerMs: 0 };

const CASES = ["zeromq", "tcp", "ws"].flatMap((transport) => [
  { name: transport, transport, net: {} },
  { name: `${transport}, one byte at a time`, transport, net: { chunkSize: 1 } },
]);

const REQUEST = "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

/** Announces 4 GB. */
function LARGE_FRAME(): Uint8Array {
  return Uint8Array.of(
    0x82,
    0xa4,
    0x68,
    0x65,
    0x61,
    0x64,
    0x80,
    0xa4,
    0x62,
    0x6f,
    0x64,
    0x79,
    0xc6,
    0xff,
    0xff,
    0xff,
    0xff,
  );
}

/** A handshake, then a header that announces 2^40 bytes. */
function LARGE_MESSAGE(): Uint8Array {
  return Uint8Array.from([...new TextEncoder().encode(REQUEST), 0x82, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
}

for (const { name, transport, net } of CASES) {
  describe(`transport ${name}`, { timeout: 60_000 }, () => {
    test("carries requests and their replies, whatever their size", async () => {
      const { open } = bed({ transport }, net);
      await using router = open().router();
      router.onMessage((peer, frames) => {
        const asked = unpack(frames.at(-1)!) as { n: number; bulk: Uint8Array };
        router.send(peer, [...frames.slice(0, -1), pack({ n: asked.n, bulk: asked.bulk, enc: "clear" })]);
      });
      const at = await router.bind("tcp://127.0.0.1:0");
      await using req = open().req({ lingerMs: 0 });
      req.connect(at);
      const largest = name === transport ? 3_000_000 : 70_000;
      for (const [n, size] of [0, 1, 120, 200, 65_530, largest].entries()) {
        const bulk = new Uint8Array(size).fill(200 + n);
        const [reply] = await req.request(pack({ n, bulk }));
        assert.deepEqual(unpack(reply!), { n, bulk: size === 0 ? "" : bulk, enc: "clear" });
      }
    });

    test("carries publications to every subscriber, in order", async () => {
      const { open } = bed({ transport }, net);
      await using pub = open().pub();
      const at = await pub.bind("tcp://127.0.0.1:0");
      const subs = [open().sub(), open().sub()];
      const got = subs.map((): unknown[] => []);
      for (const [index, sub] of subs.entries()) {
        sub.subscribe("");
        sub.onMessage((frames) => got[index]!.push(frames.map(unpack)));
        sub.connect(at);
      }
      // A subscriber of ZeroMQ is one only once its subscription has arrived.
      await until(() => [...pub.peers()].length === 2);
      await turns(name === transport ? 20 : 400);
      const sizes = [1, 300, 70_000];
      for (const size of sizes) pub.send(pack({ load: new Uint8Array(size).fill(255) }));
      await until(() => got.every((messages) => messages.length === sizes.length));
      for (const messages of got) {
        assert.deepEqual(messages, sizes.map((size) => [{ load: new Uint8Array(size).fill(255) }]));
      }
      for (const sub of subs) await sub.close();
    });

    test("names the connection of a peer the same in its requests and at its end", async () => {
      const { open } = bed({ transport }, net);
      await using router = open().router();
      const asked = deferred<string>();
      const left = deferred<string>();
      router.onMessage((peer, frames) => {
        asked.resolve(peer.remote);
        router.send(peer, [...frames.slice(0, -1), frames.at(-1)!]);
      });
      router.onDisconnect((peer) => left.resolve(peer.remote));
      const req = open().req({ lingerMs: 0 });
      req.connect(await router.bind("tcp://127.0.0.1:0"));
      await req.request(pack({ id: "web1" }));
      await req.close();
      assert.match(await asked.promise, /^tcp:\/\/127\.0\.0\.1:\d+$/);
      assert.equal(await left.promise, await asked.promise);
    });
  });
}

for (const transport of ["tcp", "ws"]) {
  describe(`transport ${transport}`, { timeout: 60_000 }, () => {
    test("a publication with a topic goes out without it", async () => {
      const { open } = bed({ transport });
      assert.equal(open().byTopic, false);
      await using pub = open().pub();
      await using sub = open().sub();
      sub.subscribe("");
      const got = deferred<Uint8Array[]>();
      sub.onMessage((frames) => got.resolve(frames.map((frame) => frame.slice())));
      sub.connect(await pub.bind("tcp://127.0.0.1:0"));
      await until(() => [...pub.peers()].length === 1);
      pub.send([Uint8Array.of(1, 2), pack({ enc: "aes" })]);
      assert.deepEqual(await got.promise, [pack({ enc: "aes" })]);
    });

    test("a client connects again when its server is back", async () => {
      const { open } = bed({ transport });
      const first = open().router(FAST);
      first.onMessage((peer, frames) => void first.send(peer, frames));
      const at = await first.bind("tcp://127.0.0.1:0");
      await using req = open().req(FAST);
      req.connect(at);
      await req.request(pack(1));
      const lost = deferred<void>();
      req.onDisconnect(() => lost.resolve());
      await first.close();
      await lost.promise;
      await using second = open().router(FAST);
      second.onMessage((peer, frames) => void second.send(peer, frames));
      await second.bind(at);
      assert.deepEqual(unpack((await req.request(pack({ again: true })))[0]!), { again: true });
    });

    test("a late reply does not answer the next request", async () => {
      const { open } = bed({ transport });
      await using router = open().router(FAST);
      let held: (() => void) | undefined;
      router.onMessage((peer, frames) => {
        const answer = () => void router.send(peer, frames);
        if (held === undefined) held = answer;
        else answer();
      });
      await using req = open().req(FAST);
      req.connect(await router.bind("tcp://127.0.0.1:0"));
      const stop = new AbortController();
      const given = req.request(pack("first"), { signal: stop.signal });
      given.catch(() => {});
      await until(() => held !== undefined);
      stop.abort(new Error("given up"));
      await assert.rejects(given, /given up/);
      const next = req.request(pack("second"));
      held!();
      assert.equal(unpack((await next)[0]!), "second");
    });

    test("a subscriber that does not read loses publications, and the others do not", async () => {
      const { open, runtime } = bed({ transport });
      await using pub = open().pub({ sendHighWaterMark: 3, lingerMs: 0 });
      const at = await pub.bind("tcp://127.0.0.1:0");
      await using sub = open().sub();
      sub.subscribe("");
      let got = 0;
      sub.onMessage(() => got++);
      sub.connect(at);
      const port = Number(at.slice(at.lastIndexOf(":") + 1));
      const deaf = await runtime.net.dial({ kind: "tcp", host: "127.0.0.1", port });
      let opened = transport === "tcp";
      deaf.start({ onData: () => void (opened = true), onClose() {} });
      if (transport === "ws") deaf.write(new TextEncoder().encode(REQUEST));
      await until(() => opened && [...pub.peers()].length === 2);
      deaf.pause();
      const message = pack({ load: new Uint8Array(100_000) });
      for (let count = 1; count <= 20; count++) {
        pub.send(message);
        await until(() => got === count);
      }
      assert.ok((pub as unknown as { dropped: number }).dropped >= 10);
    });

    for (
      const { what, bytes } of [
        { what: "another protocol", bytes: Uint8Array.of(0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f) },
        { what: "TLS", bytes: Uint8Array.of(0x16, 3, 1, 2, 0, 1, 0) },
        { what: "a message that is too large", bytes: transport === "tcp" ? LARGE_FRAME() : LARGE_MESSAGE() },
      ]
    ) {
      test(`a client that sends ${what} is disconnected at once`, async () => {
        const { open, runtime, records } = bed({ transport });
        await using router = open().router({ maxMessageSize: 100_000, lingerMs: 0 });
        router.onMessage(() => assert.fail("a message"));
        const at = await router.bind("tcp://127.0.0.1:0");
        const port = Number(at.slice(at.lastIndexOf(":") + 1));
        const stranger = await runtime.net.dial({ kind: "tcp", host: "127.0.0.1", port });
        const closed = deferred<void>();
        stranger.start({ onData() {}, onClose: () => closed.resolve() });
        stranger.write(bytes);
        await closed.promise;
        assert.deepEqual(records.map(({ message }) => message), ["peer disconnected"]);
      });
    }

    test("the number of connections is bounded, strangers first", async () => {
      const { open, runtime } = bed({ transport });
      const connectionLimit = new ConnectionLimit({ maxConnections: 2, knownHost: () => false });
      await using router = open().router({ connectionLimit, lingerMs: 0 });
      const at = await router.bind("tcp://127.0.0.1:0");
      const port = Number(at.slice(at.lastIndexOf(":") + 1));
      const gone: number[] = [];
      for (const index of [0, 1, 2, 3]) {
        const stranger = await runtime.net.dial({ kind: "tcp", host: "127.0.0.1", port });
        stranger.start({ onData() {}, onClose: () => void gone.push(index) });
      }
      await until(() => gone.length >= 2);
      assert.deepEqual(gone, [0, 1]);
      assert.equal(connectionLimit.size, 2);
    });
  });
}

describe("transport ws at one port", { timeout: 60_000 }, () => {
  test("the path tells publications from requests, one byte at a time as well", async () => {
    for (const net of [{}, { chunkSize: 1 }]) {
      const { open } = bed({ transport: "ws", publish_port: 443, ret_port: 443 }, net);
      const master = open();
      const connectionLimit = new ConnectionLimit({ maxConnections: 10, knownHost: () => false });
      const pub = master.pub({ connectionLimit });
      const router = master.router({ connectionLimit });
      assert.equal(await pub.bind("tcp://0.0.0.0:443"), "tcp://0.0.0.0:443");
      await router.bind("tcp://0.0.0.0:443");
      router.onMessage((peer, frames) => void router.send(peer, frames));
      const left = deferred<void>();
      pub.onDisconnect(() => left.resolve());
      const sub = open({ publish_port: undefined }).sub();
      sub.subscribe("");
      const got = deferred<Uint8Array>();
      sub.onMessage((frames) => got.resolve(frames[0]!.slice()));
      sub.connect("tcp://127.0.0.1:443");
      const req = open({ publish_port: undefined }).req({ lingerMs: 0 });
      req.connect("tcp://127.0.0.1:443");
      assert.deepEqual(await req.request(pack("hello")), [pack("hello")]);
      await until(() => [...pub.peers()].length === 1);
      assert.equal([...router.peers()].length, 1);
      assert.equal(connectionLimit.size, 2);
      pub.send(pack({ enc: "aes" }));
      assert.deepEqual(await got.promise, pack({ enc: "aes" }));
      await sub.close();
      await left.promise;
      assert.equal(connectionLimit.size, 1);
      for (const socket of [req, pub, router]) await socket.close();
    }
  });
});

describe("openTransport()", () => {
  const fails = (opts: Record<string, unknown>, want: RegExp) => {
    assert.throws(() => bed(opts).open(), (error) => {
      assert.ok(error instanceof ConfigError, String(error));
      assert.match(error.message, want);
      return true;
    });
  };
  test("names an unknown transport and those that there are", () => {
    fails({ transport: "zmq" }, /"zmq".*zeromq/);
    fails({ transport: "tpc" }, /"tpc".*did you mean "tcp"/);
    fails({ transport: "constructor" }, /expected one of zeromq, tcp, ws/);
    fails({ transport: 1 }, /expected one of zeromq, tcp, ws/);
  });
  test("refuses ssl over ZeroMQ, which has none", () => fails({ ssl: true }, /ZeroMQ does not support TLS/));
  test("wants the port of a proxy", () => {
    fails({ transport: "ws", proxy_host: "proxy" }, /proxy_port is undefined/);
    fails({ transport: "ws", proxy_host: "proxy", proxy_port: 70000 }, /proxy_port is 70000/);
  });
});
