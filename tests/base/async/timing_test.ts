import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { backoffDelay } from "../../../src/base/async/backoff.ts";
import { systemClock } from "../../../src/base/async/clock.ts";
import { deferred } from "../../../src/base/async/deferred.ts";
import { Pool } from "../../../src/base/async/pool.ts";
import { FakeClock } from "../../support/fake_clock.ts";

describe("backoffDelay()", () => {
  const options = { initialMs: 100, maxMs: 5000 };
  for (
    const [attempt, random, want] of [
      [0, 0, 50],
      [0, 1, 100],
      [1, 1, 200],
      [3, 1, 800],
      [10, 1, 5000],
      [10, 0, 2500],
      [1_000_000, 1, 5000],
    ] as const
  ) {
    test(`retry ${attempt}, random ${random}: ${want} ms`, () => {
      assert.equal(backoffDelay(attempt, options, random), want);
    });
  }
  test("without jitter the wait is exact, and grows by the given factor", () => {
    assert.equal(backoffDelay(2, { ...options, jitter: 0, factor: 3 }, 0.7), 900);
  });
});

describe("Pool", { timeout: 120_000 }, () => {
  test("runs `limit` calls at once, the rest in order", async () => {
    const pool = new Pool(2);
    const gates = Array.from({ length: 5 }, () => deferred<void>());
    const started: number[] = [];
    const runs = gates.map((gate, n) =>
      pool.run(async () => {
        started.push(n);
        await gate.promise;
        return n;
      })
    );
    await Promise.resolve();
    assert.deepEqual(started, [0, 1]);
    assert.equal(pool.running, 2);
    gates[1]!.resolve();
    await runs[1];
    await Promise.resolve();
    assert.deepEqual(started, [0, 1, 2]);
    for (const gate of gates) gate.resolve();
    assert.deepEqual(await Promise.all(runs), [0, 1, 2, 3, 4]);
    assert.equal(pool.running, 0);
  });

  test("a call that fails frees its slot, too", async () => {
    const pool = new Pool(1);
    await assert.rejects(pool.run(() => Promise.reject(new Error("x"))));
    assert.equal(await pool.run(() => Promise.resolve(1)), 1);
  });

  test("0 means no limit", async () => {
    const pool = new Pool(0);
    const gate = deferred<void>();
    const runs = Array.from({ length: 100 }, () => pool.run(() => gate.promise));
    assert.equal(pool.running, 100);
    gate.resolve();
    await Promise.all(runs);
  });
});

test("a deferred that is never awaited does not end the process when it rejects", async () => {
  const { promise, reject } = deferred<void>();
  reject(new Error("nobody listens"));
  await assert.rejects(promise, /nobody listens/);
});

for (const [name, make] of [["systemClock", () => systemClock], ["FakeClock", () => new FakeClock()]] as const) {
  describe(name, { timeout: 120_000 }, () => {
    const pass = (clock: unknown, ms: number) => clock instanceof FakeClock && clock.advance(ms);

    test("sleeps end in the order of their lengths", async () => {
      const clock = make();
      const order: number[] = [];
      const sleeps = [3, 1, 2].map((ms) => clock.sleep(ms).then(() => order.push(ms)));
      pass(clock, 3);
      await Promise.all(sleeps);
      if (clock instanceof FakeClock) assert.deepEqual(order, [1, 2, 3]);
      assert.equal(order.length, 3);
    });

    test("elapsed() goes on by what has passed", async () => {
      const clock = make();
      const before = clock.elapsed();
      const sleep = clock.sleep(2);
      pass(clock, 2);
      await sleep;
      assert.ok(clock.elapsed() > before);
    });

    test("sleep() rejects with the reason of its signal, before and during the sleep", async () => {
      const clock = make();
      await assert.rejects(clock.sleep(60_000, AbortSignal.abort(new Error("before"))), /before/);
      const stop = new AbortController();
      const sleep = clock.sleep(60_000, stop.signal);
      stop.abort(new Error("meanwhile"));
      await assert.rejects(sleep, /meanwhile/);
    });

    test("after() calls back once, or never when cancelled", async () => {
      const clock = make();
      let calls = 0;
      const called = deferred<void>();
      clock.after(1, () => calls += 100)();
      clock.after(2, () => {
        calls += 1;
        called.resolve();
      });
      // A timer of after() alone keeps no process alive.
      const awake = clock.sleep(2);
      pass(clock, 2);
      await Promise.all([called.promise, awake]);
      assert.equal(calls, 1);
    });
  });
}

test("elapsed() does not see that the clock was set", () => {
  const clock = new FakeClock();
  const [now, elapsed] = [clock.now(), clock.elapsed()];
  clock.set(now - 3_600_000);
  clock.advance(5);
  assert.deepEqual([clock.now() - now, clock.elapsed() - elapsed], [5 - 3_600_000, 5]);
});
