/** One minion is behind a network that is cut off, and that drops, delays, repeats and cuts short what passes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pause } from "../../bench/bed/until.ts";
import { Bed, FULL, whyNot } from "./bed.ts";
import { FAIR, type Weather } from "./proxy.ts";

const CUT_MS = FULL ? 60_000 : 8000;
/** Longer than the cut, so that each job can still be delivered after it. */
const MASTER = { job_resend_interval: 1, job_delivery_timeout: FULL ? 120 : 30 };

for (const forgotten of [true, false]) {
  test(
    `a minion that was cut off does each job once; its connections ${forgotten ? "are reset" : "go on"} afterwards`,
    {
      skip: whyNot(),
      timeout: 240_000,
    },
    async (t) => {
      await using bed = await Bed.start({ minions: 2, proxied: true, master: MASTER });
      // One is under way, one is published while nothing passes.
      assert.ok(await bed.publish({ after: `sleep ${CUT_MS / 2000};` }));
      await pause(500);
      for (const proxy of bed.proxies) proxy.cut();
      await pause(CUT_MS / 2);
      assert.ok(await bed.publish());
      await pause(CUT_MS / 2);
      for (const proxy of bed.proxies) proxy.restore({ forgotten });
      assert.ok(await bed.publish());
      await bed.settled();
      const parts = await bed.verify();
      bed.assertReturned(parts);
      t.diagnostic(`seed ${bed.seed}: ${parts.length} parts, cut off for ${CUT_MS / 1000} s`);
    },
  );
}

const BAD: Record<string, Weather> = {
  delayed: { ...FAIR, delayMs: 400 },
  "dropped again and again": { ...FAIR, drop: 0.15 },
  repeated: { ...FAIR, duplicate: 0.3 },
  "cut short": { ...FAIR, truncate: 0.15 },
  "all of that": { delayMs: 100, drop: 0.05, duplicate: 0.1, truncate: 0.05 },
};

test("a minion whose network garbles what passes does each job once", {
  skip: whyNot(),
  timeout: FULL ? 900_000 : 200_000,
}, async (t) => {
  await using bed = await Bed.start({ minions: 2, proxied: true, master: MASTER });
  for (const weather of Object.values(BAD)) {
    for (const proxy of bed.proxies) proxy.weather = weather;
    for (let job = 0; job < (FULL ? 60 : 8); job++) {
      assert.ok(await bed.publish({ after: bed.random() < 0.3 ? "sleep 0.5;" : "" }), bed.refusal);
      await pause(300 * bed.random());
    }
  }
  for (const proxy of bed.proxies) proxy.weather = FAIR;
  await bed.settled();
  const parts = await bed.verify();
  const mishaps = bed.proxies.map(({ mishaps }) => mishaps);
  for (const kind of ["dropped", "delayed", "duplicated", "truncated"] as const) {
    assert.ok(mishaps.some((one) => one[kind] > 0), `nothing was ${kind}`);
  }
  const states = Object.groupBy(parts, ({ state }) => state);
  const counts = Object.entries(states).map(([state, parts]) => `${parts.length} ${state}`).join(", ");
  assert.deepEqual(Object.keys(states), ["returned"], counts);
  t.diagnostic(`seed ${bed.seed}: ${counts}; ${JSON.stringify(mishaps)}`);
});
