import assert from "node:assert/strict";
import { test } from "node:test";
import type { TargetOutcome } from "../../../src/job/outcome.ts";
import { OutcomeStore } from "../../../src/master/jobs/outcome_store.ts";
import { memoryJobCache } from "../../../src/plugins/job_caches/memory.ts";

test("OutcomeStore keeps one outcome for each target of a job while nothing can be saved", async () => {
  let full = true;
  const saved: string[] = [];
  const jobs = {
    saveOutcomes(jid: string, outcomes: readonly TargetOutcome[]) {
      if (full) throw new Error("the disk is full");
      for (const { minion, state } of outcomes) saved.push(`${jid} ${minion} ${state}`);
    },
    settle: (jid: string) => void saved.push(`${jid} settled`),
  };
  const told: string[] = [];
  const store = new OutcomeStore(
    { ...memoryJobCache(() => 0), ...jobs },
    () => Promise.resolve(),
    (jid, outcomes) => void told.push(...outcomes.map(({ minion }) => `${jid} ${minion}`)),
  );
  const of = (minion: string, state: TargetOutcome["state"]): TargetOutcome => ({ minion, state, atMs: 1 });
  for (let i = 0; i < 1000; i++) {
    store.save("1", [of("web1", i % 2 === 0 ? "started" : "published"), of("web2", "published")], false);
    store.retry(() => true, () => true);
  }
  store.save("1", [of("web1", "returned")], true);
  assert.equal(store.waiting, 2);
  full = false;
  store.retry(() => true, () => false);
  assert.deepEqual(saved, ["1 web1 returned", "1 web2 published", "1 settled"]);
  assert.equal(store.waiting, 0);
  assert.deepEqual(told, [], "nothing is told of before it is durable");
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  assert.deepEqual(told, ["1 web1", "1 web2"]);
});
