/**
 * A small fleet as processes, in which some minions are slow, flap, lie, replay, stay silent, return too much or use wrong ids: all
 * honest ones complete, each of the others has an outcome with a name, and nothing that was said wrongly is on record.
 */
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { OWN_RUNTIME } from "../../bench/bed/runtimes.ts";
import { brine } from "../../bench/bed/sides.ts";
import { measureFleet } from "../../bench/fleet.ts";
import { behavioursOf, FULL_MIX, parseMix } from "../../bench/swarm/mix.ts";
import { REFUSED_DEEDS, wrongAnswers } from "../../bench/swarm/tally.ts";
import { OUTCOME_STATES } from "../../src/model/job/outcome.ts";

const MINIONS = 60;
const JOBS = 2;
const SEED = 7;
const MAX_RETURN_SIZE = 100_000;

/** How many minions of that fleet behave how. */
function numbers(): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const name of behavioursOf(MINIONS, parseMix(FULL_MIX), SEED)) counted[name] = (counted[name] ?? 0) + 1;
  return counted;
}

test("in a fleet with liars and worse, honest minions complete, all have an outcome, and no lie is on record", {
  skip: process.platform === "win32" && "processes are stopped by signals",
  timeout: 120_000,
}, async () => {
  const { ends, deeds, lies } = await measureFleet(brine(OWN_RUNTIME, "source"), {
    minions: MINIONS,
    mix: FULL_MIX,
    seed: SEED,
    jobs: JOBS,
    opts: { max_return_size: MAX_RETURN_SIZE },
    huge: 2 * MAX_RETURN_SIZE,
    paceMs: 600,
    silenceMs: 1500,
    restMs: 0,
    swarmRuntime: OWN_RUNTIME,
  });
  const { flapping, silent, huge, ...others } = numbers();
  for (const [behaviour, count] of Object.entries(others)) {
    assert.deepEqual(ends[behaviour as "honest"], { returned: count * JOBS }, behaviour);
  }
  assert.deepEqual(ends.huge, { failed: huge! * JOBS }, "a return that is too large is replaced by a failure");
  for (const [behaviour, count] of [["silent", silent!], ["flapping", flapping!]] as const) {
    const found = ends[behaviour]!;
    assert.equal(
      Object.values(found).reduce((sum, one) => sum + one, 0),
      count * JOBS,
      `${behaviour}: one outcome each`,
    );
    for (const state of Object.keys(found)) {
      assert.ok(OUTCOME_STATES.includes(state as never), `${behaviour}: ${state}`);
    }
  }
  assert.equal(ends.silent!.returned, undefined);
  assert.equal(lies, 0, "lies on record");
  assert.deepEqual(wrongAnswers(deeds), []);
  const done = new Set(deeds.map(({ deed }) => deed));
  assert.deepEqual([...REFUSED_DEEDS].filter((deed) => !done.has(deed)), [], "deeds that were never tried");
});

test("a mix is the same for the same seed, another one for another, and each behaviour with a share has a minion", () => {
  const mix = parseMix(FULL_MIX);
  const one = behavioursOf(500, mix, 1);
  assert.deepEqual(one, behavioursOf(500, mix, 1));
  assert.notDeepEqual(one, behavioursOf(500, mix, 2));
  assert.equal(one.filter((name) => name === "slow").length, 25);
  assert.equal(one.filter((name) => name === "honest").length, 500 - 25 - 10 - 5 * 5);
  assert.equal(behavioursOf(10, mix, 1).filter((name) => name === "honest").length, 3);
});

for (
  const [text, message] of [
    ["sloth=5", 'Unknown behaviour "sloth": expected some of slow, flapping, lying, replaying, silent, huge, wrong_id'],
    ["slow=much", 'Invalid share "much" of slow: expected percent, as in slow=5'],
    ["slow=60,silent=50", "The shares are 110 percent: expected 100 at most"],
  ] as const
) {
  test(`a mix is refused: ${text}`, () => assert.throws(() => parseMix(text), { name: "RangeError", message }));
}
