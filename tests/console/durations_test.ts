import assert from "node:assert/strict";
import { test } from "node:test";
import { durationsOf, slowestFirst } from "../../src/console/tally.ts";
import { Job } from "../../src/console/job.ts";

const JID = "20261121084331391697";
const fresh = () => new Job({ jid: JID, fun: "test.ping", arg: [], tgt: "*", tgtType: "glob" });

test("the time of a return goes by the stamps of the master, not by the clock of the browser", () => {
  const job = fresh();
  job.apply(
    { tag: `salt/job/${JID}/new`, data: { minions: ["a", "b", "c"], _stamp: "2026-11-21T08:43:31.000000" } },
    5,
  );
  for (const [id, stamp] of [["a", "08:43:33.500000"], ["b", "08:43:31.250000"], ["c", "no time"]]) {
    job.apply(
      { tag: `salt/job/${JID}/ret/${id}`, data: { id, return: 1, retcode: 0, _stamp: `2026-11-21T${stamp}` } },
      9e9,
    );
  }
  assert.deepEqual(job.parts().map(({ id, tookMs }) => [id, tookMs]), [["a", 2500], ["b", 250], ["c", undefined]]);
  assert.deepEqual(slowestFirst(job.parts()).map(({ id }) => id), ["a", "b", "c"]);
  assert.deepEqual(durationsOf(job.parts()), { median: 250, slowest: 2500, slowestId: "a" });
});

test("the time of a job on record is what the master has noted", () => {
  const job = fresh();
  job.takeReport({ Minions: ["a", "b", "c"], Result: { a: { return: 1, retcode: 0 } } });
  job.takeOutcomes({
    StartTime: "2026, Nov 21 08:43:31.391697",
    Outcomes: {
      a: { Outcome: "returned", At: "2026, Nov 21 08:43:41.391000" },
      b: { Outcome: "lost", At: "2026, Nov 21 08:44:00.000000" },
      c: { Outcome: "failed", At: "yesterday" },
    },
  });
  assert.deepEqual(Object.fromEntries(job.parts().map(({ id, tookMs }) => [id, tookMs])), {
    a: 10_000,
    b: undefined,
    c: undefined,
  });
});

test("without any time there is nothing to tell", () => {
  assert.equal(durationsOf(fresh().parts()), undefined);
});
