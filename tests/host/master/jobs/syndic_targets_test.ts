import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_TARGETS, SyndicTargets } from "../../../../src/host/master/jobs/syndic_targets.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

/** A record of one job that counts how much is written. */
function record() {
  const lists = new Map<string, readonly string[]>();
  const counted = { saves: 0, names: 0, fails: false };
  const clock = new FakeClock();
  const targets = new SyndicTargets({
    minions: () => Promise.resolve([...new Set([...lists.values()].flat())]),
    saveMinions(_jid, minions, syndic = "") {
      if (counted.fails) throw new Error("the disk is full");
      counted.saves++;
      counted.names += minions.length;
      lists.set(syndic, minions);
    },
  }, clock);
  return { targets, lists, counted, clock };
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

test("a syndic that names its minions one by one has its list written the less often the longer it is", async () => {
  const { targets, lists, counted, clock } = record();
  const first = Array.from({ length: 5000 }, (_, n) => `web${n}`);
  await targets.add("1", "edge", first);
  let told = 0;
  // One after the other, each as soon as the one before is written; another job of the same syndic beside it.
  const name = async (jid: string, from: number) => {
    for (let n = from; n < from + 100; n++, told++) await targets.add(jid, "edge", [`db${n}`]);
  };
  void name("1", 0);
  await targets.add("2", "edge", first);
  for (let second = 0; second < 4; second++) {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    clock.advance(1000);
  }
  assert.ok(told >= 4 && counted.saves <= 12, JSON.stringify({ told, ...counted }));
  assert.ok(counted.names <= 2 * first.length + 10 * (first.length + 100), "half a second for each list of 5000");
  // Other syndics do not wait for it.
  await targets.add("1", "other", ["c"]);
  assert.ok(lists.get("other")!.includes("c"));
});

test("a job takes no more targets than that, and those that fit are taken", async () => {
  const { targets, lists } = record();
  const many = Array.from({ length: MAX_TARGETS }, (_, n) => `m${n}`);
  assert.equal(await targets.add("1", "edge", many), true);
  assert.equal(await targets.add("1", "other", ["one more"]), false);
  assert.equal(await targets.add("1", "other", [many[0]!]), true);
  assert.equal(lists.has("other"), false);
});
