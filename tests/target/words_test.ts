import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { expandNodegroup, matchExpression, parseTerm } from "../../src/target/mod.ts";
import { vectors } from "./vectors.ts";

describe("expandNodegroup() gives Salt's words", () => {
  for (const { nodegroup, expansion } of vectors.nodegroup_expansion) {
    // Salt returns empty text where there is nothing to expand.
    test(nodegroup, () => assert.deepEqual(expandNodegroup(nodegroup, vectors.nodegroups), expansion || []));
  }
});

describe("parseTerm() takes words apart as Salt does", () => {
  for (const { word, engine, delimiter, pattern } of vectors.parse_target) {
    test(word, () => {
      const term = parseTerm(word);
      assert.deepEqual([term.engine ?? null, term.delimiter ?? null, term.pattern], [engine, delimiter, pattern]);
    });
  }
});

describe("matchExpression() reads lists of names as Salt does", () => {
  for (const { line, expr, match } of vectors.expr_match) {
    test(`${line} ${expr}`, () => assert.equal(matchExpression(line, expr), match));
  }
});
