import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AT_ONCE,
  batchSizeText,
  chosenAtRandom,
  optionProblems,
  type RunSettings,
  saltOptions,
} from "../../src/console/run_options.ts";

for (
  const { options, counted = true, wrong } of [
    { options: {}, wrong: [] },
    { options: {}, counted: false, wrong: [] },
    { options: { batch: "10", wait: "2.5", failures: "3", subset: "20", timeout: "60" }, wrong: [] },
    { options: { batch: "25%" }, wrong: [] },
    { options: { batch: "101%" }, wrong: ["batch"] },
    { options: { batch: "0" }, wrong: ["batch"] },
    { options: { batch: "some" }, wrong: ["batch"] },
    { options: { wait: "2" }, wrong: ["batch"] },
    { options: { batch: "5", wait: "soon", failures: "0" }, wrong: ["failures", "wait"] },
    { options: { subset: "-1", timeout: "0", queue: "x" }, wrong: ["queue", "subset", "timeout"] },
    { options: { batch: "5", queue: "60" }, wrong: ["queue"] },
    { options: { batch: "5" }, counted: false, wrong: ["batch"] },
    { options: { subset: "5" }, counted: false, wrong: ["subset"] },
    { options: { timeout: "60", queue: "3600" }, counted: false, wrong: [] },
  ] as { options: Partial<RunSettings>; counted?: boolean; wrong: string[] }[]
) {
  test(`options ${JSON.stringify(options)}${counted ? "" : " on unknown minions"}: ${wrong.join(", ") || "right"}`, () => {
    assert.deepEqual(Object.keys(optionProblems({ ...AT_ONCE, ...options }, counted)).sort(), wrong);
  });
}

test("options are shown as those of salt", () => {
  const options = { batch: "25%", wait: "5", failures: "1", subset: "8", timeout: "90", queue: "60" };
  assert.equal(
    saltOptions(options).join(" "),
    "--batch-size=25% --batch-wait=5 --failhard --subset=8 --job-timeout=90 --queue=60",
  );
  assert.deepEqual(saltOptions(AT_ONCE), []);
});

test("a batch has at least one minion at a time", () => {
  assert.deepEqual(
    [["3", 40], ["25%", 40], ["1%", 40], ["100%", 7]].map(([size, of]) => batchSizeText(size as string, of as number)),
    [
      3,
      10,
      1,
      7,
    ],
  );
});

test("a subset is chosen at random, each minion once, in the order of the list", () => {
  const ids = ["a", "b", "c", "d", "e"];
  let seed = 7;
  const random = () => (seed = seed * 48_271 % 2_147_483_647) / 2_147_483_647;
  const seen = new Set<string>();
  for (let turn = 0; turn < 50; turn++) {
    const chosen = chosenAtRandom(ids, 2, random);
    assert.equal(new Set(chosen).size, 2);
    assert.deepEqual(chosen, chosen.toSorted());
    for (const id of chosen) seen.add(id);
  }
  assert.deepEqual([...seen].sort(), ids);
  assert.deepEqual(chosenAtRandom(ids, 9, random), ids);
});
