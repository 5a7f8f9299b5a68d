/** Whole trees, held against what real Salt 3006 made of the same ones. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { currentRuntime } from "../../src/runtime/current.ts";
import { inTemporary } from "../plugins/temporary.ts";
import { comparable, ourTreeAnswer, type TreeAnswer } from "./tree_answers.ts";
import { treeCases } from "./trees.ts";

/** Seed, and what `record_trees.py` said of its trees. */
const RECORDED: { seed: number; answers: TreeAnswer[] } = JSON.parse(
  readFileSync(new URL("../vectors/trees.json", import.meta.url), "utf8"),
);

// Salt ran as root: owners can be set.
const skip = process.getuid?.() === 0 ? false : "the trees were recorded by root";

test(`${RECORDED.answers.length} trees come out as in Salt`, { skip }, async () => {
  const runtime = await currentRuntime();
  for (const [at, one] of treeCases(RECORDED.seed, RECORDED.answers.length).entries()) {
    await inTemporary(runtime, async (directory) => {
      const [ours, theirs] = comparable(await ourTreeAnswer(directory, one), RECORDED.answers[at]!);
      assert.deepEqual(ours, theirs, `tree ${at}`);
    });
  }
});
