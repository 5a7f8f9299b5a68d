/** What libyaml and PyYAML 6.0.3 say of documents; each text was recorded from them, with Salt's loader. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { construct } from "../../../src/language/yaml/construct.ts";
import { compose } from "../../../src/language/yaml/libyaml/compose.ts";
import { explainYaml } from "../../../src/language/yaml/libyaml/explain_yaml.ts";
import { parseYaml } from "../../../src/language/yaml/document.ts";

const at = (line: number, column: number) => `  in "<unicode string>", line ${line}, column ${column}`;

describe("explainYaml()", () => {
  for (
    const { text, stage, said } of [
      {
        text: "x:\n\ty: 1\n",
        stage: "scanner",
        said: ["while scanning for the next token", "found character that cannot start any token", at(2, 1)],
      },
      { text: "a: b: c\n", stage: "scanner", said: ["mapping values are not allowed in this context", at(1, 5)] },
      {
        text: "a: 1\nb\nc: 2\n",
        stage: "scanner",
        said: ["while scanning a simple key", at(2, 1), "could not find expected ':'", at(3, 1)],
      },
      {
        text: 'a: "b\n',
        stage: "scanner",
        said: ["while scanning a quoted scalar", at(1, 4), "found unexpected end of stream", at(2, 1)],
      },
      {
        text: "a: - b\n",
        stage: "scanner",
        said: ["block sequence entries are not allowed in this context", at(1, 4)],
      },
      {
        text: "a: &!b c\n",
        stage: "scanner",
        said: ["while scanning an anchor", at(1, 4), "did not find expected alphabetic or numeric character", at(1, 5)],
      },
      {
        text: "a: >--\n  b\n",
        stage: "scanner",
        said: ["while scanning a block scalar", at(1, 4), "did not find expected comment or line break", at(1, 6)],
      },
      {
        text: "%x y\n",
        stage: "scanner",
        said: ["while scanning a directive", at(1, 1), "found unknown directive name", at(1, 3)],
      },
      {
        text: "a: [1, 2\nb: 3\n",
        stage: "parser",
        said: ["while parsing a flow sequence", at(1, 4), "did not find expected ',' or ']'", at(2, 2)],
      },
      {
        text: "a: {b: 1\n",
        stage: "parser",
        said: ["while parsing a flow mapping", at(1, 4), "did not find expected ',' or '}'", at(2, 1)],
      },
      {
        text: "a:\n  - b\n  c: d\n",
        stage: "parser",
        said: ["while parsing a block collection", at(2, 3), "did not find expected '-' indicator", at(3, 3)],
      },
      {
        text: ":\n- 1\n",
        stage: "parser",
        said: ["while parsing a block mapping", "did not find expected key", at(1, 1)],
      },
      {
        text: "a: }\n",
        stage: "parser",
        said: ["while parsing a block node", "did not find expected node content", at(1, 4)],
      },
      { text: "a: *b\n", stage: "composer", said: ["found undefined alias", at(1, 4)] },
      {
        text: "a: 1\n---\nb: 2\n",
        stage: "composer",
        said: ["expected a single document in the stream", at(1, 1), "but found another document", at(2, 1)],
      },
      {
        text: "a: !b c\n",
        stage: "constructor",
        said: ["could not determine a constructor for the tag '!b'", at(1, 4)],
      },
      {
        text: "a: =\n",
        stage: "constructor",
        said: ["could not determine a constructor for the tag 'tag:yaml.org,2002:value'", at(1, 4)],
      },
      {
        text: "a: {b: 1, b: 2}\n",
        stage: "constructor",
        said: ["while constructing a mapping", at(1, 4), "found conflicting ID 'b'", at(1, 11)],
      },
      {
        text: "a: {{ b }}\n",
        stage: "constructor",
        said: [
          "while constructing a mapping",
          at(1, 4),
          "found unacceptable key [(ScalarNode(tag='tag:yaml.org,2002:str', value='b'), ScalarNode(tag='tag:yaml.org,2002:null', value=''))]",
          at(1, 5),
        ],
      },
    ]
  ) {
    test(JSON.stringify(text), () => {
      const explanation = explainYaml(text);
      assert.equal(explanation?.text, said.join("\n"));
      assert.equal(explanation?.stage, stage);
    });
  }

  test("has nothing to say of a good document, and of one that is nested too deeply", () => {
    assert.equal(explainYaml("a: [1, 2]\n"), undefined);
    assert.equal(explainYaml("[".repeat(100_000)), undefined);
    assert.equal(explainYaml("- ".repeat(100_000)), undefined);
  });
});

describe("compose()", () => {
  const read = (text: string) => construct(compose(text).root);

  for (
    const { text, want } of [
      { text: "a: [1,\n2]\n", want: { a: [1, 2] } },
      {
        text: "- a: |\n    x\n     y\n\n    z\n  b: >-\n    f\n    g\n\n    h\n      i\n    j\n",
        want: [{ a: "x\n y\n\nz\n", b: "f g\nh\n  i\nj" }],
      },
      { text: "a: |+\n  x\n\nb: |2-\n   y\n", want: { a: "x\n\n", b: " y" } },
      {
        text: "a: 'it''s\n  folded\n\n  twice'\nb: \"x\\\n  y\\u00fc\\n\"\n",
        want: { a: "it's folded\ntwice", b: "xyü\n" },
      },
      { text: "? a\n: - b\n  - {c: d, e}\n", want: { a: ["b", { c: "d", e: null }] } },
      { text: "%YAML 1.1\n---\na: &x {b: 1}\nc: {<<: *x, d: 2}\n...\n", want: { a: { b: 1 }, c: { b: 1, d: 2 } } },
      { text: "[a: 1, ? b : 2]\n", want: [{ a: 1 }, { b: 2 }] },
      { text: "a: text with: colon#no # comment\n".replace(": colon", ":colon"), want: { a: "text with:colon#no" } },
    ]
  ) test(JSON.stringify(text), () => assert.deepEqual(read(text), want));

  test("takes documents that the usual reader refuses", () => {
    assert.deepEqual(parseYaml("a:\n  b: [1,\n  2]\n").value, { a: { b: [1, 2] } });
  });
});
