/** What a master of a cluster has told its subscribers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ToldReturns } from "../../../src/host/master/cluster/told_returns.ts";

test("a return is told of once, whichever way it comes", () => {
  const told = new ToldReturns();
  assert.deepEqual([told.add("1", "a"), told.add("1", "b"), told.add("2", "a"), told.add("1", "a")], [
    true,
    true,
    true,
    false,
  ]);
});

test("the oldest are forgotten, and the latest are not", () => {
  const told = new ToldReturns(10);
  for (let jid = 0; jid < 25; jid++) told.add(String(jid), "a");
  assert.equal(told.add("24", "a"), false);
  assert.equal(told.add("15", "a"), false);
  assert.equal(told.add("0", "a"), true);
});
