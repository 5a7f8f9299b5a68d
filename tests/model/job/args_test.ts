import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import {
  type ArgumentNames,
  InvocationError,
  loadArgsAndKwargs,
  parseArguments,
  parseInput,
  splitKwarg,
  yamlifyArg,
} from "../../../src/model/job/args.ts";
import { typeName } from "../../../src/language/python/values.ts";
import { parseFaithful, untag } from "../../language/python/tagged.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const vectors = JSON.parse(read("../../vectors/args.json"));

/** The words of a row, as its name. */
const title = (words: unknown) => JSON.stringify(words);

describe("parseInput() returns what Salt's client sends", () => {
  for (const row of vectors.parse_input) {
    test(title(row.args), () => {
      assert.deepEqual(parseInput(row.args), untag(row.parse_input_condition_true));
      const { positional, keyword } = parseArguments(row.args);
      assert.deepEqual([positional, Object.fromEntries(keyword)], untag(row.parse_input_condition_false));
    });
    if (row.no_parse === undefined) continue;
    test(`${title(row.args)} with --no-parse=k`, () => {
      assert.deepEqual(parseInput(row.args, { noParse: ["k"] }), untag(row.no_parse));
    });
  }
});

const SIGNATURES: Record<string, ArgumentNames> = {
  f_pos: { args: ["a", "b"], keywords: false },
  f_kw: { args: ["a"], keywords: true },
  f_var: { args: [], keywords: true },
};

describe("loadArgsAndKwargs() returns the arguments that Salt's minion binds", () => {
  for (const row of vectors.load_args_and_kwargs) {
    test(`${row.signature} ${title(row.args)} ${title(row.data)}`, () => {
      const bind = () => loadArgsAndKwargs(SIGNATURES[row.signature] as ArgumentNames, row.args, row.data);
      if (row.error !== undefined) return assert.throws(bind, InvocationError);
      const { positional, keyword } = bind();
      assert.deepEqual([positional, Object.fromEntries(keyword)], [row.positional, row.keyword]);
    });
  }

  test("lists the names that the function does not take", () => {
    const signature = { args: [], keywords: false };
    assert.throws(
      () => loadArgsAndKwargs(signature, ["x=1", { __kwarg__: true, y: null, z: 1.5 }]),
      { message: "The following keyword arguments are not valid: x=1, y=None, z=1.5", code: "INVOCATION" },
    );
  });
});

// The probe function `gold.args` of the captures returns the type and value of each argument that reached it.
const shown = (value: unknown) => [typeName(value), value];

describe("parseInput() makes the arguments that a minion was seen to receive", () => {
  const folder = new URL("../../golden/cli/", import.meta.url);
  for (const name of readdirSync(folder).filter((name) => name.startsWith("args-")).sort()) {
    const golden = JSON.parse(read(`../../golden/cli/${name}`));
    const at = golden.argv.indexOf("gold.args");
    if (at === -1 || golden.exit_code !== 0 || golden.argv.includes("--args-stdin")) continue;
    test(golden.id, () => {
      const words = golden.argv.slice(at + 1).filter((word: string, index: number, all: string[]) =>
        // Options are for the option parser; after "--" there are none.
        golden.argv.slice(0, at + 1 + index).includes("--") || !(word.startsWith("--") && all.length > 1)
      );
      const option = golden.argv.find((word: string) => word.startsWith("--no-parse="))?.slice(11);
      const noParse = (golden.env?.SALT_NO_PARSE ?? option ?? "").split(",");
      const { positional, keyword } = loadArgsAndKwargs(
        SIGNATURES.f_var as ArgumentNames,
        parseInput(words, { noParse }),
      );
      const got = {
        a: positional.map(shown),
        k: Object.fromEntries(Array.from(keyword, ([key, value]) => [key, shown(value)])),
      };
      assert.deepEqual(plain(got), (plain(parseFaithful(golden.stdout)) as { alpha: unknown }).alpha);
    });
  }
});

/** A value as JSON keeps it, keys as text; numbers become text that shows their type, which JSON does not. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, item) => {
    if (item instanceof Map) return Object.fromEntries(item);
    if (typeof item === "bigint" || Number.isInteger(item)) return `int ${item}`;
    if (typeof item !== "number" && !(item instanceof Number)) return item;
    return `float ${Object.is(item.valueOf(), -0) ? "-0" : item}`;
  }));
}

describe("yamlifyArg()", () => {
  for (
    const { name, word, want } of [
      { name: "reads octal after a sign, as Python does", word: "-010", want: -8 },
      { name: "keeps integers of any size", word: "1234567890123456789012", want: 1234567890123456789012n },
      { name: "keeps a map that follows a document marker", word: "--- {a: 1}", want: "--- {a: 1}" },
      { name: "keeps a word with an unprintable character", word: "[1, \x01]", want: "[1, \x01]" },
      { name: "returns a map with integer keys as a Map", word: "{1: 2}", want: new Map([[1, 2]]) },
      {
        name: "returns a map with the key __proto__ as a Map",
        word: "{__proto__: 1}",
        want: new Map([["__proto__", 1]]),
      },
      { name: "uses a list with a comment although it is not a flow list", word: "- 1 # one", want: [1] },
      { name: "leaves values that are not text", word: 5, want: 5 },
      { name: "keeps absurdly deep nesting", word: "[".repeat(100_000), want: "[".repeat(100_000) },
    ]
  ) test(name, () => assert.deepEqual(yamlifyArg(word), want));
});

describe("splitKwarg()", () => {
  for (
    const { word, want } of [
      { word: "a=1", want: ["a", "1"] },
      { word: "a==1", want: undefined },
      { word: "a=", want: ["a", ""] },
      { word: "=a", want: undefined },
      { word: "1a=b", want: undefined },
      { word: "é.x-y=z", want: ["é.x-y", "z"] },
      { word: "a=1\n2", want: undefined },
      { word: "a=1\n", want: ["a", "1"] },
    ]
  ) test(JSON.stringify(word), () => assert.deepEqual(splitKwarg(word), want));
});
