/** Minions are killed in the midst of their jobs: these end in a failure that says so, and are not begun a second time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pause, until } from "../../bench/bed/until.ts";
import { Bed, FULL, whyNot } from "./bed.ts";
import { runsInFile } from "./history.ts";

const ROUNDS = FULL ? 40 : 4;
const MINIONS = FULL ? 8 : 3;

test("a killed minion begins no job again and says what became of those that it was at", {
  skip: whyNot(),
  timeout: FULL ? 1_200_000 : 150_000,
}, async (t) => {
  await using bed = await Bed.start({ minions: MINIONS });
  const { random } = bed;
  let orphans = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // Short ones and long ones: the minion dies before, in and after them.
    for (let job = 0; job < 3; job++) {
      const after = random() < 0.6 ? `sleep ${(0.5 + 3 * random()).toFixed(2)};` : "";
      assert.ok(await bed.publish({ after }), bed.refusal);
    }
    await pause(1500 * random());
    const id = bed.ids[Math.floor(random() * bed.ids.length)]!;
    // The other rounds may all miss a job.
    if (round === 0) {
      const long = await bed.publish({ after: "sleep 5;", minions: [id] });
      assert.ok(long, bed.refusal);
      await until(`${id} has begun the long job`, () => runsInFile(bed.path("runs", id)).has(long.token));
    }
    await bed.minions.get(id)!.kill();
    // It comes back at once, beside what it has left, which ends by itself.
    const left = bed.processes(id);
    bed.minions.get(id)!.start();
    orphans += left.length;
    const isThere = (pid: number) => bed.processes(id).includes(pid);
    await until(`nothing is left of ${id}`, () => !left.some(isThere), { timeoutMs: 20_000 }).catch((error) => {
      throw new Error(`${error.message}: ${left.filter(isThere).map((pid) => bed.commandLine(pid)).join("; ")}`);
    });
  }
  await bed.settled();
  const parts = await bed.verify();
  const interrupted = parts.filter(({ state }) => state === "failed");
  for (const { value } of interrupted) assert.match(String(value), /^The minion was stopped before this job ended/);
  assert.ok(interrupted.length > 0, "no minion was killed in the midst of a job");
  assert.deepEqual([...new Set(parts.map(({ state }) => state))].sort(), ["failed", "returned"]);
  t.diagnostic(
    `seed ${bed.seed}: ${bed.history.asked} jobs, ${parts.length} parts, ${ROUNDS} minions killed with ${orphans} processes ` +
      `at work, ${interrupted.length} parts interrupted`,
  );
});
