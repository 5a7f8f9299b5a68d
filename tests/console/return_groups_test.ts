import assert from "node:assert/strict";
import { test } from "node:test";
import { Job } from "../../src/console/job.ts";
import { groupsText, ReturnGroups } from "../../src/console/return_groups.ts";

const JID = "20261121084331391697";
const always = () => true;

function jobWith(returns: Record<string, unknown>, waiting: string[] = []): Job {
  const job = new Job({ jid: JID, fun: "cmd.run", arg: [], tgt: "*", tgtType: "glob" });
  job.expect([...Object.keys(returns), ...waiting]);
  for (const [id, value] of Object.entries(returns)) give(job, id, value);
  return job;
}

function give(job: Job, id: string, value: unknown, retcode = 0): void {
  job.apply({
    tag: `salt/job/${JID}/ret/${id}`,
    data: { id, return: value, retcode, success: retcode === 0 },
  }, 1000);
}

function grouped(job: Job): string[][] {
  const groups = new ReturnGroups();
  assert.ok(groups.take(job.parts(), always));
  return groups.all.map(({ ids }) => [...ids]);
}

const state = (duration: number, changes: object, start = "10:00:00") => ({
  "file_|-motd_|-/etc/motd_|-managed": {
    result: true,
    comment: "",
    changes,
    duration,
    start_time: start,
    __run_num__: 0,
  },
});

for (
  const [what, returns, expected] of [
    ["texts", { a: "x", b: "x", c: "y" }, [["a", "b"], ["c"]]],
    ["mappings with their keys in another order", {
      a: { x: 1, y: [{ p: 1, q: 2 }] },
      b: { y: [{ q: 2, p: 1 }], x: 1 },
    }, [
      ["a", "b"],
    ]],
    ["lists in another order", { a: [1, 2], b: [2, 1] }, [["a"], ["b"]]],
    ["a text and the value that looks like it", { a: "1", b: 1, c: "true", d: true }, [["a"], ["b"], ["c"], ["d"]]],
    ["a text with the JSON of a mapping", { a: '{"x":1}', b: { x: 1 } }, [["a"], ["b"]]],
    ["states with other times", { a: state(1.5, {}), b: state(99, {}, "11:11:11") }, [["a", "b"]]],
    ["states with other changes", { a: state(1, {}), b: state(1, { diff: "x" }) }, [["a"], ["b"]]],
    ["times that are no times of states", { a: { duration: 1 }, b: { duration: 2 } }, [["a"], ["b"]]],
    ["a key that is a property of all objects", { a: JSON.parse('{"__proto__":1}'), b: {} }, [["a"], ["b"]]],
  ] as [string, Record<string, unknown>, string[][]][]
) {
  test(`equal returns are one group, others are not: ${what}`, () => {
    assert.deepEqual(grouped(jobWith(returns)), expected);
  });
}

test("the same return with another exit code is another group, and who has not returned is in none", () => {
  const job = jobWith({ a: "x", b: "x" }, ["late"]);
  give(job, "c", "x", 1);
  assert.deepEqual(grouped(job), [["a", "b"], ["c"]]);
});

test("minions without a return are grouped by what happened to them", () => {
  const job = jobWith({ a: "x" }, ["b", "c"]);
  job.giveUp(["b", "c"]);
  assert.deepEqual(grouped(job), [["b", "c"], ["a"]]);
});

test("returns are taken in slices, and a later one moves its minion to another group", () => {
  const job = jobWith({ a: "x", b: "x", c: "y" }, ["d"]);
  const groups = new ReturnGroups();
  let budget = 3;
  assert.equal(groups.take(job.parts(), () => budget-- > 0), false);
  assert.equal(groups.all.reduce((sum, { ids }) => sum + ids.size, 0), 2);
  assert.ok(groups.take(job.parts(), always));
  assert.equal(groupsText(groups.all), "2 identical, 1 differs in 1 group");
  give(job, "d", "x");
  give(job, "c", "x");
  assert.ok(groups.take(job.parts(), always));
  assert.equal(groupsText(groups.all), "all 4 identical");
});

test("a return that is nested deeper than the stack allows is grouped, not an error", () => {
  const deep = JSON.parse(`${"[".repeat(50_000)}1${"]".repeat(50_000)}`);
  assert.deepEqual(grouped(jobWith({ a: deep, b: "x" })).length, 2);
});

test("groups are told in words", () => {
  const returns = Object.fromEntries(
    Array.from({ length: 5000 }, (_value, at) => [`m${at}`, at % 1000 === 7 ? at : "ok"]),
  );
  const groups = new ReturnGroups();
  groups.take(jobWith(returns).parts(), always);
  assert.equal(groupsText(groups.all), "4,995 identical, 5 differ in 5 groups");
  assert.equal(groupsText([]), "nothing has returned yet");
});
