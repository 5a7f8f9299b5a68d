/** Functions that edit files as text, held against what real Salt 3006 made of the same calls. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { type EditAnswer, ourAnswer } from "./text_edit_answers.ts";
import { type EditCase, editCases } from "./text_edits.ts";

/** Seed, and what `record_text_edits.py` said of its cases. */
const RECORDED: { seed: number; answers: EditAnswer[] } = JSON.parse(
  readFileSync(new URL("../vectors/text_edits.json", import.meta.url), "utf8"),
);

/** True where Salt breaks off and Brine answers: it looks through bytes in no encoding, and keeps those that it does not change. */
const betterThanSalt = ({ fun }: EditCase, { raised }: EditAnswer) =>
  raised === "UnicodeDecodeError" && ["file.contains", "file.replace", "state:file.replace"].includes(fun);

const CUT = /matches a part of a character/;

const byFunction = Map.groupBy(
  editCases(RECORDED.seed, RECORDED.answers.length).map((one, at) => ({ one, want: RECORDED.answers[at]! })),
  ({ one }) => one.fun,
);

describe("as real Salt edits text", () => {
  for (const [fun, pairs] of byFunction) {
    test(`${fun}, ${pairs.length} generated calls`, async () => {
      for (const { one, want } of pairs) {
        const got = await ourAnswer(one);
        const where = JSON.stringify(one);
        if (want.raised === undefined && !CUT.test(got.raised ?? "")) assert.deepEqual(got, want, where);
        else if (want.raised !== undefined && !betterThanSalt(one, want)) assert.ok(got.raised, where);
        // Salt empties a file that it cannot write; here it is as it was.
        if (got.raised !== undefined) assert.equal(got.files.f, one.before, where);
      }
    });
  }
});
