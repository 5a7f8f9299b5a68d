/** How often an engine may fire. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { turns } from "../../../bench/bed/until.ts";
import { FireRate, MAX_WAITING } from "../../../src/feature/engine/fire_rate.ts";
import { FakeClock } from "../../support/fake_clock.ts";

test("as many events as a second allows go at once, those beyond wait in their order", async () => {
  const clock = new FakeClock();
  const rate = new FireRate(clock, 10);
  const fired: number[] = [];
  for (let n = 0; n < 25; n++) void rate.take().then(() => fired.push(n));
  await turns(30);
  assert.equal(fired.length, 10);
  assert.equal(rate.waiting, 15);
  for (let step = 0; step < 20; step++) {
    clock.advance(50);
    await turns(30);
  }
  assert.deepEqual(fired, Array.from({ length: 20 }, (_, n) => n));
  clock.advance(60_000);
  await turns(30);
  assert.equal(rate.waiting, 0);
});

test("no more than a thousand wait: the next is refused with the remedy", async () => {
  const rate = new FireRate(new FakeClock(), 1);
  await rate.take();
  for (let n = 0; n < MAX_WAITING; n++) void rate.take();
  await assert.rejects(rate.take(), {
    name: "RangeError",
    message: /1000 events are already waiting.*Await each call of fire/,
  });
});

test("with 0 there is no limit", async () => {
  const rate = new FireRate(new FakeClock(), 0);
  for (let n = 0; n < 5000; n++) await rate.take();
  assert.equal(rate.waiting, 0);
});
