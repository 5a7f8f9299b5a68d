/** Short documents that expand to many values. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { yamlifyArg } from "../../../src/model/job/args.ts";
import { YamlBudget } from "../../../src/language/yaml/budget.ts";
import { parseYaml, YamlError } from "../../../src/language/yaml/document.ts";
import { parseOrderedYaml } from "../../../src/language/yaml/ordered.ts";
import { parseLine } from "../../../src/language/yaml/line.ts";
import { YamlLimitError } from "../../../src/language/yaml/construct.ts";

const nine = (name: string) => Array(9).fill(`*${name}`).join(", ");
const levels = (count: number, first: string, level: (before: string) => string) =>
  `[&a0 ${first}, ${Array.from({ length: count }, (_, at) => `&a${at + 1} ${level(`a${at}`)}`).join(", ")}]`;

/** An empty value, but a reader that follows every alias takes 9^n steps. */
const emptyMerges = (count: number) => levels(count, "{}", (before) => `{<<: [${nine(before)}]}`);
/** Maps that are merged before they are built, so that no repeated key is noticed. */
const fullMerges = (count: number) =>
  `{<<: [&a0 {k: 1}, ${Array.from({ length: count }, (_, at) => `&a${at + 1} {<<: [${nine(`a${at}`)}]}`).join(", ")}]}`;
const aliases = (count: number) => levels(count, "[lol]", (before) => `[${nine(before)}]`);
const mapsOfAliases = (count: number) =>
  levels(count, "{k: v}", (before) => `{${Array.from({ length: 9 }, (_, at) => `k${at}: *${before}`).join(", ")}}`);
const longText = `[&a "${"x".repeat(100_000)}", ${Array(5000).fill("*a").join(", ")}]`;

const READERS = { parseYaml: (text: string) => parseYaml(text).value, parseLine: (text: string) => parseLine(text) };

for (const [name, parse] of Object.entries(READERS)) {
  describe(name, () => {
    test("takes time in proportion to length for maps that merge each other", () => {
      assert.deepEqual(parse(emptyMerges(40)), Array(41).fill({}));
    });

    for (
      const { what, text } of [
        { what: "maps that are merged and merged again", text: fullMerges(12) },
        { what: "aliases of aliases", text: aliases(12) },
        { what: "maps of aliases", text: mapsOfAliases(12) },
        { what: "a long text that is there thousands of times", text: longText },
      ]
    ) {
      test(`refuses ${what}, and names the limit`, () => {
        assert.throws(
          () => parse(text),
          (error) => error instanceof SyntaxError && /stands for more than \d+ values/.test(error.message),
        );
      });
    }

    test("accepts aliases and merged maps as people write them", () => {
      const text = "{base: &base {a: 1, b: [x, y]}, web: {<<: *base, a: 2}, db: {<<: [*base, {c: 3}]}, same: *base}";
      const base = { a: 1, b: ["x", "y"] };
      assert.deepEqual(parse(text), { base, web: { b: ["x", "y"], a: 2 }, db: { ...base, c: 3 }, same: base });
    });

    test("refuses nesting too deep for the stack", () => {
      for (const open of ["[", "{a: ", "- ", "? "]) assert.throws(() => parse(open.repeat(100_000)), SyntaxError);
      const closed = `a: ${"[".repeat(100_000)}${"]".repeat(100_000)}`;
      assert.throws(() => parse(closed), /nested too deeply/i);
    });

    test("refuses an integer of many digits, and says how to get a text", () => {
      for (const digits of ["1".repeat(6000), `1${":59".repeat(2000)}`, `0x${"f".repeat(6000)}`]) {
        assert.throws(() => parse(`[${digits}]`), /at most 5000 are allowed. Quote it/);
      }
    });
  });
}

test("a line of ten million words is read, outside of flow collections and in one", () => {
  const words = `${"a ".repeat(10_000_000)}b`;
  assert.equal((parseOrderedYaml(`k: ${words}`) as Map<string, string>).get("k")?.length, words.length);
  assert.equal((parseOrderedYaml(`k: [${words}]`) as Map<string, string[]>).get("k")?.[0]?.length, words.length);
});

test("a long document without aliases is read: 10 MB", () => {
  const text = Array.from({ length: 40_000 }, (_, at) => `k${at}:\n  - ${"v".repeat(240)}\n`).join("");
  assert.ok(text.length > 10_000_000);
  const value = parseOrderedYaml(text);
  assert.equal((value as Map<string, string[]>).get("k39999")?.[0], "v".repeat(240));
});

test("a word of a command that expands to too many values is refused, not read as text", () => {
  assert.throws(() => yamlifyArg(aliases(9)), YamlLimitError);
  assert.equal(yamlifyArg("[a, b"), "[a, b");
});

test("words of one request share one limit", () => {
  const budget = new YamlBudget(100);
  yamlifyArg(`[${"a,".repeat(40)}]`, budget);
  assert.throws(() => yamlifyArg(`[${"a,".repeat(40)}]`, budget), YamlLimitError);
});

test("the error names line and column", () => {
  assert.throws(() => parseYaml(`a: 1\nb: ${aliases(12)}`), (error) => error instanceof YamlError && error.line === 2);
});
