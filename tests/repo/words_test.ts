/** Documents follow the rules for words (`npm run lint:words`), and the linter finds what breaks them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { complaints, documents } from "../../scripts/words.ts";
import { type Bounds, problemsOf } from "../../scripts/words/rules.ts";

const BOUNDS: Bounds = { sentence: 20, cell: 15, page: 100 };

/** The problems of a text, as `line rule`. */
const found = (text: string, bounds = BOUNDS) => problemsOf(text, bounds).map(({ line, rule }) => `${line} ${rule}`);

const words = (count: number) => Array.from({ length: count }, () => "word").join(" ");

for (
  const { name, text, want } of [
    { name: "a heading that is a clause", text: "# Title\n\n## What there can be\n", want: ["3 heading"] },
    { name: "a heading that is a question", text: "# Title\n\n## Where is it?\n", want: ["3 heading"] },
    { name: "a heading of nine words", text: `# ${words(9)}\n`, want: ["1 heading"] },
    { name: "a sentence of 21 words", text: `A start.\nThen ${words(20)}.\n`, want: ["2 sentence"] },
    { name: "a sentence over two lines", text: `${words(12)}\n${words(12)}.\n`, want: ["1 sentence"] },
    { name: "an item of a list", text: `- short\n- ${words(21)}\n`, want: ["2 sentence"] },
    { name: "a phrase", text: "The master starts anew.\n", want: ["1 phrase"] },
    { name: "a phrase over two lines", text: "The minion starts by\nitself.\n", want: ["1 phrase"] },
    { name: "a phrase in a cell", text: "| a |\n|---|\n| besides |\n", want: ["3 phrase"] },
    { name: "a wrong negation", text: "This is no master.\n", want: ["1 phrase"] },
    { name: "a cell of 16 words", text: `| a | b |\n|---|---|\n| x | ${words(16)} |\n`, want: ["3 cell"] },
    { name: "a page of 101 words", text: `${"A word. ".repeat(51)}\n`, want: ["1 page"] },
  ]
) test(`a linter of words finds ${name}`, () => assert.deepEqual(found(text), want));

for (
  const { name, text } of [
    { name: "plain sentences", text: `# Configure the master\n\n${words(20)}. There is no master.\n` },
    { name: "a colon between two parts", text: `${words(12)}: ${words(12)}.\n` },
    { name: "code and comments", text: "`anew`\n\n```sh\n# What there is\n```\n\n<!-- anew -->\n" },
    { name: "code that is indented", text: `Words:\n\n    ${words(12)}\n    ${words(12)}\n` },
    { name: "names in a row", text: `${words(15)} ${Array.from({ length: 9 }, () => "`name`").join(", ")}.\n` },
    { name: "a quoted text", text: 'The test is "it starts anew".\n' },
    { name: "the address of a link", text: "[Engines](what-there-is.md#anew) run.\n" },
    { name: "a cell of 15 words", text: `| a |\n|---|\n| ${words(15)} |\n` },
  ]
) test(`a linter of words allows ${name}`, () => assert.deepEqual(found(text), []));

test("a problem names the remedy", () => {
  assert.match(problemsOf("It starts anew.\n", BOUNDS)[0]!.text, /"anew": write again/);
});

test("the documents follow the rules: npm run lint:words", () => {
  const files = documents();
  assert.ok(files.length > 30, `${files.length} documents`);
  assert.deepEqual(files.flatMap(complaints), []);
});
