/** Expected values are the results of Python's `random.Random(seed)`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PythonRandom, seedOfText } from "../../../src/language/python/random.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

const { crypto } = await currentRuntime();
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz0123456789".repeat(5)];

for (
  const { seed, below, large, bits, sample } of [
    { seed: 0n, below: 6n, large: 813847339n, bits: 44651664552134903426n, sample: "09k4wq5" },
    { seed: 1n, below: 2n, large: 611178002n, bits: 900242893768093690591n, sample: "8bq34sh" },
    { seed: 12345678901234567890123n, below: 2n, large: 617431974n, bits: 473144387458302364060n, sample: "ed7w2ou" },
  ]
) {
  test(`PythonRandom: the numbers of the seed ${seed}`, () => {
    const random = new PythonRandom(seed);
    assert.equal(random.below(10n), below);
    assert.equal(random.below(1000000007n), large);
    assert.equal(random.bits(70), bits);
    assert.equal(new PythonRandom(seed).sample(LETTERS, 7).join(""), sample);
    assert.equal(new PythonRandom(-seed).below(10n), below, "the sign counts for nothing");
  });
}

test("seedOfText() returns the text's bytes and their SHA-512 as one number", () => {
  const seed = seedOfText(new TextEncoder().encode("alpha"), (data) => crypto.hash("sha512", data));
  assert.equal(new PythonRandom(seed).below(60n), 1n);
});

test("sample() picks each index once, and refuses to pick more than the list has", () => {
  assert.deepEqual(new PythonRandom(3n).sample([1, 2, 3, 4, 5], 5).sort(), [1, 2, 3, 4, 5]);
  assert.deepEqual(new PythonRandom(3n).sample([], 0), []);
  assert.throws(() => new PythonRandom(3n).sample([1], 2), RangeError);
  assert.throws(() => new PythonRandom(3n).sample([1], -1), RangeError);
});
