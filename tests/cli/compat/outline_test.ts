import assert from "node:assert/strict";
import { test } from "node:test";
import { COMPUTED, outlineOf, withoutTags } from "../../../cli/compat/outline.ts";

const rows = (text: string) =>
  outlineOf(withoutTags(text)).map(({ above, key, value, line, isItem }) =>
    `${line} ${[...above, key ?? "-"].join("/")}${isItem ? " item" : ""}${value === "" ? "" : ` = ${value}`}`
  );

for (
  const { name, text, want } of [
    {
      name: "keys and items know what is above them",
      text: "a:\n  b.c:\n    - name: x # why\n    - y\n    - z:\n      - deep: 1\nd: e\n",
      want: [
        "1 a",
        "2 a/b.c",
        "3 a/b.c/name item = x",
        "4 a/b.c/- item = y",
        "5 a/b.c/z item",
        "6 a/b.c/z/deep item = 1",
        "7 d = e",
      ],
    },
    {
      name: "items may begin in the column of their key",
      text: "include:\n- a\n- b\nx:\n  y:\n  - z: 1\n",
      want: ["1 include", "2 include/- item = a", "3 include/- item = b", "4 x", "5 x/y", "6 x/y/z item = 1"],
    },
    {
      name: "block scalars, comments and marks of documents are passed",
      text: "---\na: |\n  b:\n    c\n\n  # no comment\nd:\n  - e: >-\n      f: g\n  # comment\n  - h\n",
      want: ["2 a = |", "7 d", "8 d/e item = >-", "11 d/- item = h"],
    },
    {
      name: "tags of templates keep the lines of what follows",
      text: "{% set a = {\n  'b': 1 } %}\n{{ x }}:\n  p.q: {{ y }}\n{# z:\n#}\n'quoted: key': v\n",
      want: [`3 ${COMPUTED}`, `4 ${COMPUTED}/p.q = ${COMPUTED}`, "7 quoted: key = v"],
    },
    {
      name: "colons within words separate nothing",
      text: 'http://host:80/x:\n  a: b:c\n"it\'s": 1\n',
      want: ["1 http://host:80/x", "2 http://host:80/x/a = b:c", "3 it's = 1"],
    },
  ]
) test(`outline: ${name}`, () => assert.deepEqual(rows(text), want));

test("outline: a line of a million characters and a million lines take time in proportion", () => {
  assert.equal(outlineOf(`a: ${"x ".repeat(500_000)}`).length, 1);
  assert.equal(outlineOf(`${" ".repeat(500_000)}-${" -".repeat(200_000)}`).length, 0);
  assert.equal(outlineOf("- a\n".repeat(300_000)).length, 300_000);
  assert.equal(withoutTags("{% ".repeat(200)).length, 600);
});
