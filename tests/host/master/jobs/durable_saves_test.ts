/** All saves of one turn of the event loop are one flush, and each caller that waits learns whether it succeeded. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns } from "../../../../bench/bed/until.ts";
import { SystemError } from "../../../../src/base/errors.ts";
import type { JobCache } from "../../../../src/model/job/job_cache.ts";
import { JobStore } from "../../../../src/host/master/jobs/durable_saves.ts";
import { memoryJobCache } from "../../../../src/plugins/job_caches/memory.ts";
import { captureLog } from "../../../support/capture_log.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

/** A store whose turns of the loop end when the test says so, over a cache whose flushes are the test's. */
function scene(flush: () => void | Promise<void>) {
  const clock = new FakeClock();
  const turns: (() => void)[] = [];
  const captured = captureLog();
  const jobs: JobCache = { ...memoryJobCache(() => clock.now()), flush };
  const store = new JobStore({
    jobs,
    later: (call) => void turns.push(call),
    now: () => clock.now(),
    log: captured.log,
  });
  /** @param ms that pass by then; as many as have the next flush wait for nothing */
  const turn = (ms = 5) => {
    clock.advance(ms);
    for (const call of turns.splice(0)) call();
  };
  return { clock, store, turn, turns, captured };
}

const full = () => {
  throw new SystemError("ENOSPC", "no space left on /cache");
};

describe("JobStore", () => {
  test("a turn of the loop is one flush, for callers that wait and those that do not", async () => {
    let flushes = 0;
    const { store, turn, turns } = scene(() => void flushes++);
    const waiting = Promise.all([store.durable(), store.durable()]);
    store.soon();
    assert.equal(turns.length, 1);
    assert.equal(flushes, 0);
    turn();
    await waiting;
    assert.equal(flushes, 1);
    const next = store.durable();
    turn();
    await next;
    assert.equal(flushes, 2);
  });

  test("a save during a flush waits for the next one", async () => {
    const gates: PromiseWithResolvers<void>[] = [];
    const { store, turn, clock } = scene(() => {
      gates.push(Promise.withResolvers<void>());
      return gates.at(-1)!.promise;
    });
    const order: string[] = [];
    const first = store.durable().then(() => order.push("first"));
    turn();
    const second = store.durable().then(() => order.push("second"));
    assert.equal(gates.length, 1);
    clock.advance(5);
    gates[0]!.resolve();
    await first;
    assert.deepEqual(order, ["first"]);
    assert.equal(gates.length, 2);
    gates[1]!.resolve();
    await second;
    assert.deepEqual(order, ["first", "second"]);
  });

  test("a failure rejects every caller that waits, and the store works again when the cause is gone", async () => {
    let flush: () => void = full;
    const { store, turn, captured } = scene(() => flush());
    const waiting = [store.durable(), store.durable()];
    turn();
    for (const one of waiting) await assert.rejects(one, { code: "ENOSPC" });
    flush = () => {};
    const next = store.durable();
    turn();
    await next;
    assert.deepEqual(captured.records.map(({ level, message }) => [level, message.split(":")[0]]), [
      ["error", "job cache could not be written"],
      ["info", "job cache can be written again"],
    ]);
  });

  test("a disk that stays full is logged now and then, not with every turn", async () => {
    const { clock, store, turn, captured } = scene(full);
    const fail = async () => {
      const failing = assert.rejects(store.durable());
      turn();
      await failing;
    };
    for (let turns = 0; turns < 5; turns++) await fail();
    assert.equal(captured.complaints().length, 1);
    clock.advance(10_000);
    await fail();
    assert.equal(captured.complaints().length, 2);
  });

  test("a save that is still running when a flush is requested is part of it", async () => {
    let saved = false;
    const flushed: boolean[] = [];
    const { store, turn } = scene(() => void flushed.push(saved));
    const saving = Promise.withResolvers<void>();
    void store.begun(saving.promise.then(() => saved = true));
    const durable = store.durable();
    turn();
    await turns();
    assert.deepEqual(flushed, []);
    saving.resolve();
    await durable;
    assert.deepEqual(flushed, [true]);
    const refused = store.begun(Promise.reject(new Error("its caller hears of it")));
    const next = store.durable();
    turn();
    await next;
    await assert.rejects(async () => await refused);
  });

  test("a flush a moment after another one waits for what a few turns bring, or for two milliseconds", async () => {
    const { store, turn, turns } = scene(() => void flushes++);
    let flushes = 0;
    const settled = async () => {
      for (let step = 0; step < 10; step++) await Promise.resolve();
    };
    const flushed = async (ms: number) => {
      const all = [store.durable()];
      const before = flushes;
      for (let turned = 1;; turned++) {
        turn(ms);
        await settled();
        if (flushes > before) {
          await Promise.all(all);
          return turned;
        }
        all.push(store.durable());
        assert.equal(turns.length, 1);
      }
    };
    assert.equal(await flushed(0), 1);
    assert.equal(await flushed(0), 9, "eight turns of a clock that stands still, and its own");
    assert.equal(await flushed(0.5), 4);
    assert.equal(await flushed(3), 1);
    assert.equal(flushes, 4);
  });

  test("saves over several turns are not durable if a flush between them has failed", async () => {
    let flush: () => void = full;
    const { store, turn } = scene(() => flush());
    const since = store.losses;
    const other = assert.rejects(store.durable());
    turn();
    await other;
    flush = () => {};
    const durable = store.durable();
    turn();
    await durable;
    assert.throws(() => store.assertKept(since), { code: "ENOSPC" });
    store.assertKept(store.losses);
  });
});
