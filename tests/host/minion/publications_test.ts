/** What a minion logs when the publisher of its master goes and comes back, at the default level of the log. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Publications } from "../../../src/host/minion/publications.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

function bed() {
  const clock = new FakeClock();
  const captured = captureLog();
  const closing = new AbortController();
  const on = { connect: () => {}, disconnect: () => {} };
  const sub = {
    introduces: false,
    subscribe: () => {},
    connect: () => {},
    onMessage: () => {},
    onConnect: (call: () => void) => on.connect = call,
    onDisconnect: (call: () => void) => on.disconnect = call,
  };
  const publications = new Publications({
    clock,
    log: captured.log,
    address: "tcp://m:4506",
    sub: sub as never,
    reader: undefined as never,
    topics: undefined,
    onPublication: () => {},
    introduction: () => Promise.resolve(new Uint8Array(0)),
    signal: closing.signal,
  });
  return { clock, closing, on, said: () => captured.complaints(), connecting: publications.connect("tcp://m:4505") };
}

const LOST = "connection to the master lost: reconnecting";

test("a master that goes is one warning at once, then one every ten minutes, and one line when it is back", async () => {
  const { clock, on, said, connecting } = bed();
  on.connect();
  await connecting;
  clock.advance(60 * 60_000);
  assert.deepEqual(said(), []);
  on.disconnect();
  on.disconnect();
  assert.deepEqual(said(), [LOST]);
  clock.advance(21 * 60_000);
  on.connect();
  clock.advance(60 * 60_000);
  assert.deepEqual(said(), [LOST, LOST, LOST, "the master is back"]);
});

test("a publisher that was never reached is named, though the master has let the minion in", async () => {
  const { clock, on, said, connecting } = bed();
  clock.advance(14_000);
  assert.deepEqual(said(), []);
  clock.advance(2000);
  assert.deepEqual(said(), ["the publisher of the master cannot be reached: no jobs arrive"]);
  on.connect();
  await connecting;
  assert.equal(said().at(-1), "the master is back");
});

test("a connection that is closed says nothing more", async () => {
  const { clock, closing, on, said, connecting } = bed();
  on.connect();
  await connecting;
  on.disconnect();
  closing.abort(new Error("closed"));
  on.disconnect();
  clock.advance(60 * 60_000);
  assert.deepEqual(said(), [LOST]);
});
