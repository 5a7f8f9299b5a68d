import assert from "node:assert/strict";
import { test } from "node:test";
import { SyndicQuota } from "../../../src/master/jobs/syndic_quota.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** How many of a hundred are taken now. */
const taken = (quota: SyndicQuota, syndic: string) =>
  Array.from({ length: 100 }, () => quota.take(syndic)).filter(Boolean).length;

test("a syndic has so many jobs an hour, however they are spread, and others have theirs", () => {
  const clock = new FakeClock();
  const quota = new SyndicQuota(clock, 60);
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
  const quota = new SyndicQuota(clock, 10);
  assert.equal(taken(quota, "edge"), 10);
  clock.set(clock.now() + 3_600_000);
  assert.equal(taken(quota, "edge"), 0);
});

test("0 is any number", () => {
  assert.equal(taken(new SyndicQuota(new FakeClock(), 0), "edge"), 100);
});
