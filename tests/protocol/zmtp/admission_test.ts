/** New connections are let in as fast as they are answered. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns, until } from "../../../bench/bed/until.ts";
import { memoryNet } from "../../../src/runtime/memory/net.ts";
import { Admission } from "../../../src/protocol/zmtp/admission.ts";
import { RouterSocket } from "../../../src/protocol/zmtp/mod.ts";
import { ReqSocket } from "../../../src/protocol/zmtp/req.ts";
import { HandClock, RawPeer, testContext } from "./context.ts";

/** Connections that note when their handshake begins; a callback for the next turn runs with `turn()`. */
function setup(atOnce: number) {
  const clock = new HandClock();
  const nextTurn: (() => void)[] = [];
  const later = (callback: () => void) => void nextTurn.push(callback);
  const admission = new Admission(clock, atOnce, later, (host) => host.startsWith("minion"));
  const started: string[] = [];
  const come = (remote: string) => {
    const newcomer = { remote: `tcp://${remote}`, open: true, start: () => void started.push(remote) };
    admission.add(newcomer);
    return newcomer;
  };
  const turn = () => nextTurn.splice(0).forEach((callback) => callback());
  return { admission, clock, started, come, turn };
}

describe("Admission", () => {
  test("starts the next connection when one was answered, or has ended", () => {
    const { admission, come, started } = setup(2);
    const [a, b] = ["h1:1", "h2:1", "h3:1", "h4:1"].map(come);
    assert.deepEqual([started, admission.waiting], [["h1:1", "h2:1"], 2]);
    admission.asked(a!);
    assert.equal(admission.waiting, 2);
    admission.answered(a!);
    admission.ended(b!);
    assert.deepEqual([started, admission.waiting], [["h1:1", "h2:1", "h3:1", "h4:1"], 0]);
  });

  test("lets hosts take turns, and starts the newest connection of a host first", () => {
    const { admission, come, started } = setup(1);
    const order = ["h0:1", "h1:3", "h2:1", "h1:2", "h1:1"];
    const newcomers = new Map(["h0:1", "h1:1", "h1:2", "h1:3", "h2:1"].map((remote) => [remote, come(remote)]));
    for (const remote of order) admission.ended(newcomers.get(remote)!);
    assert.deepEqual(started, order);
  });

  test("gives known hosts three of four places, so that silent connections of others do not keep them out", () => {
    const { come, clock, started } = setup(1);
    for (let host = 0; host < 20; host++) come(`h${host}:1`);
    for (let host = 0; host < 4; host++) come(`minion${host}:1`);
    for (let second = 0; second < 6; second++) clock.pass(1300);
    assert.deepEqual(started.slice(0, 6), ["h0:1", "minion0:1", "minion1:1", "minion2:1", "h1:1", "minion3:1"]);
  });

  test("does not count a connection without a request, whose minion may be silent for days", () => {
    const { admission, come, started, turn } = setup(1);
    const [silent] = ["h1:1", "h2:1"].map(come);
    admission.opened(silent!);
    assert.deepEqual(started, ["h1:1"]);
    turn();
    assert.deepEqual(started, ["h1:1", "h2:1"]);
  });

  test("counts a connection again once its first request has come, and not with its second", () => {
    const { admission, come, started, turn } = setup(1);
    const late = come("h1:1");
    admission.opened(late);
    admission.asked(late);
    turn();
    come("h2:1");
    assert.deepEqual(started, ["h1:1"]);
    admission.answered(late);
    admission.asked(late);
    assert.deepEqual(started, ["h1:1", "h2:1"]);
  });

  test("waits a second for a connection that does not answer the handshake", () => {
    const { come, clock, started } = setup(1);
    come("h1:1");
    come("h2:1");
    clock.pass(900);
    assert.deepEqual(started, ["h1:1"]);
    clock.pass(400);
    assert.deepEqual(started, ["h1:1", "h2:1"]);
    assert.deepEqual(clock.waits, []);
  });

  test("waits for the answer to a request, however long it takes", () => {
    const { admission, come, clock, started } = setup(1);
    const slow = come("h1:1");
    come("h2:1");
    admission.asked(slow);
    clock.pass(60_000);
    assert.deepEqual(started, ["h1:1"]);
    admission.answered(slow);
    assert.deepEqual(started, ["h1:1", "h2:1"]);
  });

  test("lets in as many at once as are answered in a second", () => {
    const { admission, come, clock, started } = setup(1000);
    const newcomers = Array.from({ length: 2000 }, (_, at) => come(`h${at}:1`));
    assert.equal(started.length, 100);
    for (let done = 0; done < 800; done++) {
      if (done % 20 === 0) clock.pass(25);
      admission.asked(newcomers[done]!);
      admission.answered(newcomers[done]!);
    }
    assert.equal(started.length, 800 + 800);
  });

  test("forgets a connection that ends while it waits", () => {
    const { admission, come, started } = setup(1);
    const [first, second] = ["h1:1", "h2:1", "h3:1"].map(come);
    admission.ended(second!);
    assert.equal(admission.waiting, 1);
    admission.ended(first!);
    assert.deepEqual(started, ["h1:1", "h3:1"]);
  });
});

test("a socket greets a new connection only when it has answered enough of the others", async () => {
  const context = testContext({ net: memoryNet() });
  await using router = new RouterSocket(context, { admitAtOnce: 1 });
  const asked: (() => void)[] = [];
  router.onMessage((peer, frames) => void asked.push(() => router.send(peer, frames)));
  const at = await router.bind("tcp://127.0.0.1:0");
  await using req = new ReqSocket(context);
  req.connect(at);
  const reply = req.request(Uint8Array.of(1));
  await until(() => asked.length === 1);
  const other = await RawPeer.dial(context.net, at);
  await turns(5);
  assert.deepEqual([router.outside, other.received.length], [1, 0]);
  asked[0]!();
  await reply;
  await until(() => other.received.length > 0);
  assert.equal(router.outside, 0);
  other.connection.destroy();
});
