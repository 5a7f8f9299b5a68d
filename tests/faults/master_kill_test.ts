/** The master is killed again and again while jobs are published: what it has acknowledged is done, once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pause } from "../../bench/bed/until.ts";
import { Bed, FULL, whyNot } from "./bed.ts";

const JOBS = FULL ? 500 : 20;
const MINIONS = FULL ? 20 : 6;

test("a master killed at any moment loses no job and has none done twice", {
  skip: whyNot(),
  timeout: FULL ? 1_800_000 : 180_000,
}, async (t) => {
  await using bed = await Bed.start({
    minions: MINIONS,
    minion: { multiprocessing: false },
    // A minion may miss many a short life of this master.
    master: { job_delivery_timeout: 600 },
  });
  const { random } = bed;
  let publishing = true;
  const killing = (async () => {
    while (publishing) {
      await pause(100 + 1200 * random());
      if (publishing) await bed.restartMaster(random() < 0.3 ? 1500 * random() : 0);
    }
  })();
  try {
    for (let job = 0; job < JOBS; job++) {
      // Some take long enough for the master to die in their midst.
      const before = random() < 0.2 ? `sleep ${(2 * random()).toFixed(2)};` : "";
      await bed.publish({ before });
      await pause(300 * random());
    }
  } finally {
    publishing = false;
    await killing;
  }
  await bed.settled(FULL ? 600_000 : 120_000);
  const parts = await bed.verify();
  t.diagnostic(
    `seed ${bed.seed}: ${bed.history.asked} jobs asked for, ${bed.history.acknowledged} acknowledged, ${parts.length} ` +
      `parts, master killed ${bed.master.kills} times`,
  );
  assert.ok(bed.master.kills > 0);
  // All minions were there all the time: nothing but a return will do.
  bed.assertReturned(parts);
});
