/** A few seeds of the simulated world, and that a seed is always the same run. `npm run simulate` runs many. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MessageCutter } from "./message_cutter.ts";
import { planted } from "./plant.ts";
import { PLANTED } from "./planted.ts";
import { simulate } from "./simulate.ts";
import { toldFindings } from "./witness.ts";

const TIMEOUT = { timeout: 300_000 };

/** Seeds that have found bugs, each with what was wrong. */
const REGRESSIONS: [seed: number, why: string, cluster?: boolean][] = [
  [32, "a master was killed before it had announced a return that it had stored"],
  [10, "jobs that were queued at two masters ran at once, the later one first", true],
  [12, "a job queued at a master that was gone never reached its minion, which had come before the takeover", true],
  [14, "a return was acknowledged that could not be checked, since the storage was away", true],
  [45, "a job that had not begun waited for ever for the master that it had come from", true],
  [147, "what a loss of power had left of a return was taken for one"],
  [148, "what a master that was killed had left unsynced was acknowledged by the next one"],
  [200, "the same of a minion's spool"],
  [219, "a job was settled on the disk before the outcomes of its targets were there"],
  [378, "a job whose beginning only its master knew was run again"],
  [2206, "the outcome of a return was left by a loss of power without the return, and was the end"],
  [546, "the outcome of a target was told of before it was on the disk"],
  [
    709,
    "what a master that was killed had left of a return, unsynced, was acknowledged by the next one in local_cache",
  ],
  [
    115_715,
    "an outcome that failed to be written late replaced a later one, and a job was over without an outcome of its target",
  ],
  [
    127_766,
    "a copy of spooled returns that was not safe took the place of their file after a kill, and both were lost",
  ],
  [130_157, "a master acknowledged that a job began, which it could not write down, and the job ran again"],
  [100_473, "a queued job had expired, said a master that had lost power, and its minion ran it"],
];

describe("a simulated world", TIMEOUT, () => {
  test("keeps the promises, whatever befalls it", TIMEOUT, async () => {
    const counts: { [what: string]: number } = {};
    for (let seed = 1; seed <= 25; seed++) {
      const result = await simulate(seed);
      assert.equal(result.findings.length, 0, `seed ${seed}\n${toldFindings(result.findings)}`);
      for (const [what, times] of Object.entries(result.counts)) counts[what] = (counts[what] ?? 0) + times;
    }
    // It has really done work, and was really troubled.
    for (const what of ["jobs acknowledged", "kill", "power", "partition", "weather", "clock", "disk"]) {
      assert.ok(counts[what]! > 20, `${what}: ${counts[what]}`);
    }
  });

  test("keeps them with a cluster of masters, too", TIMEOUT, async () => {
    const counts: { [what: string]: number } = {};
    for (let seed = 1; seed <= 10; seed++) {
      const result = await simulate(seed, { cluster: true });
      assert.equal(result.findings.length, 0, `seed ${seed}\n${toldFindings(result.findings)}`);
      for (const [what, times] of Object.entries(result.counts)) counts[what] = (counts[what] ?? 0) + times;
    }
    for (const what of ["jobs acknowledged", "queued jobs", "kill", "servers"]) {
      assert.ok(counts[what]! >= 10, `${what}: ${counts[what]}`);
    }
  });

  test("is the same for every run of a seed", TIMEOUT, async () => {
    // The first run loads what later ones find loaded.
    await simulate(31);
    const [one, two] = [await simulate(31), await simulate(31)];
    assert.deepEqual(one, two);
    assert.notEqual((await simulate(32)).trace, one.trace);
  });

  for (const [seed, why, cluster = false] of REGRESSIONS) {
    test(`no more: ${why} (seed ${seed}${cluster ? " of a cluster" : ""})`, TIMEOUT, async () => {
      const { findings } = await simulate(seed, { cluster });
      assert.equal(findings.length, 0, toldFindings(findings));
    });
  }
});

test("planted bugs have their places in the source, and are at least ten", () => {
  assert.ok(PLANTED.length >= 10);
  for (const bug of PLANTED) assert.ok(planted(bug).size > 0, bug.name);
});

test("messages are cut out of a stream wherever its chunks end", () => {
  const greeting = new Uint8Array(64).fill(255);
  const frames = [[4, 2, 9, 9], [1, 1, 7, 0, 1, 8], [0, 3, 1, 2, 3], [2, 0, 0, 0, 0, 0, 0, 0, 2, 5, 6]];
  const stream = Uint8Array.from([...greeting, ...frames.flat()]);
  for (const size of [1, 3, 64, 70, stream.length]) {
    const cutter = new MessageCutter();
    const pieces = [];
    for (let at = 0; at < stream.length; at += size) pieces.push(...cutter.cut(stream.subarray(at, at + size)));
    assert.deepEqual(pieces.flatMap(({ bytes }) => [...bytes]), [...stream], `chunks of ${size}`);
    const messages = pieces.filter(({ message }) => message).map(({ bytes }) => [...bytes]);
    assert.deepEqual(messages, frames.slice(1), `chunks of ${size}`);
  }
});
