/** Two minutes of {@link soak}; `BRINE_SOAK` has the minutes, `BRINE_RUNTIME` the runtime of the daemons. */
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { OWN_RUNTIME, runtimeNamed } from "../../bench/bed/runtimes.ts";
import { soak, wrongs } from "./soak.ts";

const minutes = Number(process.env.BRINE_SOAK ?? "0");
const runtime = runtimeNamed(process.env.BRINE_RUNTIME ?? OWN_RUNTIME);
const seed = Number(process.env.BRINE_SOAK_SEED ?? Date.now() % 1_000_000);

/** Why it is not run; false if it is. */
function whyNot(): string | false {
  if (!(minutes > 0)) return "set BRINE_SOAK to the minutes that it may take";
  return process.platform === "linux" ? false : "what processes hold is read from /proc";
}

test(`a fleet under mixed load and restarts holds what it held, and loses no job: ${runtime}, seed ${seed}`, {
  skip: whyNot(),
  timeout: minutes * 60_000 + 900_000,
}, async (t) => {
  const report = await soak({ minutes, runtime, seed, everyMs: 250 });
  assert.deepEqual(wrongs(report), []);
  t.diagnostic(`${report.jobs.jobs} jobs with ${report.jobs.parts} targets: ${JSON.stringify(report.jobs.outcomes)}`);
  t.diagnostic(`restarts: ${JSON.stringify(report.restarts)}`);
});
