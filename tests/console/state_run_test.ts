import assert from "node:assert/strict";
import { test } from "node:test";
import { durationText, isStateRun, runSummary, statesOf } from "../../src/console/state_run.ts";

const state = (number: number, result: boolean | null, more: Record<string, unknown> = {}) => ({
  __id__: `s${number}`,
  __run_num__: number,
  result,
  comment: "",
  changes: {},
  name: `n${number}`,
  ...more,
});

const RUN = {
  "file_|-s0_|-/a_|-managed": state(0, true, {
    duration: 1.4,
    comment: "File updated\nand more",
    changes: { diff: "+" },
  }),
  "cmd_|-s1_|-n1_|-run": state(1, null, { changes: { pid: 1 }, duration: "2.5 ms" }),
  "pkg_|-s2_|-n2_|-installed": state(2, false, { comment: "not there", duration: 1250 }),
  "test_|-s3_|-n3_|-nop": state(3, true),
};

test("statesOf() has failures first, then what would change, what changed and the rest, each with function, comment and time", () => {
  assert.ok(isStateRun(RUN));
  assert.deepEqual(statesOf(RUN).map(({ id, mark, text }) => [id, mark, text]), [
    ["s2", "failed", "pkg.installed · not there · 1.3 s"],
    ["s1", "would change", "cmd.run · n1 · 3 ms"],
    ["s0", "changed", "file.managed · File updated · 1 ms"],
    ["s3", "ok", "test.nop · n3"],
  ]);
});

test("runSummary() counts what came of a run, and how long it took", () => {
  assert.equal(runSummary(RUN), "1 failed, 1 would change, 1 changed, 1 ok in 1.3 s");
  assert.equal(runSummary({ "a_|-b_|-c_|-d": state(0, false) }), "1 failed, 0 ok");
});

for (
  const [ms, text] of [[0.4, "0 ms"], [999.4, "999 ms"], [999.6, "1.0 s"], [59_900, "59.9 s"], [
    125_400,
    "2 min 5 s",
  ]] as const
) {
  test(`${ms} milliseconds are ${text}`, () => assert.equal(durationText(ms), text));
}
