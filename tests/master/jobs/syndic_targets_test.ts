import assert from "node:assert/strict";
import { test } from "node:test";
import { SyndicTargets } from "../../../src/master/jobs/syndic_targets.ts";

/** A record of one job that counts how much is written. */
function record() {
  const lists = new Map<string, readonly string[]>();
  const counted = { saves: 0, names: 0, fails: false };
  const targets = new SyndicTargets({
    minions: () => Promise.resolve([...new Set([...lists.values()].flat())]),
    saveMinions(_jid, minions, syndic = "") {
      if (counted.fails) throw new Error("the disk is full");
      counted.saves++;
      counted.names += minions.length;
      lists.set(syndic, minions);
    },
  });
  return { targets, lists, counted };
}

test("names of many returns that arrive together cost as much as their number, and each is saved when it is told", async () => {
  const { targets, lists, counted } = record();
  const names = Array.from({ length: 5000 }, (_, n) => `web${n}`);
  await Promise.all(names.map(async (id) => {
    await targets.add("1", "edge", [id]);
    assert.ok(lists.get("edge")!.includes(id));
  }));
  assert.deepEqual(lists.get("edge"), names);
  assert.ok(counted.saves <= 3 && counted.names <= 3 * names.length, JSON.stringify(counted));
});

test("known names are not saved again, and syndics keep their own lists", async () => {
  const { targets, lists, counted } = record();
  await targets.add("1", "edge", ["a", "b"]);
  await targets.add("1", "edge", ["b"]);
  await targets.add("1", "other", ["c"]);
  assert.equal(counted.saves, 2);
  assert.deepEqual([lists.get("edge"), lists.get("other")], [["a", "b"], ["a", "b", "c"]]);
});

test("a failure reaches each caller, and the names are saved with the next", async () => {
  const { targets, lists, counted } = record();
  counted.fails = true;
  const results = await Promise.allSettled([targets.add("1", "edge", ["a"]), targets.add("1", "edge", ["b"])]);
  assert.deepEqual(results.map(({ status }) => status), ["rejected", "rejected"]);
  counted.fails = false;
  await targets.add("1", "edge", ["b"]);
  assert.deepEqual(lists.get("edge"), ["b"]);
});
