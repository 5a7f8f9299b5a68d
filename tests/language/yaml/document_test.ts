import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OrderedMap } from "../../../src/language/python/values.ts";
import { parseYaml, YamlError } from "../../../src/language/yaml/document.ts";
import { parseOrderedYaml } from "../../../src/language/yaml/ordered.ts";

describe("parseYaml()", () => {
  for (
    const { name, text, want } of [
      { name: "reads an empty document as null", text: "# only a comment\n", want: null },
      {
        name: "reads YAML 1.1 scalars",
        text: "a: yes\nb: 12:30\nc: 0777\nd: 1e3\ne: 2016-01-01\nf:\n",
        want: { a: true, b: 750, c: 777, d: "1e3", e: "2016-01-01", f: null },
      },
      { name: "reads quoted text", text: "a: 'yes'\nb: \"5\"\n", want: { a: "yes", b: "5" } },
      { name: "reads block scalars as text", text: "a: |\n  5\nb: >-\n  x\n  y\n", want: { a: "5\n", b: "x y" } },
      {
        name: "reads lists that are not indented",
        text: "a:\n- 1\n- b: 2\n  c: 3\n",
        want: { a: [1, { b: 2, c: 3 }] },
      },
      {
        name: "follows aliases and merges",
        text: "x: &x {a: 1, b: 2}\ny:\n  <<: *x\n  b: 3\nz: *x\n",
        want: { x: { a: 1, b: 2 }, y: { a: 1, b: 3 }, z: { a: 1, b: 2 } },
      },
      { name: "keeps integer keys as integers", text: "80: http\n", want: new Map([[80, "http"]]) },
      {
        name: "skips what is not base64",
        text: "a: !!binary |\n  -----BEGIN PGP-----\n  aGVs\n  bG8=\n  =abcd\n",
        want: { a: new Uint8Array([4, 65, 136, 52, 241, 143, 104, 101, 108, 108, 111]) },
      },
      { name: "reads tags", text: "a: !!str 5\nb: !!binary aGk=\n", want: { a: "5", b: new Uint8Array([104, 105]) } },
    ]
  ) test(name, () => assert.deepEqual(parseYaml(text).value, want));

  test("builds one shared value for an anchor and its aliases", () => {
    const { x, z } = parseYaml("x: &x [1]\nz: *x\n").value as { x: unknown; z: unknown };
    assert.equal(x, z);
  });

  test("parseOrderedYaml() builds ordered maps", () => {
    const value = parseOrderedYaml("b: {d: 1, c: 2}\na: 1\n") as OrderedMap;
    assert.ok(value instanceof OrderedMap && value.get("b") instanceof OrderedMap);
    assert.deepEqual([...value.keys()], ["b", "a"]);
  });

  for (
    const { name, text, line, column, problem } of [
      { name: "a repeated key", text: "a: 1\nb: 2\na: 3\n", line: 3, column: 1, problem: /found conflicting ID 'a'/ },
      { name: "an unknown tag", text: "a: !foo 1\n", line: 1, column: 4, problem: /constructor for the tag '!foo'/ },
      { name: "a list as key", text: "? [a]\n: 1\n", line: 1, column: 3, problem: /unhashable/ },
      { name: "an unclosed list", text: "a: 1\nb: [1\n", line: 3, column: 1, problem: /./ },
      { name: "an unknown alias", text: "a: *b\n", line: 1, column: 4, problem: /alias/ },
      { name: "two documents", text: "a: 1\n---\nb: 2\n", line: 2, column: 1, problem: /another document/ },
    ]
  ) {
    test(`refuses ${name} and names line and column`, () => {
      assert.throws(() => parseYaml(text).value, (error: unknown) => {
        assert.ok(error instanceof YamlError);
        assert.match(error.message, problem);
        assert.deepEqual([error.line, error.column], [line, column]);
        return true;
      });
    });
  }

  test("reports the line of a top-level key", () => {
    const { lineOf } = parseYaml("# head\na: 1\n\n'b c':\n  a: 2\n");
    assert.deepEqual([lineOf("a"), lineOf("b c"), lineOf("d")], [2, 4, undefined]);
  });
});
