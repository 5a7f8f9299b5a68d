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

for (
  const [template, says] of [
    ["\\2", "invalid group reference 2 at position 1"],
    ["é\n\\2", "invalid group reference 2 at position 3 (line 2, column 2)"],
    ["\\g<2>", "invalid group reference 2 at position 3"],
    ["\\g<x>", "unknown group name 'x'"],
    ["\\g<1a>", "bad character in group name '1a' at position 3"],
    ["\\g<>", "missing group name at position 3"],
    ["\\g<2", "missing >, unterminated name at position 3"],
    ["\\g", "missing < at position 2"],
    ["\\q", "bad escape \\q at position 0"],
    ["\\2\\q", "invalid group reference 2 at position 1"],
    ["\\", "bad escape (end of pattern) at position 0"],
    ["\\400", "octal escape value \\400 outside of range 0-0o377 at position 0"],
  ]
) {
  test(`substitute() refuses the template ${JSON.stringify(template)} in Python's words, even if nothing matches`, () => {
    for (const text of ["a", "b"]) {
      assert.throws(() => substitute(compileSearch("(a)"), template!, text), { message: says });
    }
  });
}

test("escapeRegexp() escapes as Python does: special characters only", () => {
  assert.equal(escapeRegexp("a.b-c d#é~&\n"), "a\\.b\\-c\\ d\\#é\\~\\&\\\n");
  assert.match("a.b-c d#é~&\n", compileSearch(escapeRegexp("a.b-c d#é~&\n")));
});
