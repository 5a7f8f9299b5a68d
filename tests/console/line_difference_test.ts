import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOfValue } from "../../src/console/canonical.ts";
import { type DifferenceLine, differenceOf } from "../../src/console/line_difference.ts";

const SIGNS: Record<DifferenceLine["kind"], string> = { same: " ", removed: "-", added: "+", gap: "~" };
const shown = (before: readonly string[], after: readonly string[]) =>
  differenceOf(before, after).map(({ kind, text }) => `${SIGNS[kind]}${text}`);
const numbered = (count: number) => Array.from({ length: count }, (_value, at) => `line ${at + 1}`);

test("equal lines have no difference", () => {
  assert.deepEqual(shown(["a", "b"], ["a", "b"]), []);
  assert.deepEqual(shown([], []), []);
});

test("a change is shown with three lines around it and its place", () => {
  const before = numbered(100);
  const after = before.with(49, "changed");
  assert.deepEqual(shown(before, after), [
    "~line 47",
    " line 47",
    " line 48",
    " line 49",
    "-line 50",
    "+changed",
    " line 51",
    " line 52",
    " line 53",
  ]);
});

test("lines that were added at an end are shown", () => {
  assert.deepEqual(shown(["a"], ["a", "b"]), ["~line 1", " a", "+b"]);
  assert.deepEqual(shown(["b"], ["a", "b"]), ["~line 1", "+a", " b"]);
});

test("mappings are compared as JSON with sorted keys", () => {
  const difference = shown(linesOfValue({ b: 1, a: 2 }), linesOfValue({ a: 2, b: 3 }));
  assert.deepEqual(difference, ["~line 1", " {", '   "a": 2,', '-  "b": 1', '+  "b": 3', " }"]);
});

test("of long texts that have nothing in common a part is compared, and it says so", () => {
  const before = Array.from({ length: 100_000 }, (_value, at) => `x${at % 3}`);
  const after = Array.from({ length: 90_000 }, (_value, at) => `y${at % 3}`);
  const lines = differenceOf(before, after);
  assert.ok(lines.length <= 1002, String(lines.length));
  assert.deepEqual(lines.at(-1), {
    kind: "gap",
    text: "99,500 more lines are not compared: copy as JSON to see all",
  });
});

test("a long line is cut", () => {
  const [, removed, added] = differenceOf(["x".repeat(1_000_000)], ["y"]);
  assert.deepEqual([removed!.text.length, added!.text], [2001, "y"]);
});
