import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ReplayGuard } from "../../../src/protocol/channel/replay_guard.ts";

const blob = (n: number) => {
  const bytes = new Uint8Array(64);
  new DataView(bytes.buffer).setUint32(60, n);
  return bytes;
};

describe("ReplayGuard", () => {
  test("admits a message once for each minion", () => {
    const guard = new ReplayGuard();
    assert.equal(guard.admit("a", blob(1), 1000), true);
    assert.equal(guard.admit("a", blob(1), 1000), false);
    assert.equal(guard.admit("a", blob(1), 1001), false, "known by its bytes, whatever time it says");
    assert.equal(guard.admit("a", blob(2), 1000), true);
    assert.equal(guard.admit("b", blob(1), 1000), true);
  });

  test("refuses messages far older than the newest; all it has forgotten are that old", () => {
    const guard = new ReplayGuard();
    for (let n = 0; n < 2000; n++) assert.equal(guard.admit("a", blob(n), 1000 + n), true);
    for (let n = 0; n < 2000; n++) assert.equal(guard.admit("a", blob(n), 1000 + n), false, String(n));
    assert.equal(guard.admit("a", blob(9999), 1000), false);
    assert.equal(guard.admit("a", blob(9999), 2500), true);
  });

  test("recognises a message after any number of others, in any order of their times", () => {
    const guard = new ReplayGuard();
    const times = Array.from({ length: 20_000 }, (_, n) => 5000 + n / 100 + (n % 7) * 60);
    for (const [n, ts] of times.entries()) assert.equal(guard.admit("a", blob(n), ts), true, String(n));
    for (const [n, ts] of times.entries()) assert.equal(guard.admit("a", blob(n), ts), false, String(n));
  });

  test("works for days and still knows the last minutes", () => {
    const guard = new ReplayGuard();
    for (let n = 0; n < 20_000; n++) {
      const ts = 1.7e9 + n * 100.25;
      assert.equal(guard.admit("a", blob(n), ts), true);
      for (let back = 0; back < 7 && back <= n; back++) {
        assert.equal(guard.admit("a", blob(n - back), ts - back * 100.25), false);
      }
    }
  });

  test("bounds the messages of a minion within the window, and admits more under a new key", () => {
    const guard = new ReplayGuard();
    let taken = 0;
    for (let n = 0; n < 300_000; n++) if (guard.admit("a", blob(n), 1000)) taken++;
    assert.equal(taken, 2 ** 18);
    assert.equal(guard.admit("b", blob(1), 1000), true);
    guard.begin("a", undefined);
    assert.equal(guard.admit("a", blob(1), 1000), true);
  });

  test("bounds messages without a time", () => {
    const guard = new ReplayGuard();
    let taken = 0;
    for (let n = 0; n < 5000; n++) if (guard.admit("a", blob(n), undefined)) taken++;
    assert.equal(taken, 1000);
    for (const ts of [NaN, Infinity, -Infinity]) assert.equal(guard.admit("a", blob(7), ts), false);
  });

  test("is cleared with the session key", () => {
    const guard = new ReplayGuard();
    guard.admit("a", blob(1), 1e15);
    assert.equal(guard.admit("a", blob(2), 1000), false);
    guard.begin("a", undefined);
    assert.equal(guard.admit("a", blob(2), 1000), true);
  });

  test("starts where another one has ended: messages that it may have admitted are refused", () => {
    const first = new ReplayGuard();
    assert.equal(first.newest("a"), undefined);
    for (const ts of [1000, 1200, 1100]) first.admit("a", blob(ts), ts);
    assert.equal(first.newest("a"), 1200);
    const next = new ReplayGuard();
    next.begin("a", first.newest("a") as number);
    assert.equal(next.newest("a"), 1200);
    for (const ts of [1000, 1100, 1200, undefined]) assert.equal(next.admit("a", blob(7), ts), false, String(ts));
    assert.equal(next.admit("a", blob(8), 1201), true);
  });

  test("has no known end if a message had no time", () => {
    const guard = new ReplayGuard();
    guard.admit("a", blob(1), 1000);
    guard.admit("a", blob(2), undefined);
    assert.equal(guard.newest("a"), "unknown");
  });
});
