/** Trees in the styles that people write, held against what real Salt 3006, 3007 and 3008 answered. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Answers, ourAnswers, readTree, settled } from "./driver.ts";
import { treeNames } from "./record.ts";

const HERE = import.meta.dirname;
const recorded = (name: string) => JSON.parse(readFileSync(join(HERE, "recorded", `${name}.json`), "utf8"));

/** Calls that a later release answers otherwise, `tree host number`, and what it does. Brine does as 3006. */
const LATER: Readonly<Record<string, readonly [calls: RegExp, why: string][]>> = {
  "3007": [
    [/^map_stack web1\.example\.com [345]$/, "what an SLS requisite names runs first"],
    [/^requisites .* 7$/, "an SLS that is not well formed ends in a Python error"],
    [/^top_targets web2\.dev\.example\.com [18]$/, "the pillar of another environment does not override"],
  ],
  "3008": [
    [/^\w+ \S+ 0$/, "pillar.items masks all values"],
    [/^(?:merges .* [0126]|top_targets .* [18])$/, "pillar functions mask all values"],
    [/^map_stack web1\.example\.com [345]$/, "what an SLS requisite names runs first"],
    [/^map_stack .* 2$/, "a requisite that means nothing is an error of the whole file"],
    [/^requisites .* [1-4]$/, "a requisite that means nothing is an error of the whole file"],
    [/^requisites .* 7$/, "an SLS that is not well formed ends in a Python error"],
    [/^requisites .* 9$/, "requisites decide the order of all chunks"],
    [/^(?:files .* 0|merges .* 8)$/, "`__state_ran__` is in the entry"],
    [/^orchestration .* 2$/, "a watch is a require where there is no mod_watch"],
    [/^orchestration .* [567]$/, "test.check_pillar looks at masked values"],
  ],
};

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
