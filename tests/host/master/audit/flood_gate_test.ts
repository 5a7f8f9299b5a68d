import assert from "node:assert/strict";
import { test } from "node:test";
import { FloodGate } from "../../../../src/host/master/audit/flood_gate.ts";

test("refusals of one source and of all are bounded, and counted", () => {
  let now = 0;
  const gate = new FloodGate(() => now);
  const refused = (from: string) => gate.admit({ kind: "publish", from, outcome: "AuthenticationError" });
  const passed = Array.from({ length: 1000 }, () => refused("10.0.0.7").length).reduce((sum, one) => sum + one);
  assert.equal(passed, 10);
  assert.equal(refused("10.0.0.8").length, 1);
  let all = 0;
  for (let at = 0; at < 100_000; at++) all += refused(`10.1.${at % 250}.${at % 7}`).length;
  assert.equal(all, 89);
  now = 60_000;
  const counts = gate.due();
  assert.ok(counts.length <= 201);
  assert.equal(counts.reduce((sum, { count }) => sum + Number(count), 0), 990 + 100_000 - 89);
  assert.deepEqual(counts[0], { kind: "more", of: "publish", from: "10.0.0.7", count: 990 });
  assert.deepEqual(gate.due(), []);
  assert.equal(refused("10.0.0.7").length, 1);
});

test("a minute that is not over is counted before the master stops", () => {
  const gate = new FloodGate(() => 0);
  for (let at = 0; at < 20; at++) gate.admit({ kind: "wheel", user: "ann", outcome: "x" });
  assert.deepEqual(gate.due(), []);
  assert.deepEqual(gate.due(true), [{ kind: "more", of: "wheel", user: "ann", count: 10 }]);
});
