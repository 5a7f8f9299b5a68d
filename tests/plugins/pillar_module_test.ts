import assert from "node:assert/strict";
import { test } from "node:test";
import { pillarRecord } from "../../src/host/minion/pillar.ts";
import { callFunction } from "../../src/host/minion/processes/execute_job.ts";
import type { AnyMap } from "../../src/language/python/values.ts";
import { readDocument } from "../../src/language/yaml/document.ts";
import { parseInput } from "../../src/model/job/args.ts";
import { kwargs, testMinion } from "../support/context.ts";

const PILLAR = `
12345:
  code:
    - luggage
s:
  7: {2: x}
  1.5: y
  -3: m
  '8': t
`;

// As salt-call of Salt 3006.16 answers.
const CASES: [string[], unknown][] = [
  [["12345"], { code: ["luggage"] }],
  [["key=12345"], { code: ["luggage"] }],
  [['"12345"'], { code: ["luggage"] }],
  [["12345:code"], ["luggage"]],
  [["12345:code:0"], "luggage"],
  [["s:7:2"], "x"],
  [["s:1.5"], "y"],
  [["s:-3"], "m"],
  [["s:8"], "t"],
  [["s:9"], ""],
];

test("pillar.get finds keys that are numbers", async () => {
  const { functions, context } = await testMinion({ pillar: pillarRecord(readDocument(PILLAR, {}).value as AnyMap) });
  for (const [words, expected] of CASES) {
    const load = { fun: "pillar.get", arg: parseInput(words), jid: "", tgt: "", ret: "" };
    const { return: found } = await callFunction({
      functions,
      context: () => context,
      load,
      published: {},
      ownProcess() {},
    });
    assert.deepEqual(JSON.parse(JSON.stringify(found)), expected, words.join(" "));
  }
});

for (const key of ["s", "none"]) {
  test(`pillar.get fails for a default that is undefined in the template, as in Salt: ${key}`, async () => {
    const { value } = await testMinion({ pillar: { s: 1 } });
    const string = `{% set d = {} %}{{ salt['pillar.get']('${key}', d['gone']) }}`;
    await assert.rejects(
      value("slsutil.renderer", kwargs({ string })),
      /Jinja variable 'dict object' has no attribute 'gone'/,
    );
  });
}
