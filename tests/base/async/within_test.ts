import assert from "node:assert/strict";
import { test } from "node:test";
import { deferred } from "../../../src/base/async/deferred.ts";
import { within } from "../../../src/base/async/within.ts";
import { FakeClock } from "../../support/fake_clock.ts";

test("within() resolves with the work, and leaves no timer", async () => {
  const clock = new FakeClock();
  const work = deferred<number>();
  const waited = within(clock, 1000, undefined, work.promise);
  assert.deepEqual(clock.waits, [1000]);
  work.resolve(7);
  assert.equal(await waited, 7);
  assert.deepEqual(clock.waits, []);
});

test("within() resolves with nothing, or with what is wanted instead, when the time is over", async () => {
  const clock = new FakeClock();
  const work = deferred<number>();
  const all = [
    within(clock, 1000, undefined, work.promise),
    within(clock, 1000, undefined, work.promise, () => "late"),
    within(clock, 1000, undefined, work.promise, () => {
      throw new RangeError("too late");
    }),
  ];
  clock.advance(1000);
  const [nothing, text, error] = await Promise.allSettled(all);
  assert.deepEqual([nothing, text], [{ status: "fulfilled", value: undefined }, {
    status: "fulfilled",
    value: "late",
  }]);
  assert.match(String((error as PromiseRejectedResult).reason), /RangeError: too late/);
  // Nobody waits for it any more.
  work.reject(new Error("ignored"));
});

test("within() rejects with the reason of an abort, before and during the wait", async () => {
  const clock = new FakeClock();
  const abort = new AbortController();
  const waited = within(clock, 1000, abort.signal, new Promise(() => {}));
  abort.abort(new Error("enough"));
  await assert.rejects(waited, /enough/);
  assert.deepEqual(clock.waits, []);
  await assert.rejects(within(clock, 1000, abort.signal, Promise.reject(new Error("ignored"))), /enough/);
  assert.deepEqual(clock.waits, []);
});
