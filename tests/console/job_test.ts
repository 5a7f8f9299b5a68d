import assert from "node:assert/strict";
import { test } from "node:test";
import { OUTCOME_STATES } from "../../src/model/job/outcome.ts";
import { Job, OUTPUT_LINES, PART_STATES } from "../../src/console/job.ts";
import { argumentsOfRecord, argumentText } from "../../src/console/job_arguments.ts";

const JID = "20261121084331391697";
const tag = (rest: string) => `salt/job/${JID}/${rest}`;
const fresh = () => new Job({ jid: JID, fun: "cmd.run", arg: [], tgt: "*", tgtType: "glob" });
const returned = (id: string, retcode = 0) => ({
  tag: tag(`ret/${id}`),
  data: { id, jid: JID, return: "x", retcode, success: retcode === 0 },
});

function started(...minions: string[]): Job {
  const job = fresh();
  job.apply({
    tag: tag("new"),
    data: { fun: "test.ping", tgt: "web*", tgt_type: "glob", arg: [1], user: "ada", minions },
  }, 1000);
  return job;
}

/** Compares the counters with the targets. */
function check(job: Job): void {
  for (const state of PART_STATES) {
    assert.equal(job.count(state), job.parts().filter((part) => part.state === state).length, state);
  }
}

test("a job is read from its first event, and is done when all minions have returned", () => {
  const job = started("web1", "web2");
  assert.deepEqual([job.head.fun, job.head.tgt, job.head.user, job.head.startedMs], ["test.ping", "web*", "ada", 1000]);
  assert.deepEqual([job.size, job.open, job.done], [2, 2, false]);
  assert.ok(job.apply(returned("web1"), 2000));
  assert.ok(!job.done);
  job.apply(returned("web2", 1), 3000);
  assert.ok(job.done);
  assert.deepEqual([job.count("returned"), job.count("failed"), job.bad], [1, 1, 1]);
  check(job);
});

test("every outcome of a Brine master has a state", () => {
  assert.deepEqual([...PART_STATES].sort(), [...OUTCOME_STATES, "no answer"].sort());
});

test("failures come first, then running targets, then returned ones", () => {
  const job = started("a", "b", "c", "d");
  job.apply(returned("a"), 0);
  job.apply(returned("c", 2), 0);
  job.apply({ tag: tag("outcome/d"), data: { id: "d", outcome: "lost", at: 1 } }, 0);
  assert.deepEqual(job.parts().map(({ id }) => id), ["c", "d", "b", "a"]);
  assert.deepEqual(job.parts(new Set(["lost"])).map(({ id }) => id), ["d"]);
  assert.deepEqual(job.waiting(), ["b"]);
  check(job);
});

test("events of other jobs change nothing", () => {
  const job = started("a");
  assert.ok(!job.apply({ tag: "salt/job/20261121084331391698/ret/a", data: { id: "a", return: 1 } }, 0));
  assert.ok(!job.apply({ tag: "salt/auth", data: { id: "a" } }, 0));
  assert.equal(job.open, 1);
});

test("a late return replaces an outcome, and later outcomes do not replace it", () => {
  const job = started("a");
  job.giveUp(["a", "stranger"]);
  assert.equal(job.part("a")?.state, "no answer");
  assert.ok(job.done);
  job.apply(returned("a"), 0);
  assert.equal(job.part("a")?.state, "returned");
  job.giveUp(["a"]);
  job.takeOutcomes({ Outcomes: { a: { Outcome: "timed out" } } });
  assert.equal(job.part("a")?.state, "returned");
  check(job);
});

test("each of the nine outcomes is taken from an event and from a report", () => {
  for (const outcome of PART_STATES.filter((state) => state !== "no answer")) {
    const byEvent = started("a");
    byEvent.apply({ tag: tag("outcome/a"), data: { id: "a", outcome, at: 12, note: "why" } }, 0);
    assert.deepEqual([byEvent.part("a")?.state, byEvent.part("a")?.note, byEvent.part("a")?.atMs], [
      outcome,
      "why",
      12_000,
    ]);
    const byReport = started("a");
    byReport.takeOutcomes({ Outcomes: { a: { Outcome: outcome, Note: "why" } } });
    assert.equal(byReport.part("a")?.state, outcome);
    check(byReport);
  }
});

test("unknown outcomes are ignored", () => {
  const job = started("a");
  assert.ok(!job.apply({ tag: tag("outcome/a"), data: { id: "a", outcome: "exploded" } }, 0));
  job.takeOutcomes({ Outcomes: { a: { Outcome: "exploded" }, b: null } });
  job.takeOutcomes("nonsense");
  assert.equal(job.part("a")?.state, "published");
});

test("live output is joined into lines, and marks the minion as running", () => {
  const job = started("a");
  const output = (text: string) =>
    job.apply({ tag: tag("out/a"), data: { id: "a", seq: 0, stream: "stdout", text } }, 0);
  output("one\ntw");
  assert.deepEqual([job.part("a")?.lines, job.part("a")?.tail, job.part("a")?.state], [["one"], "tw", "started"]);
  output("o\r\n");
  assert.deepEqual([job.part("a")?.lines, job.part("a")?.tail], [["one", "two"], ""]);
  for (let at = 0; at < 3; at++) output("line\n".repeat(OUTPUT_LINES));
  assert.equal(job.part("a")?.lines.length, OUTPUT_LINES);
});

test("a job is read from its report", () => {
  const job = fresh();
  job.takeReport({
    Function: "state.apply",
    Arguments: ["app", { __kwarg__: true, test: true }],
    Target: ["a", "b"],
    "Target-type": "list",
    User: "ada",
    Minions: ["a", "b"],
    Result: { a: { return: {}, retcode: 0, success: true } },
  });
  assert.deepEqual([job.head.fun, job.head.tgtType, job.size, job.open], ["state.apply", "list", 2, 1]);
  assert.equal(argumentText(job.head.arg), "app test=True");
  const copied = JSON.parse(JSON.stringify(job));
  assert.deepEqual(copied.result.b, { outcome: "published" });
  assert.deepEqual(copied.result.a, { outcome: "returned", return: {}, retcode: 0 });
});

test("an unknown job has an error", () => {
  const job = fresh();
  job.takeReport({ jid: JID, Error: "no such job", Result: {} });
  assert.equal(job.error, "no such job");
  assert.equal(job.size, 0);
});

test("a return of False without a code is no failure, one without success is", () => {
  const job = started("a", "b");
  job.apply({ tag: tag("ret/a"), data: { id: "a", return: false, retcode: 0, success: true } }, 0);
  job.apply({ tag: tag("ret/b"), data: { id: "b", return: "x", retcode: 0, success: false } }, 0);
  assert.deepEqual([job.part("a")?.state, job.part("b")?.state], ["returned", "failed"]);
});

test("argumentsOfRecord() tells keyword arguments from mappings", () => {
  assert.deepEqual(argumentsOfRecord(["a", { x: 1 }, { __kwarg__: true, cwd: "/" }]), {
    arg: ["a", { x: 1 }],
    kwarg: { cwd: "/" },
  });
});

test("an orchestration is the states of the master, and fails by its own code", () => {
  const states = {
    "salt_|-deploy_|-deploy_|-state": { __id__: "deploy", result: false, comment: "", changes: {}, __run_num__: 0 },
  };
  const report = (retcode: number) => ({
    Function: "runner.state.orchestrate",
    Target: "m1_master",
    Minions: ["m1_master"],
    Result: {
      m1_master: {
        return: {
          fun: "runner.state.orchestrate",
          fun_args: ["orch.deploy"],
          jid: "20261121084331391697",
          success: true,
          return: { data: { m1_master: states }, outputter: "highstate", retcode },
        },
      },
    },
  });
  for (const [retcode, state] of [[0, "returned"], [1, "failed"]] as const) {
    const job = new Job({ jid: "20261121084331391697", fun: "", arg: [], tgt: "", tgtType: "glob" });
    job.takeReport(report(retcode));
    assert.deepEqual([job.part("m1_master")!.state, job.part("m1_master")!.return], [state, states]);
    assert.deepEqual(job.head.arg, ["orch.deploy"]);
  }
});
