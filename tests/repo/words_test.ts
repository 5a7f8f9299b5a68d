/** Documents, and texts of programs and the console, follow the rules for words (`npm run lint:words`); the linter finds mistakes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { complaints, documents, problemsOfSource, sources } from "../../scripts/words.ts";
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

for (
  const { name, source, want } of [
    { name: "a string", source: 'f(\n"the master starts anew");', want: ["2 phrase"] },
    { name: "a template", source: "f(`the master ${a ? `x` : 1} starts anew`);", want: ["1 phrase"] },
    { name: "a text inside a template", source: 'f(`${a(`${"the job starts anew"}`)}`);', want: ["1 phrase"] },
    { name: "a text over two lines", source: 'f("the master starts by " +\n"itself");', want: ["1 phrase"] },
    { name: "a sentence of 21 words", source: `f("${words(21)}");`, want: ["1 sentence"] },
    { name: "a text of JSX", source: "<p>\n  The master starts anew.\n</p>", want: ["1 phrase"] },
    { name: "a text after a regular expression", source: 'x.replace(/"/g, "the job starts anew")', want: ["1 phrase"] },
  ]
) {
  test(`a linter of words finds ${name} of a source`, () => {
    assert.deepEqual(problemsOfSource(source, "a.tsx").map(({ line, rule }) => `${line} ${rule}`), want);
  });
}

for (
  const { name, source } of [
    { name: "comments", source: "// the job starts anew\n/* the job\nstarts anew */" },
    { name: "two words and code", source: 'f("anew"); const anew = "x" + besides;' },
    { name: "values of a template", source: "f(`the master ${besides} starts`);" },
  ]
) test(`a linter of words allows ${name} in a source`, () => assert.deepEqual(problemsOfSource(source, "a.ts"), []));

test("the texts of programs and the console follow the rules: npm run lint:words", () => {
  const files = sources();
  assert.ok(files.length > 500, `${files.length} sources`);
  assert.deepEqual(files.flatMap(complaints), []);
});
