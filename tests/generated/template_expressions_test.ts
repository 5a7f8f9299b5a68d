/** Templates as formulas write them, held against what real Salt 3006 made of the same ones. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ourTemplateAnswer } from "./template_expression_answers.ts";
import { edgeCases, templateCases } from "./template_expressions.ts";

/** Seed, and what `record_template_expressions.py` said of its templates: a text, null where Salt fails, false where it says nothing. */
const RECORDED: { seed: number; answers: (string | null | false)[] } = JSON.parse(
  readFileSync(new URL("../vectors/template_expressions.json", import.meta.url), "utf8"),
);

/** Methods that are printed have their place in memory in them. */
const comparable = (text: string) => text.replaceAll(/ at 0x[\da-f]+/g, " at 0x0");

const edges = edgeCases();

for (
  const [what, templates, answers] of [
    ["filters with every kind of value", edges, RECORDED.answers.slice(0, edges.length)],
    [
      "templates made by chance",
      templateCases(RECORDED.seed, RECORDED.answers.length - edges.length),
      RECORDED.answers.slice(edges.length),
    ],
  ] as const
) {
  test(`${templates.length} ${what} say and change what they do in Salt`, async () => {
    for (const [at, template] of templates.entries()) {
      const want = answers[at]!;
      if (want === false) continue;
      const got = await ourTemplateAnswer(template);
      if (want === null) assert.ok(got.error, `${template}\nrendered: ${got.out}`);
      else assert.equal(got.error ?? comparable(got.out!), comparable(want), template);
    }
  });
}
