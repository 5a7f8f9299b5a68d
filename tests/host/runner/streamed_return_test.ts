import assert from "node:assert/strict";
import { test } from "node:test";
import { succeededIn } from "../../../src/host/runner/streamed_return.ts";

const highstate = (result: boolean) => ({
  outputter: "highstate",
  data: { m: { "test_|-a_|-a_|-nop": { result, comment: "", changes: {} } } },
});

test("a runner has failed if states in its return have, or if it says so", () => {
  assert.equal(succeededIn(false), true);
  assert.equal(succeededIn(false, 1), false);
  assert.equal(succeededIn({ a: 1 }, 0), true);
  assert.equal(succeededIn(highstate(true), 1), true);
  assert.equal(succeededIn(highstate(false)), false);
});
