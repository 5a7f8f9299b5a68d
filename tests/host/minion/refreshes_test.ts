import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "../../../src/base/log.ts";
import { Dispatcher } from "../../../src/host/minion/jobs/dispatcher.ts";
import { QueuedJobs } from "../../../src/host/minion/jobs/queued_jobs.ts";
import { Refreshes } from "../../../src/host/minion/refreshes.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** A dispatcher that waits for refreshes, and the functions that it has begun. */
function minion() {
  const clock = new FakeClock();
  const refreshes = new Refreshes(clock);
  const begun: string[] = [];
  const dispatcher = new Dispatcher({
    log: createLogger(() => {}),
    subject: () => ({ id: "m1", grains: {}, pillar: {} }),
    remembered: 100,
    processCountMax: -1,
    queued: new QueuedJobs(),
    refreshed: () => refreshes.over(),
    take: ({ fun }) => () => Promise.resolve(void begun.push(String(fun))),
    taken: () => false,
    again: () => {},
    asked: () => {},
  });
  let count = 0;
  const dispatch = (fun: string) =>
    dispatcher.dispatch({ tgt: "*", jid: `2026010100000000000${count++}`, fun, arg: [] });
  return { clock, refreshes, begun, dispatch };
}

test("refreshes: a job that comes after a refresh begins after it, and one about other jobs at once", async () => {
  const { refreshes, begun, dispatch } = minion();
  const pillar = Promise.withResolvers<void>();
  const grains = Promise.withResolvers<void>();
  const refreshed = refreshes.run(() => pillar.promise);
  const failed = assert.rejects(refreshes.run(() => grains.promise), /no grains/);
  const job = dispatch("pillar.get");
  await dispatch("saltutil.find_job");
  grains.reject(new Error("no grains"));
  await failed;
  assert.deepEqual(begun, ["saltutil.find_job"]);
  pillar.resolve();
  await Promise.all([refreshed, job]);
  await dispatch("test.ping");
  assert.deepEqual(begun, ["saltutil.find_job", "pillar.get", "test.ping"]);
  assert.equal(refreshes.over(), undefined);
});

test("refreshes: a job waits three seconds at most", async () => {
  const { clock, refreshes, begun, dispatch } = minion();
  void refreshes.run(() => new Promise(() => {}));
  const job = dispatch("test.ping");
  await clock.advance(2999);
  assert.deepEqual(begun, []);
  await clock.advance(1);
  await job;
  assert.deepEqual(begun, ["test.ping"]);
});
