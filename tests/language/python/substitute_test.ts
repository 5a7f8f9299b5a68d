/** Expected values are the results of Python's `re.subn`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSearch, escapeRegexp, substitute } from "../../../src/language/python/substitute.ts";

for (
  const { pattern, flags, template, text, count, want } of [
    { pattern: "x*", template: "-", text: "abxd", want: ["-a-b--d-", 5] },
    { pattern: "(a)(?P<n>b)?", template: "\\1\\g<n>\\g<0>!", text: "abac", count: 1, want: ["abab!ac", 1] },
    { pattern: "(a)(?P<n>b)?", template: "<\\2>", text: "ac", want: ["<>c", 1] },
    { pattern: "a", template: "\\n\\t\\\\\\.\\0", text: "a", want: ["\n\t\\\\.\0", 1] },
    { pattern: "^a$", flags: { m: true }, template: "b", text: "a\nca\na\n", want: ["b\nca\nb\n", 2] },
    { pattern: "É", flags: { i: true }, template: "e", text: "éÉ", want: ["ee", 2] },
    { pattern: "none", template: "\\g<0>", text: "text", want: ["text", 0] },
    { pattern: "|a", template: "-", text: "a", want: ["---", 3] },
    { pattern: "x*?", template: "-", text: "xx", want: ["-----", 5] },
    { pattern: "(?P<n>)|b", template: "<\\g<n>>", text: "bb", want: ["<><><><><>", 5] },
    { pattern: "\\b", template: "|", text: "foo bar", want: ["|foo| |bar|", 4] },
    { pattern: "^|x", flags: { m: true }, template: "-", text: "xx\nx", want: ["---\n--", 5] },
    { pattern: "a", template: "$1$&\\\\1", text: "a", want: ["$1$&\\1", 1] },
  ]
) {
  test(`substitute(): ${pattern} by ${template} in ${JSON.stringify(text)}`, () => {
    const got = substitute(compileSearch(pattern, flags), template, text, count);
    assert.deepEqual([got.text, got.count], want);
  });
}

for (const template of ["\\2", "\\g<x>", "\\q", "\\"]) {
  test(`substitute() refuses the template ${template}, even if nothing matches`, () => {
    for (const text of ["a", "b"]) assert.throws(() => substitute(compileSearch("(a)"), template, text), Error);
  });
}

test("escapeRegexp() escapes as Python does: special characters only", () => {
  assert.equal(escapeRegexp("a.b-c d#é~&\n"), "a\\.b\\-c\\ d\\#é\\~\\&\\\n");
  assert.match("a.b-c d#é~&\n", compileSearch(escapeRegexp("a.b-c d#é~&\n")));
});
