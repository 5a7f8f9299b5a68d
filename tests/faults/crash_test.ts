/** A function that crashes its process harms its own job alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Bed, FULL, whyNot } from "./bed.ts";

test("a job whose process crashes fails and says so; its minion and other jobs go on", {
  skip: whyNot(),
  timeout: 120_000,
}, async (t) => {
  await using bed = await Bed.start({ minions: 2 });
  const pids = [...bed.minions.values()].map(({ pid }) => pid);
  const crashing: string[] = [];
  for (let round = 0; round < (FULL ? 20 : 4); round++) {
    assert.ok(await bed.publish({ after: "sleep 1;" }));
    const crash = await bed.publish({ after: round % 2 === 0 ? "kill -9 $PPID;" : "kill -ABRT $PPID;" });
    assert.ok(crash);
    crashing.push(crash.jid);
    assert.ok(await bed.publish());
  }
  await bed.settled();
  const parts = await bed.verify();
  for (const { jid, state, value, ran } of parts) {
    assert.equal(ran, 1);
    assert.equal(state, crashing.includes(jid) ? "failed" : "returned", String(value));
    if (state === "failed") assert.match(String(value), /^The process of the job ended before it returned: signal SIG/);
  }
  assert.deepEqual([...bed.minions.values()].map(({ pid }) => pid), pids);
  t.diagnostic(`seed ${bed.seed}: ${parts.length} parts, ${crashing.length * bed.ids.length} of them crashed`);
});
