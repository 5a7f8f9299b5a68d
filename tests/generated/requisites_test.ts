/** SLS files with requisites of all kinds, held against what real Salt 3006 made of the same ones. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ourRequisiteAnswer, type RequisiteAnswer, settled } from "./requisite_answers.ts";
import { requisiteCases } from "./requisites.ts";

/** Seed, and what `record_requisites.py` said of its cases: null where Salt breaks off. */
const RECORDED: { seed: number; answers: (RequisiteAnswer | null)[] } = JSON.parse(
  readFileSync(new URL("../vectors/requisites.json", import.meta.url), "utf8"),
);

test(`${RECORDED.answers.length} SLS files with requisites run as in Salt`, async () => {
  for (const [at, one] of requisiteCases(RECORDED.seed, RECORDED.answers.length).entries()) {
    const want = RECORDED.answers[at]!;
    const got = await ourRequisiteAnswer(one);
    if (want !== null) {
      assert.deepEqual(settled(got), settled(want), `case ${at}\n${JSON.stringify(one, undefined, 1)}`);
    }
  }
});
