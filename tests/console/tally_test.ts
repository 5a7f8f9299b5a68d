import assert from "node:assert/strict";
import { test } from "node:test";
import { Job } from "../../src/console/job.ts";
import { tallyOfJob, tallyOfReport } from "../../src/console/tally.ts";

for (
  const { report, want } of [
    { report: { returned: 3, failed: 1 }, want: { counts: [["failed", 1], ["returned", 3]], done: true } },
    { report: { returned: 3, published: 1 }, want: { counts: [["published", 1], ["returned", 3]], done: false } },
    { report: {}, want: { counts: [], done: false } },
    { report: { nonsense: 3, returned: "x" }, want: { counts: [], done: false } },
    { report: "no such function", want: undefined },
    { report: null, want: undefined },
  ]
) test(`tallyOfReport(): ${JSON.stringify(report)}`, () => assert.deepEqual(tallyOfReport(report), want));

test("tallyOfJob() counts the targets of a followed job", () => {
  const job = new Job({ jid: "1", fun: "test.ping", arg: [], tgt: "*", tgtType: "glob" });
  job.takeReport({ Minions: ["a", "b"], Result: { a: { return: 1, retcode: 0, success: true } } });
  assert.deepEqual(tallyOfJob(job), { counts: [["published", 1], ["returned", 1]], done: false });
});
