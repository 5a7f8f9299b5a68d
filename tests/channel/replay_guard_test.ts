import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ReplayGuard } from "../../src/channel/replay_guard.ts";

const blob = (n: number) => {
  const octets = new Uint8Array(64);
  new DataView(octets.buffer).setUint32(60, n);
  return octets;
};

describe("ReplayGuard", () => {
  test("takes a message once, of each minion", () => {
    const guard = new ReplayGuard();
    assert.equal(guard.admit("a", blob(1), 1000), true);
    assert.equal(guard.admit("a", blob(1), 1000), false);
    assert.equal(guard.admit("a", blob(1), 1001), false, "known by its octets, whatever time it says");
    assert.equal(guard.admit("a", blob(2), 1000), true);
    assert.equal(guard.admit("b", blob(1), 1000), true);
  });

  test("refuses what lies far behind the newest, and what it has forgotten lies there", () => {
    const guard = new ReplayGuard();
    for (let n = 0; n < 2000; n++) assert.equal(guard.admit("a", blob(n), 1000 + n), true);
    for (let n = 0; n < 2000; n++) assert.equal(guard.admit("a", blob(n), 1000 + n), false, String(n));
    assert.equal(guard.admit("a", blob(9999), 1000), false);
    assert.equal(guard.admit("a", blob(9999), 2500), true);
  });

  test("bounds what carries no time", () => {
    const guard = new ReplayGuard();
    let taken = 0;
    for (let n = 0; n < 5000; n++) if (guard.admit("a", blob(n), undefined)) taken++;
    assert.equal(taken, 1000);
    for (const ts of [NaN, Infinity, -Infinity]) assert.equal(guard.admit("a", blob(7), ts), false);
  });

  test("forgets with the session key", () => {
    const guard = new ReplayGuard();
    guard.admit("a", blob(1), 1e15);
    assert.equal(guard.admit("a", blob(2), 1000), false);
    guard.forget("a");
    assert.equal(guard.admit("a", blob(2), 1000), true);
  });
});
