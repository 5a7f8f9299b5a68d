import assert from "node:assert/strict";
import { test } from "node:test";
import { EventRate } from "../../../src/host/master/event_rate.ts";

test("events are counted by their source, and all together, in a minute", () => {
  let now = 0;
  const rate = new EventRate(() => now, { one: 2, all: 5 });
  const takes = (...sources: string[]) => sources.map((source) => rate.take(source));
  assert.deepEqual(takes("a", "a", "a", "b", "b", "b"), [true, true, false, true, true, false]);
  assert.deepEqual(takes("c", "c", "d"), [true, false, false]);
  now = 59_999;
  assert.deepEqual(takes("a"), [false]);
  now = 60_000;
  assert.deepEqual(takes("a", "a", "a"), [true, true, false]);
});

test("sources beyond those that are counted by themselves count together", () => {
  const rate = new EventRate(() => 0, { one: 1, all: 100, sources: 2 });
  assert.deepEqual(["a", "b", "c", "d", "a"].map((source) => rate.take(source)), [true, true, true, false, false]);
});
