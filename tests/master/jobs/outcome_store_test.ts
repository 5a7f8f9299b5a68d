/** Outcomes that the job cache does not take at once. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deferred } from "../../../src/async/deferred.ts";
import type { JobCache } from "../../../src/job/job_cache.ts";
import type { TargetOutcome } from "../../../src/job/outcome.ts";
import { OutcomeStore } from "../../../src/master/jobs/outcome_store.ts";

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
});
