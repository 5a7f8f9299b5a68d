import assert from "node:assert/strict";
import { test } from "node:test";
import { kwargs, testMinion } from "../support/context.ts";

const minion = await testMinion();

test("random.get_str makes texts of the characters that are wanted, and no two alike", async () => {
  for (
    const { args, want } of [
      { args: {}, want: /^[!-~]{20}$/ },
      { args: { length: 64, punctuation: false }, want: /^[A-Za-z0-9]{64}$/ },
      { args: { length: 64, chars: "aé" }, want: /^[aé]{64}$/ },
      { args: { lowercase: false, uppercase: false, punctuation: false }, want: /^\d{20}$/ },
      { args: { length: 300, printable: true, lowercase: false }, want: /^[\t-\r -~]{300}$/ },
    ]
  ) {
    const [one, other] = [
      await minion.value("random.get_str", kwargs(args)),
      await minion.value("random.get_str", kwargs(args)),
    ];
    assert.match(String(one), want);
    assert.notEqual(one, other);
  }
});

test("random.get_str of no characters says so", async () => {
  const none = { lowercase: false, uppercase: false, digits: false, punctuation: false };
  const { return: text, retcode } = await minion.run("random.get_str", [kwargs(none)]);
  assert.equal(retcode, 1);
  assert.match(String(text), /^ERROR: Cannot make a text of no characters/);
});

test("random.rand_int stays within its bounds and reaches both", async () => {
  const drawn = new Set<unknown>();
  for (let count = 0; count < 200; count++) drawn.add(await minion.value("random.rand_int", 1, 3));
  assert.deepEqual([...drawn].sort(), [1, 2, 3]);
});

test("random.sample and random.shuffle without a seed take each place once", async () => {
  const list = [1, 2, 3, 4, 5, 6, 7, 8];
  const shuffled = await minion.value("random.shuffle", list) as number[];
  assert.deepEqual(shuffled.toSorted(), list);
  const some = await minion.value("random.sample", list, 3) as number[];
  assert.equal(new Set(some).size, 3);
});

test("random.shadow_hash draws salt and password at random by default", async () => {
  const hashes = [await minion.value("random.shadow_hash"), await minion.value("random.shadow_hash")];
  for (const hash of hashes) assert.match(String(hash), /^\$6\$[./0-9A-Za-z]{16}\$[./0-9A-Za-z]{86}$/);
  assert.notEqual(hashes[0], hashes[1]);
  const { return: text } = await minion.run("random.shadow_hash", [kwargs({ algorithm: "rot13" })]);
  assert.match(String(text), /^ERROR executing 'random.shadow_hash': Cannot hash using 'rot13' hash algorithm\./);
});
