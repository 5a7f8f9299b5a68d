/**
 * Every command of every document, pasted into a shell beside a fleet of its own. `npm run test:docs` runs it; what a comment
 * before a block says of it is explained in CONTRIBUTING.md. `BRINE_DOCS=docs/api.md` runs one document.
 */
import assert from "node:assert/strict";
import process from "node:process";
import { describe, test } from "node:test";
import { blocksOf, commandsOf, DOCUMENTS, NOTES, printed } from "./blocks.ts";
import { INLINE, INLINE_SETTING } from "./inline_commands.ts";
import { paste } from "./paste.ts";
import { PATIENCE_MS, Place } from "./place.ts";
import { settingOf } from "./settings.ts";

const asked = process.env.BRINE_DOCS;
const notNode = process.versions.bun !== undefined || process.versions.deno !== undefined;
const skip = asked === undefined ? "npm run test:docs runs it" : notNode ? "npm runs Node" : false;

describe("commands of the documents", { skip, timeout: 20 * PATIENCE_MS }, () => {
  for (const file of DOCUMENTS) {
    if (asked !== "all" && asked !== file) continue;
    const blocks = commandsOf(file).filter(({ notRun }) => notRun === undefined);
    if (blocks.length === 0) continue;
    test(`${file}: ${blocks.length} blocks`, async (context) => {
      await using place = await Place.open(settingOf(file));
      for (const block of blocks) await context.test(`line ${block.line}`, () => paste(place, block));
    });
  }
});

describe("commands in running text", { skip: skip || asked !== "all", timeout: 20 * PATIENCE_MS }, () => {
  test("each does what it says", async (context) => {
    await using place = await Place.open(INLINE_SETTING);
    for (const [command, row] of Object.entries(INLINE)) {
      if (!("prints" in row)) continue;
      await context.test(command, () => {
        const { code, text } = place.run(row.run ?? command);
        assert.equal(code, row.exit ?? 0, `${row.run ?? command}\nended with ${code} and printed\n${text}`);
        assert.match(text, row.prints);
      });
    }
  });
});

test("blocks without a language, and of text, are no commands", () => {
  const found = DOCUMENTS.flatMap((file) => blocksOf(file)).filter(({ language, text }) =>
    (language === "" || language === "text") &&
    /^(?:[$#] )?(?:salt(?:-\w+)?|brine|npm|node|deno|bun|curl|docker) [\w'.-]/m.test(text)
  );
  assert.deepEqual(found.map(({ file, line }) => `${file}:${line}`), [], "commands belong into blocks of sh");
});

test("what is not run says why", () => {
  const left = DOCUMENTS.flatMap((file) => commandsOf(file)).filter(({ notRun }) => notRun !== undefined);
  for (const { file, line, notRun } of left) assert.ok(notRun!.length > 10, `${file}:${line}`);
});

test("nothing is run that would change the machine", () => {
  const run = DOCUMENTS.flatMap((file) => commandsOf(file)).filter(({ notRun, savedAs }) =>
    notRun === undefined && savedAs === undefined
  );
  const found = run.filter(({ text }) =>
    /\b(?:apt|apt-get|dpkg|systemctl|useradd|iptables|nft)\b|\/usr\/|\bpkg\.(?!list|version)/.test(text)
  );
  const places = found.map(({ file, line }) => `${file}:${line}`);
  assert.deepEqual(places, [], "write <!-- not run: why --> before the block, or show it in another way");
});

test("a comment before a block is one that is known", () => {
  const notes = DOCUMENTS.flatMap((file) => blocksOf(file)).flatMap(({ file, line, notes }) =>
    notes.map(([name]) => ({ place: `${file}:${line}`, name }))
  );
  assert.deepEqual(notes.filter(({ name }) => !(NOTES as readonly string[]).includes(name)), []);
});

for (
  const { name, text, says, fits } of [
    { name: "the same lines", text: "web1:\n    True\n", says: "web1:\n    True", fits: true },
    { name: "a part of a line that changes", text: "took 12 ms\n", says: "took … ms", fits: true },
    { name: "lines that are left out", text: "a\nb\nc\n", says: "a\n…\nc", fits: true },
    { name: "a line too many", text: "a\nb\n", says: "a", fits: false },
    { name: "a line too few", text: "a\n", says: "a\nb", fits: false },
    { name: "signs of patterns", text: "a+b\n", says: "aab", fits: false },
  ]
) test(`what is printed, beside what the document says: ${name}`, () => assert.equal(printed(says).test(text), fits));
