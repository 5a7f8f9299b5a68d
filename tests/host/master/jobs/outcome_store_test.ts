/** Outcomes that the job cache does not take at once. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deferred } from "../../../../src/base/async/deferred.ts";
import type { JobCache } from "../../../../src/model/job/job_cache.ts";
import { BEGUN_UNWRITTEN, type TargetOutcome } from "../../../../src/model/job/outcome.ts";
import { OutcomeStore } from "../../../../src/host/master/jobs/outcome_store.ts";
import { memoryJobCache } from "../../../../src/plugins/job_caches/memory.ts";

const JID = "20261128000128725059";

const outcome = (state: TargetOutcome["state"]): TargetOutcome => ({ minion: "web1", state, atMs: 1 });

describe("OutcomeStore", () => {
  test("an outcome that fails late does not replace a later one that failed before it", async () => {
    const saved: string[] = [];
    const told: string[] = [];
    let full = false;
    const syncing = [deferred<void>()];
    const jobs = {
      saveOutcomes(_jid, outcomes) {
        if (full) throw new Error("no space left");
        saved.push(...outcomes.map(({ state }) => state));
      },
      settle: () => void saved.push("settled"),
    } as Partial<JobCache> as JobCache;
    const store = new OutcomeStore(
      jobs,
      () => syncing.at(-1)!.promise,
      (_jid, outcomes) => void told.push(...outcomes.map(({ state }) => state)),
    );
    store.save(JID, [outcome("queued")], false);
    full = true;
    store.save(JID, [outcome("lost")], false);
    assert.equal(store.lacks(JID, "web1"), true);
    // The sync of what was written first fails after all.
    syncing[0]!.reject(new Error("no space left"));
    for (let turn = 0; turn < 10; turn++) await undefined;

    full = false;
    saved.length = 0;
    syncing.push(deferred());
    store.retry((_jid, { state }) => state === "lost", () => false);
    syncing[1]!.resolve();
    for (let turn = 0; turn < 10; turn++) await undefined;
    assert.deepEqual([saved, told], [["lost"], ["lost"]]);
    assert.equal(store.has(JID), false);
    assert.equal(store.lacks(JID, "web1"), false);
  });

  test("an outcome that is saved again does not become newer than one that came meanwhile", async () => {
    const syncing = [deferred<void>()];
    const saved: (string | undefined)[] = [];
    let full = true;
    const jobs = {
      saveOutcomes(_jid, outcomes) {
        if (full) throw new Error("no space left");
        saved.push(...outcomes.map(({ note }) => note));
      },
      settle() {},
    } as Partial<JobCache> as JobCache;
    const store = new OutcomeStore(jobs, () => syncing.at(-1)!.promise, () => {});
    const started = (note?: string): TargetOutcome => ({
      minion: "web1",
      state: "started",
      atMs: 1,
      ...(note ? { note } : {}),
    });
    const turns = async () => {
      for (let turn = 0; turn < 10; turn++) await undefined;
    };
    store.save(JID, [started()], false);
    full = false;
    store.save(JID, [started(BEGUN_UNWRITTEN)], false);
    // The ledger's tick; the state is the same, so both are current.
    store.retry(() => true, () => true);
    syncing[0]!.reject(new Error("no space left"));
    await turns();
    saved.length = 0;
    syncing.push(deferred());
    store.retry(() => true, () => true);
    syncing[1]!.resolve();
    await turns();
    assert.deepEqual(saved, [BEGUN_UNWRITTEN]);
  });

  test("an outcome that fails late does not replace a later one that was saved", async () => {
    const saved: string[] = [];
    const syncing = [deferred<void>(), deferred<void>()];
    let at = 0;
    const jobs = {
      saveOutcomes: (_jid, outcomes) => void saved.push(...outcomes.map(({ state }) => state)),
      settle() {},
    } as Partial<JobCache> as JobCache;
    const store = new OutcomeStore(jobs, () => syncing[at++]!.promise, () => {});
    const early = store.save(JID, [outcome("started")], false);
    const late = store.save(JID, [outcome("lost")], false);
    syncing[1]!.resolve();
    syncing[0]!.reject(new Error("no space left"));
    await Promise.all([early, late]);
    store.retry(() => true, () => true);
    assert.deepEqual(saved, ["started", "lost"]);
  });
});

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
