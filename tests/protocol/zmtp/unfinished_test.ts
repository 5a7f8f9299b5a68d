/** The bounds on incomplete messages: in memory and in time. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns, until } from "../../../bench/bed/until.ts";
import { memoryNet } from "../../../src/runtime/memory/net.ts";
import { encodeReady } from "../../../src/protocol/zmtp/command.ts";
import { greeting } from "../../../src/protocol/zmtp/greeting.ts";
import { PubSocket, RouterSocket } from "../../../src/protocol/zmtp/mod.ts";
import { FrameDecoder, MORE, writeFrame } from "../../../src/protocol/zmtp/frame.ts";
import {
  type FrameSender,
  PROGRESS,
  Unfinished,
  type UnfinishedLimits,
} from "../../../src/protocol/zmtp/unfinished.ts";
import { bytes, HandClock, RawPeer, recordingLogger, testContext } from "./context.ts";

function setup(limits: Partial<UnfinishedLimits> = {}) {
  const clock = new HandClock();
  const unfinished = new Unfinished(clock, {
    unfinishedBytes: 1000,
    unfinishedBytesKnown: 5000,
    unfinishedBytesOf: () => Infinity,
    knownHost: (host) => host.startsWith("minion"),
    stallTimeoutMs: 30_000,
    messageTimeoutMs: 900_000,
    ...limits,
  });
  const failed: string[] = [];
  const sender = (remote: string, paused = false): FrameSender => ({
    remote,
    paused,
    fail: (error) => void failed.push(`${remote} ${error.message}`),
  });
  return { clock, unfinished, failed, sender };
}

const FULL = /Incomplete messages of all peers exceed the limit of 1000 bytes/;

describe("the bytes of incomplete messages", () => {
  test("are bounded for all unknown hosts together: the host with the most loses its largest", () => {
    const { unfinished, failed, sender } = setup();
    unfinished.note(sender("tcp://bad:1"), 300);
    unfinished.note(sender("tcp://bad:2"), 400);
    unfinished.note(sender("tcp://good:1"), 250);
    assert.deepEqual(failed, []);
    unfinished.note(sender("tcp://good:2"), 100);
    assert.equal(failed.length, 1);
    assert.match(failed[0]!, /^tcp:\/\/bad:2 /);
    assert.match(failed[0]!, FULL);
    assert.equal(unfinished.bytes, 650);
  });

  test("of all addresses of one IPv6 host count together", () => {
    const { unfinished, failed, sender } = setup();
    unfinished.note(sender("tcp://good:1"), 400);
    for (let host = 1; host <= 7; host++) unfinished.note(sender(`tcp://[2001:db8::${host}]:1`), 100);
    assert.equal(failed.length, 1);
    assert.match(failed[0]!, /^tcp:\/\/\[2001:db8::/);
  });

  test("of known hosts are counted separately, and are bounded, too", () => {
    const { unfinished, failed, sender } = setup();
    for (let port = 0; port < 4; port++) unfinished.note(sender(`tcp://bad:${port}`), 250);
    const large = sender("tcp://minion:1");
    unfinished.note(large, 5000);
    assert.deepEqual(failed, []);
    unfinished.note(large, 5001);
    assert.match(failed[0]!, /^tcp:\/\/minion:1 .*5000 bytes/);
  });

  test("of one known host beyond its share count as those of strangers", () => {
    const { unfinished, failed, sender } = setup({ unfinishedBytesOf: (host) => host === "minion-nat" ? 3000 : 500 });
    unfinished.note(sender("tcp://minion-1:1"), 700);
    unfinished.note(sender("tcp://minion-nat:1"), 2900);
    unfinished.note(sender("tcp://bad:1"), 750);
    assert.deepEqual(failed, []);
    unfinished.note(sender("tcp://minion-2:1"), 600);
    assert.equal(failed.length, 1);
    assert.match(failed[0]!, /^tcp:\/\/bad:1 /);
    assert.match(failed[0]!, FULL);
    assert.equal(unfinished.bytes, 4200);
  });

  test("of a stranger that drips on a minion's host leave room to a large return, there and elsewhere", () => {
    const MIB = 2 ** 20;
    const { unfinished, failed, sender, clock } = setup({
      unfinishedBytes: 128 * MIB,
      unfinishedBytesKnown: 512 * MIB,
      unfinishedBytesOf: () => MIB,
    });
    const drips = Array.from({ length: 5 }, (_, port) => sender(`tcp://minion-1:${port}`));
    for (const one of drips) unfinished.note(one, 25 * MIB);
    for (let step = 1; step <= 10; step++) {
      clock.pass(20_000);
      for (const one of drips) unfinished.note(one, 25 * MIB + step * PROGRESS);
    }
    assert.equal(failed.length, 0);
    unfinished.note(sender("tcp://minion-1:100"), 100 * MIB);
    unfinished.note(sender("tcp://minion-2:100"), 20 * MIB);
    assert.equal(failed.length, 5);
    assert.doesNotMatch(failed.join(), /:100 /);
    assert.equal(unfinished.bytes, 120 * MIB);
  });

  test("of a host that becomes known meanwhile are counted where they began", () => {
    let known = false;
    const { unfinished, failed, sender } = setup({ knownHost: () => known, unfinishedBytesOf: () => 500 });
    const first = sender("tcp://host:1");
    unfinished.note(first, 900);
    known = true;
    const second = sender("tcp://host:2");
    unfinished.note(second, 450);
    unfinished.note(first, 950);
    assert.deepEqual([failed, unfinished.bytes], [[], 1400]);
    unfinished.note(first, 0);
    unfinished.note(second, 0);
    assert.equal(unfinished.bytes, 0);
  });

  test("are freed when the message is complete", () => {
    const { unfinished, failed, sender, clock } = setup();
    const one = sender("tcp://a:1");
    for (let message = 0; message < 10; message++) {
      unfinished.note(one, 900, message);
      unfinished.note(one, 0, message + 1);
    }
    assert.deepEqual([failed, unfinished.bytes, clock.waits], [[], 0, []]);
  });
});

describe("the time of incomplete messages", () => {
  test("runs out for one that stalls, not for one that makes progress, nor for one that we do not read", () => {
    const { unfinished, failed, sender, clock } = setup({ unfinishedBytes: 2 ** 30 });
    const [stalls, goesOn, held] = [sender("tcp://a:1"), sender("tcp://b:1"), sender("tcp://c:1", true)];
    for (const one of [stalls, goesOn, held]) unfinished.note(one, 10);
    for (let step = 1; step <= 4; step++) {
      clock.pass(15_000);
      unfinished.note(goesOn, 10 + step * PROGRESS);
      if (step === 1) unfinished.note(stalls, 11);
    }
    assert.equal(failed.length, 1);
    assert.match(failed[0]!, /^tcp:\/\/a:1 Received less than 65536 bytes of a message within 30000 ms/);
  });

  test("runs out for one that goes on forever", () => {
    const { unfinished, failed, sender, clock } = setup({ unfinishedBytes: 2 ** 40 });
    const one = sender("tcp://a:1");
    for (let step = 0; failed.length === 0 && step < 1000; step++) {
      unfinished.note(one, 1 + step * PROGRESS);
      clock.pass(10_000);
    }
    assert.match(failed[0]!, /was not complete within 900000 ms/);
  });

  test("starts again with each message of a connection that always has one under way", () => {
    const { unfinished, failed, sender, clock } = setup();
    const one = sender("tcp://a:1");
    for (let message = 0; message < 1000; message++) {
      unfinished.note(one, 100, message);
      clock.pass(10_000);
    }
    assert.deepEqual(failed, []);
  });
});

const READY = bytes(greeting(), encodeReady("DEALER", undefined));

describe("a ROUTER", { timeout: 120_000 }, () => {
  test("disconnects unknown hosts whose half-sent frames hold too much, and serves others", async () => {
    const { log } = recordingLogger();
    const context = testContext({ log, net: memoryNet() });
    const router = new RouterSocket(context, { unfinishedBytes: 300_000 });
    let whole = 0;
    router.onMessage(() => whole++);
    const at = await router.bind("tcp://127.0.0.1:0");
    // Each claims 200 MiB and sends 100,000 bytes of it.
    const half = bytes(READY, 2, 0, 0, 0, 0, 0x0c, 0x80, 0, 0, new Uint8Array(100_000));
    const peers: RawPeer[] = [];
    for (let count = 0; count < 10; count++) {
      const peer = await RawPeer.dial(context.net, at);
      peer.say(half);
      peers.push(peer);
      await turns(5);
    }
    await until(() => peers.filter((peer) => peer.closed).length >= 7);
    assert.ok(router.unfinished.bytes <= 300_000);
    const honest = await RawPeer.dial(context.net, at);
    honest.say(READY, writeFrame(0, new Uint8Array(50)));
    await until(() => whole >= 1);
    await router.close();
    assert.equal(router.unfinished.bytes, 0);
  });

  test("disconnects a peer that never completes its message", async () => {
    const clock = new HandClock();
    const context = testContext({ clock, net: memoryNet() });
    const router = new RouterSocket(context);
    router.onMessage(() => {});
    const peer = await RawPeer.dial(context.net, await router.bind("tcp://127.0.0.1:0"));
    peer.say(READY, 2, 0, 0, 0, 0, 0x0c, 0x80, 0, 0, 1);
    await until(() => router.unfinished.bytes > 0);
    clock.pass(60_000);
    await until(() => peer.closed);
    assert.equal(router.unfinished.bytes, 0);
    await router.close();
  });

  test("stops reading from a peer that does not read its replies", async () => {
    const context = testContext({ net: memoryNet() });
    const router = new RouterSocket(context, { sendHighWaterMark: 0 });
    let answered = 0;
    router.onMessage((peer) => {
      answered++;
      router.send(peer, new Uint8Array(100_000));
    });
    const peer = await RawPeer.dial(context.net, await router.bind("tcp://127.0.0.1:0"));
    peer.connection.pause();
    for (let count = 0; count < 60; count++) {
      peer.say(...(count === 0 ? [READY] : []), writeFrame(0, bytes("?")));
      await turns(3);
    }
    assert.ok(answered < 30, `${answered} replies wait for a peer that reads none`);
    peer.connection.resume();
    await until(() => answered >= 60);
    await router.close();
  });
});

test("a PUB accepts no messages from its subscribers but topics", async () => {
  const context = testContext({ net: memoryNet() });
  const pub = new PubSocket(context);
  const peer = await RawPeer.dial(context.net, await pub.bind("tcp://127.0.0.1:0"));
  peer.say(greeting(), encodeReady("SUB", undefined), 2, 0, 0, 0, 0, 0, 0x40, 0, 0);
  await until(() => peer.closed);
  await pub.close();
});

test("the frames of an incomplete message hold no more memory than their own size", () => {
  const messages: Uint8Array[][] = [];
  const limits = { maxMessageSize: 2 ** 20, maxFrames: 100, maxCommandSize: 2 ** 20 };
  const decoder = new FrameDecoder(limits, {
    onMessage: (frames) => void messages.push(frames),
    onCommand: () => {},
  });
  decoder.commandsOnly = false;
  const command = writeFrame(4, new Uint8Array(60_000));
  for (let count = 0; count < 10; count++) decoder.push(bytes(command, writeFrame(MORE, bytes(count)), command));
  decoder.push(writeFrame(0, bytes(99)));
  assert.deepEqual(messages[0]!.map((frame) => frame[0]), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 99]);
  for (const frame of messages[0]!.slice(0, 10)) assert.equal(frame.buffer.byteLength, 1);
});
