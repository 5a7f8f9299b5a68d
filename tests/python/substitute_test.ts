/** Expected values are what Python's `re.subn` gives. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSearch, escapeRegexp, substitute } from "../../src/python/substitute.ts";

for (
  const { pattern, flags, template, text, count, want } of [
    { pattern: "x*", template: "-", text: "abxd", want: ["-a-b--d-", 5] },
    { pattern: "(a)(?P<n>b)?", template: "\\1\\g<n>\\g<0>!", text: "abac", count: 1, want: ["abab!ac", 1] },
    { pattern: "(a)(?P<n>b)?", template: "<\\2>", text: "ac", want: ["<>c", 1] },
    { pattern: "a", template: "\\n\\t\\\\\\.\\0", text: "a", want: ["\n\t\\\\.\0", 1] },
    { pattern: "^a$", flags: { m: true }, template: "b", text: "a\nca\na\n", want: ["b\nca\nb\n", 2] },
    { pattern: "É", flags: { i: true }, template: "e", text: "éÉ", want: ["ee", 2] },
    { pattern: "none", template: "\\g<0>", text: "text", want: ["text", 0] },
    { pattern: "a", template: "$1$&\\\\1", text: "a", want: ["$1$&\\1", 1] },
  ]
) {
  test(`substitute(): ${pattern} by ${template} in ${JSON.stringify(text)}`, () => {
    const got = substitute(compileSearch(pattern, flags), template, text, count);
    assert.deepEqual([got.text, got.count], want);
  });
}

for (const template of ["\\2", "\\g<x>", "\\q", "\\"]) {
  test(`substitute() refuses the template ${template}, also where nothing is found`, () => {
    for (const text of ["a", "b"]) assert.throws(() => substitute(compileSearch("(a)"), template, text), Error);
  });
}

test("escapeRegexp() is Python's: only what means something is escaped", () => {
  assert.equal(escapeRegexp("a.b-c d#é~&\n"), "a\\.b\\-c\\ d\\#é\\~\\&\\\n");
  assert.match("a.b-c d#é~&\n", compileSearch(escapeRegexp("a.b-c d#é~&\n")));
});
