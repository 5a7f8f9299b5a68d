import assert from "node:assert/strict";
import { test } from "node:test";
import { printable, printableLines, terminalText } from "../src/printable.ts";

for (
  const { name, text, line, lines = line } of [
    { name: "text of any script stays", text: "wéb1 – 漢 😀", line: "wéb1 – 漢 😀" },
    { name: "ESC is written out", text: "a\x1b[31mb", line: "a\\x1b[31mb" },
    { name: "C1 is written out", text: "a\u009b31mb\u0085", line: "a\\x9b31mb\\x85" },
    { name: "a carriage return is written out", text: "good\rbad", line: "good\\x0dbad" },
    { name: "NUL, BEL, DEL are written out", text: "\0\x07\x7f", line: "\\x00\\x07\\x7f" },
    { name: "what turns the writing is written out", text: "\u202eabc\u2069", line: "\\u202eabc\\u2069" },
    { name: "lines and tabs stay among lines alone", text: "a\tb\nc", line: "a\\x09b\\x0ac", lines: "a\tb\nc" },
    { name: "other separators of lines as well", text: "a\u2028b", line: "a\\u2028b", lines: "a\u2028b" },
  ]
) {
  test(name, () => {
    assert.equal(printable(text), line);
    assert.equal(printableLines(text), lines);
  });
}

test("a long text is cut, and says by how much", () => {
  assert.equal(printable("abcdef", 4), "abcd… (2 characters more)");
  assert.equal(printable("abcd", 4), "abcd");
});

for (
  const { name, text, want } of [
    {
      name: "colours, lines, tabs and line ends of Windows stay",
      text: "\x1b[0;36ma\x1b[0;0m\tb\r\nc\n",
      want: undefined,
    },
    {
      name: "titles, clipboards and hyperlinks do not come through",
      text: "\x1b]52;c;eA==\x07",
      want: "\\x1b]52;c;eA==\\x07",
    },
    { name: "nor what moves the cursor, or clears", text: "\x1b[2J\x1b[1;1H\x1bc", want: "\\x1b[2J\\x1b[1;1H\\x1bc" },
    { name: "nor a line that is written over another", text: "bad\rgood", want: "bad\\x0dgood" },
    { name: "nor C1, which says the same in one byte", text: "\u009b2J\u0090", want: "\\x9b2J\\x90" },
  ]
) test(`on a terminal: ${name}`, () => assert.equal(terminalText(text), want ?? text));
