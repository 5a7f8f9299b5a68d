import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { expandNodegroup, inlineNodegroups } from "../../../src/model/target/nodegroup.ts";
import { matchExpression } from "../../../src/model/target/expression.ts";
import { parseTerm } from "../../../src/model/target/compound.ts";
import { vectors } from "./vectors.ts";

describe("expandNodegroup() returns Salt's words", () => {
  for (const { nodegroup, expansion } of vectors.nodegroup_expansion) {
    // Salt returns empty text where there is nothing to expand.
    test(nodegroup, () => assert.deepEqual(expandNodegroup(nodegroup, vectors.nodegroups), expansion || []));
  }
});

describe("inlineNodegroups() expands node groups for the master", () => {
  const groups = { web: "L@web1,web2", empty: [], nested: ["N@web", "or", "db1"] };
  for (
    const { tgt, type, want } of [
      { tgt: "web", type: "nodegroup", want: ["L@web1,web2", "compound"] },
      { tgt: "N@web and G@os:Debian", type: "compound", want: ["L@web1,web2 and G@os:Debian", "compound"] },
      { tgt: "N@nested", type: "compound", want: ["( ( L@web1,web2 ) or db1 )", "compound"] },
      { tgt: "G@os:Debian", type: "compound", want: ["G@os:Debian", "compound"] },
      { tgt: "N@web", type: "glob", want: ["N@web", "glob"] },
    ]
  ) {
    test(`${type} ${tgt}`, () => {
      const found = inlineNodegroups({ tgt, tgt_type: type }, groups);
      assert.deepEqual([found.tgt, found.tgt_type], want);
    });
  }

  test("onEmpty is called for groups that expand to nothing", () => {
    const empty: string[] = [];
    inlineNodegroups({ tgt: "N@none or N@web", tgt_type: "compound" }, groups, (name) => empty.push(name));
    inlineNodegroups({ tgt: "gone", tgt_type: "nodegroup" }, groups, (name) => empty.push(name));
    assert.deepEqual(empty, ["none", "gone"]);
  });
});

describe("parseTerm() parses words as Salt does", () => {
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
