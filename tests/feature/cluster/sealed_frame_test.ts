/** Content in parts, of senders that may be gone before the last of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type BusFrame, FrameParts } from "../../../src/feature/cluster/sealed_frame.ts";

const LIMIT = 1000;

function receiver() {
  const time = { ms: 0 };
  const parts = new FrameParts(LIMIT, () => time.ms);
  const add = (sender: string, part: number, of: number, size = 100, before = 0): number | undefined => {
    const frame: BusFrame = {
      sender,
      place: "all",
      number: 1,
      atMs: 0,
      before,
      part,
      parts: of,
      bytes: new Uint8Array(size),
    };
    return parts.add(frame)?.length;
  };
  return { time, parts, add };
}

test("parts that come in order are the whole, those of several senders beside each other", () => {
  const { add, parts } = receiver();
  assert.deepEqual([add("a", 0, 3), add("b", 0, 2, 50), add("a", 1, 3), add("b", 1, 2, 50), add("a", 2, 3, 7)], [
    undefined,
    undefined,
    undefined,
    100,
    207,
  ]);
  assert.equal(parts.waiting, 0);
});

for (
  const [what, rest] of [
    ["the part after the next", [2, 3, 100, 0]],
    ["a part of other content", [1, 3, 100, 9]],
    ["a part that makes it too large", [1, 3, 950, 0]],
  ] as const
) {
  test(`${what} ends what waits, and leaves nothing`, () => {
    const { add, parts } = receiver();
    add("a", 0, 3);
    const [part, of, size, before] = rest;
    assert.equal(add("a", part, of, size, before), undefined);
    assert.equal(parts.waiting, 0);
    assert.equal(add("a", 2, 3), undefined);
  });
}

test("a sender that goes on with something else leaves nothing of what it did not finish", () => {
  const { add, parts } = receiver();
  add("a", 0, 3, 400);
  assert.equal(add("a", 0, 1, 5), 5);
  assert.equal(parts.waiting, 0);
});

test("what a sender that is gone did not finish is given up after a minute", () => {
  const { add, parts, time } = receiver();
  for (let run = 0; run < 3; run++) add(`dead/${run}`, 0, 3);
  time.ms = 50_000;
  add("slow", 0, 3);
  assert.equal(parts.waiting, 400);
  time.ms = 70_000;
  add("b", 0, 1);
  assert.equal(parts.waiting, 100);
  add("slow", 1, 3);
  assert.equal(add("slow", 2, 3), 300);
});

test("all that is unfinished has a bound: the one without a part for longest goes first", () => {
  const { add, parts } = receiver();
  for (let sender = 0; sender < 50; sender++) add(`s${sender}`, 0, 3, 300);
  assert.ok(parts.waiting <= 2 * LIMIT + 300);
  add("s49", 1, 3, 300);
  assert.equal(add("s49", 2, 3, 300), 900);
  assert.equal(add("s0", 1, 3, 300), undefined);
});
