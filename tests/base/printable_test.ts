import assert from "node:assert/strict";
import { test } from "node:test";
import { printable, printableLines, terminalText } from "../../src/base/printable.ts";

for (
  const { name, text, line, lines = line } of [
    { name: "text of any script is unchanged", text: "wéb1 – 漢 😀", line: "wéb1 – 漢 😀" },
    { name: "ESC is escaped", text: "a\x1b[31mb", line: "a\\x1b[31mb" },
    { name: "C1 is escaped", text: "a\u009b31mb\u0085", line: "a\\x9b31mb\\x85" },
    { name: "a carriage return is escaped", text: "good\rbad", line: "good\\x0dbad" },
    { name: "NUL, BEL, DEL are escaped", text: "\0\x07\x7f", line: "\\x00\\x07\\x7f" },
    {
      name: "characters that change the direction of writing are escaped",
      text: "\u202eabc\u2069",
      line: "\\u202eabc\\u2069",
    },
    {
      name: "line feeds and tabs are kept in text of several lines only",
      text: "a\tb\nc",
      line: "a\\x09b\\x0ac",
      lines: "a\tb\nc",
    },
    { name: "so are the other line separators", text: "a\u2028b", line: "a\\u2028b", lines: "a\u2028b" },
  ]
) {
  test(name, () => {
    assert.equal(printable(text), line);
    assert.equal(printableLines(text), lines);
  });
}

test("a long text is cut, with the number of missing characters", () => {
  assert.equal(printable("abcdef", 4), "abcd… (2 characters more)");
  assert.equal(printable("abcd", 4), "abcd");
});

for (
  const { name, text, want } of [
    {
      name: "colours, lines, tabs and Windows line ends are kept",
      text: "\x1b[0;36ma\x1b[0;0m\tb\r\nc\n",
      want: undefined,
    },
    {
      name: "sequences for titles, clipboards and hyperlinks are escaped",
      text: "\x1b]52;c;eA==\x07",
      want: "\\x1b]52;c;eA==\\x07",
    },
    { name: "so is what moves the cursor, or clears", text: "\x1b[2J\x1b[1;1H\x1bc", want: "\\x1b[2J\\x1b[1;1H\\x1bc" },
    { name: "so is a line that would overwrite another", text: "bad\rgood", want: "bad\\x0dgood" },
    { name: "so is C1, the same sequences in one byte", text: "\u009b2J\u0090", want: "\\x9b2J\\x90" },
  ]
) test(`on a terminal: ${name}`, () => assert.equal(terminalText(text), want ?? text));
