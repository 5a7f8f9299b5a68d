/** Blocks of data in the documents are what their language says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, commandsOf, DOCUMENTS } from "../docs/blocks.ts";

/** `html`: pages of the SDK, which tests/sdk/newcomer_nightly_test.ts opens in a browser. */
const LANGUAGES = new Set(["", "python", "sh", "text", "yaml", "json", "ts", "js", "jinja", "mermaid", "html"]);
const all = DOCUMENTS.flatMap((file) => blocksOf(file));

test("every block of JSON parses", () => {
  const found = all.filter(({ language }) => language === "json");
  assert.ok(found.length >= 2);
  for (const { file, line, text } of found) assert.doesNotThrow(() => JSON.parse(text), `${file}:${line}`);
});

test("every block is of a language that some check knows", () => {
  const strange = all.filter(({ language }) => !LANGUAGES.has(language));
  assert.deepEqual(strange.map(({ file, line, language }) => `${file}:${line} ${language}`), []);
});

test("a comment before a block says how it is run", () => {
  const text =
    "<!-- until: True -->\n<!-- exit: 2 -->\n```sh\nsalt\n```\n\n```text\nweb1\n```\n\n<!-- not run: why -->\n```sh\na\n```\n";
  const [first, second] = commandsOf("page.md", text);
  assert.deepEqual([first!.line, first!.until, first!.exit, first!.prints], [4, /True/, 2, "web1\n"]);
  assert.deepEqual([second!.notRun, second!.exit, second!.prints], ["why", 0, undefined]);
});

test("a block in a list is without the list's indent", () => {
  const [block] = blocksOf("page.md", "- a\n\n  ```sh\n  one\n    two\n  ```\n");
  assert.equal(block!.text, "one\n  two\n");
});
