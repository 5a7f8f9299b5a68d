/** Trees in the styles that people write, held against what real Salt 3006, 3007 and 3008 answered. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Answers, ourAnswers, readTree, settled } from "./driver.ts";
import { treeNames } from "./record.ts";

const HERE = import.meta.dirname;
const recorded = (name: string) => JSON.parse(readFileSync(join(HERE, "recorded", `${name}.json`), "utf8"));

/** Calls that a later release answers otherwise, and why Brine does as 3006 does. */
const LATER: Readonly<Record<string, readonly [calls: RegExp, why: string][]>> = { "3007": [], "3008": [] };

describe("trees are what real Salt makes of them", () => {
  for (const name of treeNames()) {
    const tree = readTree(join(HERE, name));
    const want = recorded(name) as Answers;
    test(name, async () => {
      const got = await ourAnswers(tree);
      for (const [host, answers] of Object.entries(want)) {
        for (const [at, answer] of answers.entries()) {
          const ours = JSON.parse(JSON.stringify(settled(got[host]![at])).replaceAll(HERE, "{trees}"));
          assert.equal(
            JSON.stringify(ours, undefined, 1),
            JSON.stringify(answer, undefined, 1),
            `${host}: ${tree.calls[at]}`,
          );
        }
      }
    });
  }
});

for (const [release, known] of Object.entries(LATER)) {
  test(`what ${release} answers otherwise is known`, () => {
    assert.ok(existsSync(join(HERE, "recorded", `${release}.json`)));
    const others = Object.keys(recorded(release)).filter((call) => !known.some(([calls]) => calls.test(call)));
    assert.deepEqual(others, []);
  });
}
