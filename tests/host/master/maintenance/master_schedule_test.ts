/** Runners that a master runs by time. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../../../bench/bed/until.ts";
import { deferred } from "../../../../src/base/async/deferred.ts";
import { runReturn } from "../../../../src/model/event/tag.ts";
import type { MasterRunnerJob, Runners } from "../../../../src/host/master/jobs/runners.ts";
import { type Cluster, startCluster } from "../../../support/start_cluster.ts";

const TIMEOUT = { timeout: 120_000 };

/** Runners that are recorded; `end` has the oldest one return. */
function recordingRunners() {
  const started: MasterRunnerJob[] = [];
  const ends: (() => void)[] = [];
  const runners: Runners = {
    run(job) {
      const over = deferred<{ status: string; printed: string }>();
      started.push(job);
      ends.push(() => over.resolve({ status: "exit code 0", printed: "" }));
      return over.promise;
    },
    close: () => {},
  };
  const end = (cluster: Cluster, data: Record<string, unknown>) => {
    const { jid } = started[ends.length - 1]!;
    cluster.master.services.bus.fire(runReturn(jid), { jid, ...data });
    ends.pop()!();
  };
  return { runners, started, end };
}

describe("the schedule of a master", TIMEOUT, () => {
  test("runs runners with their arguments, and fires how they end", TIMEOUT, async () => {
    const { runners, started, end } = recordingRunners();
    await using cluster = await startCluster({
      minions: [],
      runners,
      master: { schedule: { list: { function: "jobs.list_jobs", args: ["a"], kwargs: { b: 1 }, seconds: 10 } } },
    });
    await cluster.clock.waiting(10_000);
    cluster.clock.advance(10_000);
    await until(() => started.length >= 1);
    assert.deepEqual([started[0]!.fun, started[0]!.low], ["jobs.list_jobs", { arg: ["a"], kwarg: { b: 1 } }]);
    end(cluster, { return: { done: true }, success: true });
    const { data } = await cluster.event("__schedule_return");
    const { _stamp, jid, id, ...rest } = data;
    assert.deepEqual([jid, id, typeof _stamp], [started[0]!.jid, "salt_master", "string"]);
    assert.deepEqual(rest, {
      cmd: "_return",
      fun: "jobs.list_jobs",
      fun_args: ["a", { b: 1 }],
      schedule: "list",
      return: { done: true },
      success: true,
      retcode: 0,
    });
  });

  test("sends returns to the returners of an entry, also where no event is wanted", TIMEOUT, async () => {
    const { runners, started, end } = recordingRunners();
    const sent: unknown[] = [];
    const entry = {
      function: "test.arg",
      seconds: 10,
      returner: ["one", "two"],
      return_config: "alt",
      return_job: false,
    };
    await using cluster = await startCluster({
      minions: [],
      runners,
      sendToReturners: (wanted, { fun, schedule, return: value }) =>
        Promise.resolve(void sent.push([wanted, fun, schedule, value])),
      master: { schedule: { list: entry } },
    });
    await cluster.clock.waiting(10_000);
    cluster.clock.advance(10_000);
    await until(() => started.length >= 1);
    end(cluster, { return: 7, success: true });
    await until(() => sent.length >= 1);
    assert.deepEqual(sent, [[{ names: ["one", "two"], retConfig: "alt" }, "test.arg", "list", 7]]);
    assert.ok(!cluster.events.some(({ tag }) => tag === "__schedule_return"));
  });

  test("takes a changed schedule: new jobs run, and those that are as they were go on", TIMEOUT, async () => {
    const { runners, started } = recordingRunners();
    await using cluster = await startCluster({ minions: [], runners });
    const stays = { function: "test.arg", args: ["stays"], seconds: 10 };
    const values = (schedule: unknown) => ({ ...cluster.master.services.opts, schedule });
    assert.deepEqual(cluster.master.reload(values({ stays, goes: { ...stays, args: ["goes"] } })), ["schedule"]);
    await cluster.clock.waiting(10_000);
    cluster.clock.advance(6000);
    cluster.master.reload(values({ stays, comes: { ...stays, args: ["comes"] } }));
    await cluster.clock.waiting(4000);
    cluster.clock.advance(4000);
    await until(() => started.length >= 1);
    assert.deepEqual(started[0]!.low, { arg: ["stays"], kwarg: {} });
    await until(() => cluster.clock.waits.some((ms) => ms > 1000 && ms <= 6000));
    cluster.clock.advance(6000);
    await until(() => started.length >= 2);
    assert.deepEqual(started[1]!.low, { arg: ["comes"], kwarg: {} });
  });

  test("starts none again that has not ended, and an entry that cannot be used stops no other", TIMEOUT, async () => {
    const { runners, started } = recordingRunners();
    await using cluster = await startCluster({
      minions: [],
      runners,
      master: {
        schedule: { bad: 1, worse: { function: "test.arg", once: "never" }, j: { function: "test.arg", seconds: 10 } },
      },
    });
    for (let turn = 0; turn < 3; turn++) {
      await until(() => cluster.clock.waits.some((ms) => ms > 1000 && ms <= 10_000));
      cluster.clock.advance(10_000);
      await until(() => started.length > 0);
    }
    assert.equal(started.length, 1);
    assert.match(cluster.captured.text(), /Scheduled job "bad" should have a dict value, not int/);
    assert.match(cluster.captured.text(), /Date string could not be parsed: never/);
  });
});
