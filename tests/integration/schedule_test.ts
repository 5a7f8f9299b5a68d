/** The schedule of a minion: from its configuration, its pillar, and `schedule.*`, to returns at its master. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { type Cluster, type ClusterOptions, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };

type Fields = Record<string, unknown>;

/** The return of a function on web1. */
async function call(cluster: Cluster, fun: string, arg: unknown[] = [], keyword: Fields = {}): Promise<unknown> {
  const client = await cluster.client();
  const given = Object.keys(keyword).length === 0 ? arg : [...arg, { __kwarg__: true, ...keyword }];
  return (await client.command({ tgt: "web1", fun, arg: given })).web1;
}

/** Returns of a scheduled job that the master has had. */
const returns = ({ events }: Cluster, name: string) =>
  events.filter(({ tag, data }) => /^salt\/job\/[^/]+\/ret\//.test(tag) && data.schedule === name).map(({ data }) =>
    data
  );

const started = (minion: Fields, more: ClusterOptions = {}) => startCluster({ minion, ...more });

describe("a scheduled job", TIMEOUT, () => {
  test("returns to the master as a job of its own, with what was called", TIMEOUT, async () => {
    await using cluster = await started({
      schedule: {
        hello: { function: "test.arg", args: ["a"], kwargs: { b: 1 }, seconds: 10, metadata: { team: "blue" } },
      },
    });
    cluster.clock.advance(10_000);
    await until(() => returns(cluster, "hello").length >= 1);
    const [ret] = returns(cluster, "hello") as [Fields];
    const { args, kwargs } = ret.return as { args: unknown; kwargs: Fields };
    assert.deepEqual([args, kwargs.b, kwargs.__pub_schedule], [["a"], 1, "hello"]);
    assert.deepEqual([ret.fun, ret.fun_args, ret.retcode, ret.success], ["test.arg", ["a", { b: 1 }], 0, true]);
    assert.deepEqual(Object.keys(ret.metadata as Fields), ["team", "_TOS", "_TS", "_TT"]);
    assert.equal(typeof ret.pid, "number");
    const load = await cluster.master.services.jobs.load(ret.jid as string);
    assert.deepEqual([load?.fun, load?.tgt], ["test.arg", "web1"]);
  });

  test("shows that the master is looked after, where that is configured", TIMEOUT, async () => {
    await using cluster = await started({ master_alive_interval: 30 });
    const shown = await call(cluster, "schedule.list", [], { show_all: true, return_yaml: false }) as Fields;
    const [name] = Object.keys(shown).filter((one) => one.startsWith("__master_alive_"));
    const { kwargs, ...job } = shown[String(name)] as Fields;
    assert.deepEqual(kwargs, { master: String(name).slice("__master_alive_".length), connected: true });
    assert.deepEqual([job.function, job.seconds, job.return_job, job.maxrunning], ["status.master", 30, false, 1]);
    const usual = await call(cluster, "schedule.list", [], { return_yaml: false }) as Fields;
    assert.deepEqual(Object.keys(usual).filter((one) => one.startsWith("__")), []);
  });

  test("of several minions begins at the same moment, and each return is kept", TIMEOUT, async () => {
    await using cluster = await started(
      { schedule: { hello: { function: "test.ping", seconds: 10 } } },
      { minions: ["web1", "web2"] },
    );
    cluster.clock.advance(10_000);
    await until(() => returns(cluster, "hello").length >= 2);
    const jids = returns(cluster, "hello").map(({ jid }) => jid as string);
    assert.equal(new Set(jids).size, 2);
    const kept = await cluster.jids();
    assert.ok(jids.every((jid) => kept.includes(jid)));
  });

  test("that fails says so by its code, and one without a function is named", TIMEOUT, async () => {
    await using cluster = await started({
      schedule: {
        fails: { function: "test.exception", args: ["oh no"], seconds: 10 },
        missing: { function: "no.such", seconds: 10 },
        refuses: { function: "test.retcode", args: [3], seconds: 10 },
      },
    });
    cluster.clock.advance(10_000);
    const names = ["fails", "missing", "refuses"];
    await until(() => names.every((name) => returns(cluster, name).length >= 1));
    const [fails, missing, refuses] = names.map((name) => returns(cluster, name)[0]) as [Fields, Fields, Fields];
    assert.match(String(fails.return), /oh no/);
    assert.deepEqual([fails.retcode, fails.success], [254, false]);
    assert.deepEqual([missing.return, missing.retcode, missing.success], ["'no.such' is not available.", 254, false]);
    assert.deepEqual([refuses.retcode, refuses.success], [3, true]);
  });

  test("returns not at all where it shall not, and nowhere into the job cache as nocache", TIMEOUT, async () => {
    await using cluster = await started({
      schedule: {
        silent: { function: "test.ping", seconds: 10, return_job: false },
        passing: { function: "test.ping", seconds: 10, return_job: "nocache" },
        last: { function: "test.ping", seconds: 20 },
      },
    });
    const before = (await cluster.jids()).length;
    cluster.clock.advance(10_000);
    await until(() => returns(cluster, "passing").length >= 1);
    cluster.clock.advance(10_000);
    await until(() => returns(cluster, "last").length >= 1 && returns(cluster, "passing").length >= 2);
    assert.deepEqual(returns(cluster, "silent"), []);
    assert.equal(returns(cluster, "passing")[0]!.jid, "nocache");
    assert.equal((await cluster.jids()).length, before + 1, "the last one");
  });

  test("is not started again while it runs, and saltutil.running shows it", TIMEOUT, async () => {
    await using cluster = await started({ schedule: { long: { function: "test.sleep", args: [3600], seconds: 10 } } });
    cluster.clock.advance(10_000);
    await until(async () => ((await call(cluster, "saltutil.running")) as Fields[]).length === 1);
    for (let turn = 0; turn < 5; turn++) {
      cluster.clock.advance(10_000);
      await until(() => cluster.clock.waits.length > 0);
    }
    const running = await call(cluster, "saltutil.running") as Fields[];
    assert.deepEqual(running.map(({ schedule, fun }) => [schedule, fun]), [["long", "test.sleep"]]);
    const state = await call(cluster, "schedule.job_status", ["long"]) as Fields;
    assert.equal(state._skip_reason, "maxrunning");
  });

  test("that a restart has cut off is reported, and not run again", TIMEOUT, async () => {
    await using cluster = await started({ schedule: { long: { function: "test.sleep", args: [3600], seconds: 10 } } });
    cluster.clock.advance(10_000);
    await until(async () => ((await call(cluster, "saltutil.running")) as Fields[]).length === 1);
    await cluster.minions.get("web1")!.close();
    await (await cluster.startMinion("web1", { again: true })).ready;
    await until(() => returns(cluster, "long").length >= 1);
    const [ret] = returns(cluster, "long") as [Fields];
    assert.match(String(ret.return), /was stopped before this job ended/);
    assert.equal(ret.success, false);
    assert.deepEqual(await call(cluster, "saltutil.running"), []);
  });

  test("of the pillar runs, goes on over a refresh, and ends with its entry", TIMEOUT, async () => {
    let pillar: Fields = { schedule: { p: { function: "test.ping", seconds: 20 } } };
    await using cluster = await started({}, { compilePillar: () => Promise.resolve(pillar) });
    cluster.clock.advance(15_000);
    pillar = { ...pillar, schedule: { p: { function: "test.ping", seconds: 20 } }, other: 1 };
    await call(cluster, "saltutil.refresh_pillar", [], { wait: true });
    cluster.clock.advance(5_000);
    await until(() => returns(cluster, "p").length >= 1);
    const listed = await call(cluster, "schedule.list", [], { return_yaml: false, where: "pillar" }) as Fields;
    assert.deepEqual(Object.keys(listed), ["p"]);
    pillar = {};
    await call(cluster, "saltutil.refresh_pillar", [], { wait: true });
    assert.deepEqual(await call(cluster, "schedule.list", [], { return_yaml: false }), {});
  });
});

describe("schedule.*", TIMEOUT, () => {
  test("adds, shows, changes and removes jobs, and writes them for the next start", TIMEOUT, async () => {
    await using cluster = await started({});
    const file = `${cluster.minionDirectory("web1")}/minion.d/_schedule.conf`;
    const { fs } = cluster.runtimeOf("web1");
    assert.deepEqual(
      await call(cluster, "schedule.add", ["j"], { function: "test.ping", seconds: 10, splay: { start: 1, end: 2 } }),
      { comment: "Added job: j to schedule.", result: true, changes: { j: "added" } },
    );
    await until(() => fs.stat(file) !== undefined);
    assert.equal(
      fs.readText(file),
      "schedule:\n  __mine_interval: {enabled: true, function: mine.update, jid_include: true, maxrunning: 2,\n" +
        "    minutes: 60, name: __mine_interval, return_job: false, run: true, run_on_start: true,\n    splay: null}\n" +
        "  j:\n    enabled: true\n    function: test.ping\n    jid_include: true\n    maxrunning: 1\n    name: j\n" +
        "    seconds: 10\n    splay: {end: 2, start: 1}\n",
    );
    assert.match(String(await call(cluster, "schedule.list")), /^schedule:\n {2}j:\n {4}enabled: true\n/);
    assert.deepEqual(await call(cluster, "schedule.is_enabled", ["j"]), {
      function: "test.ping",
      seconds: 10,
      maxrunning: 1,
      name: "j",
      enabled: true,
      jid_include: true,
      splay: { start: 1, end: 2 },
    });
    const modified = await call(cluster, "schedule.modify", ["j"], { function: "test.ping", seconds: 20 }) as Fields;
    assert.deepEqual([modified.result, modified.comment], [true, "Modified job: j in schedule."]);
    assert.deepEqual(await call(cluster, "schedule.disable_job", ["j"]), {
      comment: "Disabled Job j in schedule.",
      result: true,
      changes: { j: "disabled" },
    });
    assert.deepEqual(await call(cluster, "schedule.run_job", ["j"]), { comment: "Job j is disabled.", result: true });
    assert.deepEqual(await call(cluster, "schedule.run_job", ["j"], { force: true }), {
      comment: "Scheduling Job j on minion.",
      result: true,
    });
    await until(() => returns(cluster, "j").length >= 1);
    assert.deepEqual(await call(cluster, "schedule.delete", ["j"]), {
      comment: "Deleted Job j from schedule.",
      result: true,
      changes: { j: "removed" },
    });
    assert.equal(await call(cluster, "schedule.list"), "schedule: {}\n");
  });

  test("a job is shifted from one time to another, and its next time is shown", TIMEOUT, async () => {
    await using cluster = await started({ schedule: { j: { function: "test.ping", hours: 1 } } });
    await until(async () =>
      (await call(cluster, "schedule.show_next_fire_time", ["j"]) as Fields).next_fire_time !== null
    );
    assert.deepEqual(await call(cluster, "schedule.skip_job", ["j", "tomorrow"]), {
      comment: "Date string could not be parsed.",
      result: false,
    });
    assert.deepEqual(
      await call(cluster, "schedule.postpone_job", ["j", "2024-05-06T08:08:09", "2024-05-06T09:00:00"]),
      {
        comment: "Postponed Job j in schedule.",
        result: true,
      },
    );
    const state = await call(cluster, "schedule.job_status", ["j"]) as Fields;
    const time_fmt = "%Y-%m-%dT%H:%M:%S";
    assert.deepEqual(state.skip_explicit, [{ time: "2024-05-06T08:08:09", time_fmt }]);
    assert.deepEqual(state.run_explicit, [{ time: "2024-05-06T09:00:00", time_fmt }]);
    assert.equal(state._seconds, 3600);
  });

  test("disables all jobs at once, and enables them", TIMEOUT, async () => {
    await using cluster = await started({ schedule: { j: { function: "test.ping", seconds: 10 } } });
    assert.deepEqual(await call(cluster, "schedule.disable"), {
      comment: "Disabled schedule on minion.",
      changes: { schedule: "disabled" },
      result: true,
    });
    assert.equal(await call(cluster, "schedule.is_enabled"), false);
    cluster.clock.advance(30_000);
    assert.deepEqual(await call(cluster, "schedule.enable"), {
      comment: "Enabled schedule on minion.",
      changes: { schedule: "enabled" },
      result: true,
    });
    assert.deepEqual(returns(cluster, "j"), []);
  });

  test("an entry that is no map stops no other, and bounds hold", TIMEOUT, async () => {
    await using cluster = await started({
      schedule: {
        bad: "text",
        worse: { function: "test.ping", seconds: "ten" },
        j: { function: "test.ping", seconds: 10 },
      },
    });
    cluster.clock.advance(10_000);
    await until(() => returns(cluster, "j").length >= 1);
    assert.match(cluster.captured.text(), /Scheduled job "bad" should have a dict value, not str/);
    assert.match(cluster.captured.text(), /Cannot use seconds "ten": expected a whole number. Ignoring job worse/);
    const long = "x".repeat(300);
    assert.deepEqual(await call(cluster, "schedule.add", [long], { function: "test.ping", seconds: 1 }), {
      comment: `Failed to add job ${long} to schedule.`,
      result: false,
      changes: {},
    });
  });
});
