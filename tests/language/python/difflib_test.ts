/** Expected values are the results of Python's `difflib.unified_diff`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { unifiedDiff } from "../../../src/language/python/difflib.ts";

const lines = (text: string) => [...text].map((letter) => `${letter}\n`);

for (
  const { name, a, b, options, want } of [
    { name: "equal texts have no diff", a: lines("ab"), b: lines("ab"), want: "" },
    { name: "from an empty text", a: [], b: ["x\n"], want: "--- \n+++ \n@@ -0,0 +1 @@\n+x\n" },
    { name: "to an empty text", a: ["x\n"], b: [], want: "--- \n+++ \n@@ -1 +0,0 @@\n-x\n" },
    {
      name: "changes far apart become separate hunks, and the last line may have no line end",
      a: lines("abcdefghij"),
      b: [...lines("aBcdefghij"), "k"],
      want: "--- \n+++ \n@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n@@ -8,3 +8,4 @@\n h\n i\n j\n+k",
    },
    {
      name: "with names and no context",
      a: lines("ab"),
      b: lines("a"),
      options: { from: "one", to: "two", context: 0 },
      want: "--- one\n+++ two\n@@ -2 +1,0 @@\n-b\n",
    },
  ]
) {
  test(`unifiedDiff(): ${name}`, () => assert.equal(unifiedDiff(a, b, options).join(""), want));
}

test("unifiedDiff() of long texts does not use frequent lines as anchors", () => {
  const a = Array.from({ length: 220 }, (_, at) => `${at % 3}\n`);
  const diff = unifiedDiff(a, [...a.slice(0, 100), "x\n", ...a.slice(100)]);
  assert.equal(diff.length, 247);
  assert.deepEqual(diff.slice(0, 7), ["--- \n", "+++ \n", "@@ -98,123 +98,124 @@\n", " 1\n", " 2\n", " 0\n", "-1\n"]);
});
