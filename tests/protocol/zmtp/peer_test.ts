import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns, until } from "../../../bench/bed/until.ts";
import { memoryNet } from "../../../src/runtime/memory/net.ts";
import {
  DealerSocket,
  PubSocket,
  PullSocket,
  PushSocket,
  ReqSocket,
  RouterSocket,
  SubSocket,
} from "../../../src/protocol/zmtp/mod.ts";
import { encodeCommand, encodeReady } from "../../../src/protocol/zmtp/command.ts";
import { writeFrame } from "../../../src/protocol/zmtp/frame.ts";
import { greeting } from "../../../src/protocol/zmtp/greeting.ts";
import { bytes, HandClock, RawPeer, recordingLogger, testContext } from "./context.ts";

const HELLO = greeting();
const AT = "tcp://127.0.0.1:0";

function setup() {
  const { log, records } = recordingLogger();
  const clock = new HandClock();
  const context = testContext({ log, clock, random: () => 0.5, net: memoryNet() });
  return { context, records, clock, net: context.net };
}

describe("a peer that misbehaves", { timeout: 120_000 }, () => {
  const ready = encodeReady("PUSH", undefined);
  for (
    const { name, say } of [
      { name: "speaks HTTP", say: bytes("GET / HTTP/1.1\r\n\r\n") },
      { name: "speaks ZMTP 2", say: bytes(HELLO.subarray(0, 10), 1) },
      { name: "asks for CURVE", say: bytes(HELLO.subarray(0, 12), "CURVE", new Uint8Array(47)) },
      { name: "sends a message instead of READY", say: bytes(HELLO, 0, 1, 1) },
      { name: "sends another command instead of READY", say: bytes(HELLO, encodeCommand("PING", bytes(0, 0))) },
      { name: "sends ERROR", say: bytes(HELLO, encodeCommand("ERROR", bytes(2, "no"))) },
      { name: "claims a huge handshake", say: bytes(HELLO, 6, 0, 0, 0, 0, 0x40, 0, 0, 0) },
      { name: "has the wrong type", say: bytes(HELLO, encodeReady("SUB", undefined)) },
      { name: "has no type", say: bytes(HELLO, encodeCommand("READY")) },
      { name: "has a reserved identity", say: bytes(HELLO, encodeReady("PUSH", bytes(0, 1))) },
      { name: "claims a message of 2^40 bytes", say: bytes(HELLO, ready, 2, 0, 0, 1, 0, 0, 0, 0, 0) },
      { name: "sends too many frames", say: bytes(HELLO, ready, ...Array(1025).fill(bytes(1, 0))) },
      { name: "sends a PING cut short", say: bytes(HELLO, ready, encodeCommand("PING", bytes(0))) },
      { name: "subscribes at a PULL", say: bytes(HELLO, ready, encodeCommand("SUBSCRIBE")) },
    ]
  ) {
    test(`is disconnected with one log line when it ${name}, and others are served`, async () => {
      const { context, net, records } = setup();
      const pull = new PullSocket(context);
      const at = await pull.bind(AT);
      const raw = await RawPeer.dial(net, at);
      raw.say(say);
      await until(() => raw.closed);
      assert.equal(records.length, 1);
      assert.equal(records[0]!.level, "warning");
      assert.match(String(records[0]!.fields.remote), /^tcp:\/\//);
      const push = new PushSocket(context);
      push.connect(at);
      push.send(bytes("x"));
      assert.deepEqual(await pull.receive(), [bytes("x")]);
      await push.close();
      await pull.close();
    });
  }

  test("is disconnected when its handshake takes too long, and not a moment earlier", async () => {
    const { context, net, records, clock } = setup();
    const pull = new PullSocket(context, { handshakeTimeoutMs: 1000 });
    const raw = await RawPeer.dial(net, await pull.bind(AT));
    raw.say(HELLO.subarray(0, 20));
    await until(() => raw.received.length >= 64);
    clock.pass(999);
    await turns(50);
    assert.equal(raw.closed, false);
    clock.pass(1);
    await until(() => raw.closed);
    assert.match(String(records[0]!.fields.reason), /1000 ms/);
    await pull.close();
  });

  test("that only disconnects early is not logged", async () => {
    const { context, net, records } = setup();
    const pull = new PullSocket(context);
    const raw = await RawPeer.dial(net, await pull.bind(AT));
    raw.connection.destroy();
    await turns(50);
    assert.equal(records.length, 0);
    await pull.close();
  });

  test("cannot take a ROUTER identity that is in use", async () => {
    const { context, net, records } = setup();
    const router = new RouterSocket(context);
    const at = await router.bind(AT);
    const dealer = new DealerSocket(context, { identity: bytes("web1") });
    dealer.connect(at);
    await until(() => [...router.peers()].length === 1);
    const raw = await RawPeer.dial(net, at);
    raw.say(HELLO, encodeReady("DEALER", bytes("web1")));
    await until(() => raw.closed);
    assert.equal(records.length, 1);
    assert.equal(router.send(bytes("web1"), bytes("still yours")), true);
    assert.deepEqual(await dealer.receive(), [bytes("still yours")]);
    await dealer.close();
    await router.close();
  });

  test("a handler that throws is logged, and affects neither the peer nor later messages", async () => {
    const { context, records } = setup();
    const pull = new PullSocket(context);
    const push = new PushSocket(context);
    push.connect(await pull.bind(AT));
    let got = 0;
    pull.onMessage(() => {
      if (++got === 1) throw new Error("broken");
    });
    push.send(bytes(1));
    push.send(bytes(2));
    await until(() => got >= 2);
    assert.deepEqual(records.map((record) => record.message), ["message handler failed"]);
    await push.close();
    await pull.close();
  });
});

describe("the handshake", { timeout: 120_000 }, () => {
  test("sends READY only once the whole greeting of the peer has arrived", async () => {
    const { context, net } = setup();
    const pull = new PullSocket(context);
    const raw = await RawPeer.dial(net, await pull.bind(AT));
    raw.say(HELLO.subarray(0, 63));
    await turns(50);
    assert.deepEqual(raw.received, HELLO);
    raw.say(HELLO.subarray(63));
    await until(() => raw.received.length > 64);
    assert.deepEqual(raw.received.subarray(64), encodeReady("PULL", undefined));
    await pull.close();
  });

  for (const step of [1, 5, 100]) {
    test(`and messages survive ${step} bytes at a time`, async () => {
      const net = memoryNet({ chunkSize: step });
      const context = testContext({ net });
      const sub = new SubSocket(context);
      const pub = new PubSocket(context);
      sub.subscribe("t");
      sub.connect(await pub.bind(AT));
      await until(() => pub.subscribers === 1);
      pub.send([bytes("topic"), new Uint8Array(1000).fill(3), bytes()]);
      assert.deepEqual(await sub.receive(), [bytes("topic"), new Uint8Array(1000).fill(3), bytes()]);
      await sub.close();
      await pub.close();
    });
  }
});

describe("PUB", { timeout: 120_000 }, () => {
  const subscriber = bytes(HELLO, encodeReady("SUB", undefined));

  test("accepts subscriptions as commands and as messages, and drops them with the peer", async () => {
    const { context, net } = setup();
    const pub = new PubSocket(context);
    const raw = await RawPeer.dial(net, await pub.bind(AT));
    const heard: string[] = [];
    pub.onSubscribe((_peer, topic, on) => heard.push(`${on ? "+" : "-"}${String.fromCharCode(...topic)}`));
    raw.say(subscriber, encodeCommand("SUBSCRIBE", bytes("a")), writeFrame(0, bytes(1, "b")));
    await until(() => heard.length >= 2);
    const [peer] = [...pub.peers()];
    assert.deepEqual(pub.topicsOf(peer!), [bytes("a"), bytes("b")]);
    assert.equal(pub.subscribers, 1);
    raw.say(encodeCommand("CANCEL", bytes("a")), writeFrame(0, bytes(0, "b")), writeFrame(0, bytes(1, "c")));
    await until(() => heard.length >= 5);
    raw.connection.destroy();
    await until(() => heard.length >= 6);
    assert.deepEqual(heard, ["+a", "+b", "-a", "-b", "+c", "-c"]);
    assert.equal(pub.subscribers, 0);
    await pub.close();
  });

  test("refuses a topic that is too long, and too many topics", async () => {
    const { context, net, records } = setup();
    const pub = new PubSocket(context, { maxTopics: 2 });
    const at = await pub.bind(AT);
    for (
      const topics of [
        writeFrame(0, bytes(1, new Uint8Array(1025))),
        bytes(...["a", "b", "c"].map((topic) => encodeCommand("SUBSCRIBE", bytes(topic)))),
      ]
    ) {
      const raw = await RawPeer.dial(net, at);
      raw.say(subscriber, topics);
      await until(() => raw.closed);
    }
    assert.equal(records.length, 2);
    assert.equal(pub.subscribers, 0);
    await pub.close();
  });

  test("drops messages only for the subscriber that does not read", async () => {
    const { context, net } = setup();
    const pub = new PubSocket(context, { sendHighWaterMark: 10 });
    const at = await pub.bind(AT);
    const slow = await RawPeer.dial(net, at);
    slow.say(subscriber, encodeCommand("SUBSCRIBE"));
    const sub = new SubSocket(context);
    sub.subscribe("");
    sub.connect(at);
    await until(() => pub.subscribers === 2);
    await turns(50);
    slow.connection.pause();
    const payload = new Uint8Array(10_000);
    for (let index = 0; index < 100; index++) {
      pub.send([bytes(index), payload]);
      assert.deepEqual((await sub.receive())![0], bytes(index));
    }
    // 64 KB are under way, 10 messages wait, the rest is lost.
    assert.ok(pub.dropped >= 75 && pub.dropped <= 90, `${pub.dropped} dropped`);
    assert.equal(slow.closed, false);
    slow.connection.resume();
    await turns(50);
    const before = pub.dropped;
    pub.send(bytes("again"));
    await until(() => slow.text().endsWith("again"));
    assert.equal(pub.dropped, before);
    await sub.close();
    await pub.close();
  });

  test("counts bytes too: large messages do not pile up for a slow subscriber", async () => {
    const { context, net } = setup();
    const pub = new PubSocket(context, { sendHighWaterBytes: 1_000_000, lingerMs: 0 });
    const slow = await RawPeer.dial(net, await pub.bind(AT));
    slow.say(subscriber, encodeCommand("SUBSCRIBE"));
    await until(() => pub.subscribers === 1);
    slow.connection.pause();
    for (let index = 0; index < 100; index++) pub.send(new Uint8Array(100_000));
    assert.ok(pub.dropped >= 85, `${pub.dropped} dropped`);
    await pub.close();
  });

  test("encodes once: every subscriber's connection is given the same bytes", async () => {
    const { context } = setup();
    const chunks: Uint8Array[] = [];
    const net = memoryNet();
    const spying = {
      ...net,
      dial: net.dial,
      listen: ((at, accept, options) =>
        net.listen(at, (connection) => {
          const write = connection.write.bind(connection);
          connection.write = (chunk) => {
            chunks.push(chunk);
            return write(chunk);
          };
          accept(connection);
        }, options)) as typeof net.listen,
    };
    const pub = new PubSocket({ ...context, net: spying });
    const at = await pub.bind(AT);
    const subs = Array.from({ length: 3 }, () => new SubSocket({ ...context, net }));
    for (const sub of subs) {
      sub.subscribe("");
      sub.connect(at);
    }
    await until(() => pub.subscribers === 3);
    chunks.length = 0;
    pub.send(bytes("one"));
    pub.send(bytes("two"));
    await until(() => chunks.length >= 3);
    assert.equal(new Set(chunks).size, 1);
    for (const sub of subs) await sub.close();
    await pub.close();
  });
});

describe("heartbeats", { timeout: 120_000 }, () => {
  test("a silent peer is sent a PING, and disconnected if nothing comes back", async () => {
    const { context, net, clock, records } = setup();
    const pull = new PullSocket(context, { heartbeatIntervalMs: 1000, heartbeatTimeoutMs: 300, heartbeatTtlMs: 5000 });
    const raw = await RawPeer.dial(net, await pull.bind(AT));
    raw.say(HELLO, encodeReady("PUSH", undefined));
    await until(() => [...pull.peers()].length === 1);
    // Something was received in the interval: no PING is sent.
    clock.pass(1000);
    await turns(50);
    assert.ok(!raw.text().includes("PING"));
    clock.pass(1000);
    await until(() => raw.text().endsWith("PING\x00\x32"));
    raw.say(encodeCommand("PONG"));
    await turns(50);
    clock.pass(300);
    assert.equal(raw.closed, false);
    clock.pass(2000);
    await turns(50);
    clock.pass(300);
    await until(() => raw.closed);
    assert.match(String(records[0]!.fields.reason), /Nothing received within/);
    await pull.close();
  });

  test("a PING is answered with its context, and its time to live is kept", async () => {
    const { context, net, clock } = setup();
    const pull = new PullSocket(context);
    const raw = await RawPeer.dial(net, await pull.bind(AT));
    raw.say(HELLO, encodeReady("PUSH", undefined), encodeCommand("PING", bytes(0, 10, "context")));
    await until(() => raw.text().endsWith("\x04PONGcontext"));
    raw.say(writeFrame(0, bytes("x")));
    await pull.receive();
    clock.pass(1000);
    await turns(50);
    assert.equal(raw.closed, false, "any traffic shows that the peer is alive");
    raw.say(encodeCommand("PING", bytes(0, 10)));
    await turns(50);
    clock.pass(1000);
    await until(() => raw.closed);
    await pull.close();
  });
});

describe("reconnecting", { timeout: 120_000 }, () => {
  test("waits longer after each failure, up to the limit, with jitter, and from the beginning after a success", async () => {
    const { context, clock, records } = setup();
    const push = new PushSocket(context, { reconnectInitialMs: 100, reconnectMaxMs: 500, reconnectJitter: 0.5 });
    push.connect("tcp://127.0.0.1:7");
    const waits: number[] = [];
    for (let round = 0; round < 5; round++) {
      await until(() => clock.waits.length === 1);
      waits.push(clock.waits[0]!);
      clock.pass(clock.waits[0]!);
    }
    // random() is 0.5, so each wait is three quarters of the full one.
    assert.deepEqual(waits, [75, 150, 300, 375, 375]);
    assert.equal(records.filter((record) => record.message.startsWith("cannot connect")).length, 1, "logged once");
    const pull = new PullSocket(context, { lingerMs: 0 });
    await until(() => clock.waits.length === 1);
    await pull.bind("tcp://127.0.0.1:7");
    clock.pass(500);
    await until(() => [...push.peers()].length === 1);
    await pull.close();
    await until(() => clock.waits.length === 1);
    assert.equal(clock.waits[0], 75);
    const closing = push.close();
    await turns(50);
    clock.pass(1000);
    await closing;
  });

  test("disconnect() ends the connection and stops dialling", async () => {
    const { context, clock } = setup();
    const pull = new PullSocket(context);
    const at = await pull.bind(AT);
    const push = new PushSocket(context);
    push.connect(at);
    await until(() => [...push.peers()].length === 1);
    await push.disconnect(at);
    await turns(50);
    assert.equal([...pull.peers()].length, 0);
    assert.deepEqual(clock.waits, []);
    await push.close();
    await pull.close();
  });

  test("whole messages that a PUSH had queued for a peer that disconnected are sent to the next", async () => {
    const { context, net } = setup();
    const push = new PushSocket(context);
    const at = await push.bind(AT);
    const raw = await RawPeer.dial(net, at);
    raw.say(HELLO, encodeReady("PULL", undefined));
    await until(() => [...push.peers()].length === 1);
    raw.connection.pause();
    for (let index = 0; index < 100; index++) push.send([bytes(index), new Uint8Array(5000)]);
    await turns(50);
    raw.connection.destroy();
    await until(() => [...push.peers()].length === 0);
    const pull = new PullSocket(context);
    pull.connect(at);
    const first = (await pull.receive())![0]![0]!;
    assert.ok(first > 0 && first < 30, "what was written is lost, the rest is not");
    for (let index = first + 1; index < 100; index++) assert.deepEqual((await pull.receive())![0], bytes(index));
    await pull.close();
    await push.close();
  });
});

describe("REQ", { timeout: 120_000 }, () => {
  test("a request times out on time, and the connection is dialled again without a wait", async () => {
    const { context, clock } = setup();
    const router = new RouterSocket(context);
    const at = await router.bind(AT);
    const remotes: string[] = [];
    router.onMessage((peer) => remotes.push(peer.remote));
    const req = new ReqSocket(context);
    req.connect(at);
    for (let round = 1; round <= 2; round++) {
      let failed = false;
      const asked = req.request(bytes("x"), { timeoutMs: 1000 }).catch((error) => {
        failed = true;
        return error;
      });
      await until(() => remotes.length === round);
      clock.pass(999);
      await turns(50);
      assert.equal(failed, false);
      clock.pass(1);
      assert.equal((await asked).code, "TIMEOUT");
    }
    assert.notEqual(remotes[0], remotes[1]);
    await req.close();
    await router.close();
  });

  test("a request that is still queued times out without affecting the one before it", async () => {
    const { context, clock } = setup();
    const router = new RouterSocket(context);
    const replies: (() => void)[] = [];
    router.onMessage((peer, frames) => replies.push(() => router.send(peer, frames)));
    const req = new ReqSocket(context, { sendHighWaterMark: 1 });
    req.connect(await router.bind(AT));
    const first = req.request(bytes("1"));
    await until(() => replies.length >= 1);
    const second = assert.rejects(req.request(bytes("2"), { timeoutMs: 10 }), { code: "TIMEOUT" });
    await assert.rejects(req.request(bytes("3")), { code: "QUEUE_FULL" });
    clock.pass(10);
    await second;
    replies[0]!();
    assert.deepEqual(await first, [bytes("1")]);
    await req.close();
    await router.close();
  });
});
