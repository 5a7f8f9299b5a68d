/** Returns pile up while the master is away, beyond what the minion may keep. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { Bed, whyNot } from "./bed.ts";

const JOBS = 20;
const KEPT = 300_000;
const LARGE = 50_000;
/** Bytes of returns that a minion hands in together. */
const TOGETHER = 262_144;

test("returns that do not fit into the spool leave a failure that says so, and each job has one return", {
  skip: whyNot(),
  timeout: 120_000,
}, async (t) => {
  await using bed = await Bed.start({ minions: 1, minion: { return_spool_bytes: KEPT, process_count_max: 4 } });
  const tokens: string[] = [];
  // Held back until the master is gone.
  const gate = bed.path("gate");
  const after = `while [ ! -e ${gate} ]; do sleep 0.05; done; head -c ${LARGE} /dev/zero | tr '\\0' x; echo;`;
  for (let job = 0; job < JOBS; job++) {
    const published = await bed.publish({ after });
    assert.ok(published, bed.refusal);
    tokens.push(published.token);
  }
  await until("the first jobs have begun", () => bed.history.runs("m1").size >= 4);
  await bed.master.kill();
  bed.write("gate", "");
  const ended = () => bed.log("m1").split("job ended").length - 1;
  await until("all jobs have ended", () => ended() >= JOBS);
  await bed.startMaster();
  await bed.settled();
  const parts = await bed.verify();
  assert.deepEqual(parts.map(({ token }) => token), tokens);
  assert.ok(parts.every(({ ran }) => ran === 1));
  const dropped = parts.filter(({ state }) => state === "failed");
  for (const { value } of dropped) {
    assert.match(String(value), /^The return was dropped at the minion: the spool of 300000 bytes was full/);
  }
  // All that fit are there, whole; and those that were on their way together when they had to make room, if they arrived.
  const whole = parts.length - dropped.length;
  const fit = Math.floor(KEPT / (LARGE + 1000));
  assert.ok(whole >= fit && whole <= fit + Math.ceil(TOGETHER / LARGE), `${whole}`);
  t.diagnostic(`seed ${bed.seed}: ${JOBS} returns of ${LARGE} bytes, ${dropped.length} replaced`);
});
