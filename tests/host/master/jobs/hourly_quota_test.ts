import assert from "node:assert/strict";
import { test } from "node:test";
import { HourlyQuota } from "../../../../src/host/master/jobs/hourly_quota.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

/** How many of a hundred are taken now. */
const taken = (quota: HourlyQuota, syndic: string) =>
  Array.from({ length: 100 }, () => quota.take(syndic)).filter(Boolean).length;

test("a syndic has so many jobs an hour, however they are spread, and others have theirs", () => {
  const clock = new FakeClock();
  const quota = new HourlyQuota(clock, 60);
  assert.equal(taken(quota, "edge"), 60);
  assert.equal(taken(quota, "edge"), 0);
  clock.advance(60_000);
  assert.equal(taken(quota, "edge"), 1);
  clock.advance(10 * 60_000);
  assert.equal(taken(quota, "edge"), 10);
  clock.advance(24 * 3_600_000);
  assert.equal(taken(quota, "edge"), 60);
  assert.equal(taken(quota, "other"), 60);
});

test("a clock that is set changes nothing", () => {
  const clock = new FakeClock();
  const quota = new HourlyQuota(clock, 10);
  assert.equal(taken(quota, "edge"), 10);
  clock.set(clock.now() + 3_600_000);
  assert.equal(taken(quota, "edge"), 0);
});

test("0 is any number", () => {
  assert.equal(taken(new HourlyQuota(new FakeClock(), 0), "edge"), 100);
});

test("what is more than an hour's amount is taken after a rest, and counts for as long", () => {
  const clock = new FakeClock();
  const quota = new HourlyQuota(clock, 100);
  assert.equal(quota.take("edge", 300), true);
  assert.equal(quota.take("edge", 1), false);
  clock.advance(2 * 3_600_000);
  assert.equal(quota.take("edge", 1), false);
  clock.advance(3_600_000);
  assert.equal(quota.take("edge", 60), true);
  assert.equal(quota.take("edge", 60), false);
  assert.equal(quota.take("edge", 40), true);
});
