import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  argumentsOfDraft,
  callText,
  draftOf,
  EMPTY_DRAFT,
  readSchedule,
  type ScheduleDraft,
  whenText,
} from "../../src/console/schedule_entry.ts";

describe("a schedule", () => {
  test("is read from what a minion answers, whatever it answers", () => {
    const schedule = readSchedule({
      enabled: false,
      nightly: { function: "state.apply", enabled: false },
      __mine_interval: { function: "mine.update" },
      broken: 7,
    });
    assert.equal(schedule!.enabled, false);
    assert.deepEqual(schedule!.entries.map(({ name, enabled }) => [name, enabled]), [["nightly", false]]);
    assert.deepEqual(readSchedule("{}"), { enabled: true, entries: [] });
    assert.equal(readSchedule(null), undefined);
    assert.equal(readSchedule([]), undefined);
    const many = Object.fromEntries(
      Array.from({ length: 5000 }, (_value, at) => [`j${at}`, { function: "test.ping" }]),
    );
    assert.equal(readSchedule(many)!.entries.length, 1000);
  });

  for (
    const [fields, expected] of [
      [{ minutes: 10 }, "every 10 minutes"],
      [{ hours: 24 }, "every day"],
      [{ seconds: 3600, splay: 30 }, "every hour, splay 30"],
      [{ minutes: 1, seconds: 30 }, "every 1 min 30 s"],
      [{ cron: "30 2 * * *" }, "cron 30 2 * * *"],
      [{ when: ["5:00pm", "6:00pm"] }, 'at ["5:00pm","6:00pm"]'],
      [{ once: "2026-12-01T00:00:00" }, "once at 2026-12-01T00:00:00"],
      [{ run_on_start: true }, "when the minion starts"],
      [{}, "never"],
      [{ seconds: "many" }, "never"],
    ] as [Record<string, unknown>, string][]
  ) {
    test(`says when a job runs: ${expected}`, () => assert.equal(whenText(fields), expected));
  }

  test("says what a job calls", () => {
    assert.equal(
      callText({ function: "state.apply", args: ["web", 1], kwargs: { test: true } }),
      "state.apply web 1 test=True",
    );
    assert.equal(callText({ func: "test.ping", args: "x" }), "test.ping");
    assert.ok(callText({ function: "x".repeat(10_000) }).length <= 300);
  });
});

describe("the form of a job", () => {
  test("sends what schedule.add takes", () => {
    const draft: ScheduleDraft = {
      ...EMPTY_DRAFT,
      name: "nightly",
      fun: "state.apply",
      args: '["web"]',
      kwargs: '{"test": true}',
      timing: "cron",
      time: "30 2 * * *",
      splay: '{"start": 1, "end": 9}',
      others: '{"return_job": false}',
    };
    assert.deepEqual(argumentsOfDraft(draft), {
      kwarg: {
        function: "state.apply",
        persist: true,
        return_job: false,
        job_args: ["web"],
        job_kwargs: { test: true },
        cron: "30 2 * * *",
        splay: { start: 1, end: 9 },
        maxrunning: 1,
      },
    });
  });

  const good: ScheduleDraft = { ...EMPTY_DRAFT, name: "a", fun: "test.ping", time: "5" };
  for (
    const [change, problem] of [
      [{ name: " " }, /name is required/],
      [{ fun: "ping" }, /function is required/],
      [{ args: "web" }, /Arguments: expected a JSON list/],
      [{ args: "{}" }, /Arguments: expected a JSON list/],
      [{ kwargs: "[]" }, /Keyword arguments/],
      [{ others: "x" }, /Other fields/],
      [{ time: "often" }, /number of minutes/],
      [{ time: "0" }, /number of minutes/],
      [{ timing: "cron", time: "" }, /time is required/],
      [{ maxrunning: "x" }, /expected a number/],
    ] as [Partial<ScheduleDraft>, RegExp][]
  ) {
    test(`names what is wrong: ${problem.source}`, () => {
      assert.equal(argumentsOfDraft(good).problem, undefined);
      assert.match(argumentsOfDraft({ ...good, ...change }).problem!, problem);
    });
  }

  for (
    const fields of [
      { function: "state.apply", args: ["web"], cron: "30 2 * * *", maxrunning: 2 },
      { function: "test.ping", hours: 2, maxrunning: 1, splay: { start: 1, end: 2 }, return_job: false },
      { function: "test.ping", when: ["5:00pm"], maxrunning: 1, kwargs: { a: 1 } },
      { function: "test.ping", once: "2026-12-01T00:00:00", maxrunning: 1, jid_include: false },
    ]
  ) {
    test(`sends a job back as it was: ${JSON.stringify(fields)}`, () => {
      const { kwarg, problem } = argumentsOfDraft(draftOf({ name: "a", enabled: true, fields }));
      assert.equal(problem, undefined);
      const { persist: _persist, job_args: args, job_kwargs: kwargs, ...rest } = kwarg;
      assert.deepEqual(
        { ...rest, ...(args === undefined ? {} : { args }), ...(kwargs === undefined ? {} : { kwargs }) },
        fields,
      );
    });
  }
});
