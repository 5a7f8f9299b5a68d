import assert from "node:assert/strict";
import { test } from "node:test";
import { atOnce, Slices, type SliceSteps } from "../../../src/base/async/slices.ts";

function* counting(name: string, said: string[], steps: number): SliceSteps<string> {
  for (let step = 0; step < steps; step++) {
    said.push(`${name}${step}`);
    yield;
  }
  return name;
}

test("Slices runs one step in a turn, and one computation after the other", async () => {
  const turns: (() => void)[] = [];
  const slices = new Slices((callback) => void turns.push(callback));
  const said: string[] = [];
  const both = Promise.all([slices.run(counting("a", said, 2)), slices.run(counting("b", said, 2))]);
  const seen: string[] = [];
  for (let turn = 0; turn < 6; turn++) {
    while (turns.length === 0) await Promise.resolve();
    assert.equal(turns.length, 1);
    turns.shift()!();
    await Promise.resolve();
    seen.push(said.join(" "));
  }
  assert.deepEqual(await both, ["a", "b"]);
  assert.deepEqual(said, ["a0", "a1", "b0", "b1"]);
  assert.equal(seen[0], "a0");
});

test("Slices continues after a computation that throws", async () => {
  const slices = new Slices((callback) => queueMicrotask(callback));
  // deno-lint-ignore require-yield
  const failing = slices.run((function* (): SliceSteps<string> {
    throw new RangeError("no");
  })());
  await assert.rejects(failing, RangeError);
  assert.equal(await slices.run(counting("a", [], 1)), "a");
});

test("atOnce() runs all steps", () => {
  const said: string[] = [];
  assert.equal(atOnce(counting("a", said, 3)), "a");
  assert.equal(said.length, 3);
});
