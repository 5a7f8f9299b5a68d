/** Trees of SLS files that want to cost much: what they may take is bounded. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { silentLogger } from "../../../src/base/log.ts";
import { OrderedMap } from "../../../src/language/python/values.ts";
import { compileHigh } from "../../../src/content/state/compile/compile_high.ts";
import { openHigh } from "../../../src/content/state/compile/high.ts";
import type { RenderFile } from "../../../src/content/state/compile/sls_reader.ts";
import { StateCompiler } from "../../../src/content/state/compile/state_compiler.ts";
import { parseOrderedYaml } from "../../../src/language/yaml/ordered.ts";

/** A compiler over files in memory, which are plain YAML. */
function compilerOf(files: Record<string, string>): { compiler: StateCompiler; rendered: string[] } {
  const rendered: string[] = [];
  const render: RenderFile = ({ name }) => {
    rendered.push(name);
    return Promise.resolve(parseOrderedYaml(files[name]!));
  };
  const names = Object.keys(files).map((name) => name.replace(/(?:\/init)?\.sls$/, "").replaceAll("/", ".")).sort();
  const compiler = new StateCompiler({
    opts: { saltenv: "base" },
    files: {
      environments: () => Promise.resolve(["base"]),
      states: () => Promise.resolve(names),
      fetch: (url) => Promise.resolve(Object.hasOwn(files, url.slice(7)) ? url : undefined),
    },
    log: silentLogger,
    render,
    match: () => true,
  });
  return { compiler, rendered };
}

/** Low chunks or errors of some SLS files. */
async function compiled(files: Record<string, string>, ...mods: string[]) {
  const { compiler, rendered } = compilerOf(files);
  const { high, errors } = await compiler.renderHighstate(new Map([["base", mods]]));
  if (errors.length > 0) return { chunks: [], errors, rendered };
  return { ...compiler.compile(high), rendered };
}

const times = (count: number, make: (at: number) => string) => Array.from({ length: count }, (_, at) => make(at));

describe("compiling costs no more than it should", () => {
  test("files that include each other are rendered once each", async () => {
    const { chunks, errors, rendered } = await compiled(
      {
        "a.sls": "include: [b, a]\nx: test.nop\n",
        "b.sls": "include: [a, c]\ny: test.nop\n",
        "c.sls": "include: [a, b, c]\nz: test.nop\n",
      },
      "a",
    );
    assert.deepEqual(errors, []);
    assert.deepEqual(chunks.map(({ name }) => name), ["z", "y", "x"]);
    assert.deepEqual(rendered, ["a.sls", "b.sls", "c.sls"]);
  });

  test("a billion includes: each of 60 files includes all others", async () => {
    const files = Object.fromEntries(
      times(60, (at) => `f${at}`).map((name) => [
        `${name}.sls`,
        `include: ['*', '*', f1, f2, .f3]\n${name}: test.nop\n`,
      ]),
    );
    const { chunks, errors, rendered } = await compiled(files, "f0");
    assert.deepEqual(errors, []);
    assert.equal(chunks.length, 60);
    assert.equal(rendered.length, 60);
  });

  test("a chain of 1000 includes", async () => {
    const files = Object.fromEntries(
      times(1000, String).map((at) => [
        `f${at}.sls`,
        at === "999" ? "last: test.nop\n" : `include: [f${Number(at) + 1}]\nx${at}: test.nop\n`,
      ]),
    );
    const { chunks, errors } = await compiled(files, "f0");
    assert.deepEqual(errors, []);
    assert.deepEqual([chunks.length, chunks[0]!.name, chunks.at(-1)!.name], [1000, "last", "x0"]);
  });

  test("many names are one state each, and names with many arguments are refused", async () => {
    const names = `names: [${times(20_000, (at) => `n${at}`).join(", ")}]`;
    const few = await compiled({ "a.sls": `x:\n  test.nop:\n    - ${names}\n` }, "a");
    assert.deepEqual([few.errors, few.chunks.length], [[], 20_000]);
    const list = `k: [${times(2000, String).join(", ")}]`;
    const { errors } = await compiled({ "a.sls": `x:\n  test.nop:\n    - ${names}\n    - ${list}\n` }, "a");
    assert.deepEqual(errors, [
      "'names' of the state 'x' in SLS 'a' makes the states of this minion too large to compile: split them up",
    ]);
  });

  test("a list that extends itself again and again is refused", async () => {
    const extend = times(40, (at) => `  - y: {test: [require: *r], __sls__: s${at}}`).join("\n");
    const high = `r: &r [{test: z}]\n`;
    const data = parseOrderedYaml(
      `${high}high:\n  y: {test: [nop, require: *r], __sls__: a}\nextend:\n${extend}\n`,
    ) as OrderedMap;
    const tree = new OrderedMap([...data.get("high") as OrderedMap, ["__extend__", data.get("extend")]]);
    assert.deepEqual(compileHigh(openHigh(tree)).errors, [
      "A list of requisites that is extended again and again makes the states of this minion too large to compile: split them up",
    ]);
  });

  test("a require_in of very many states is refused, since it counts each of them anew", async () => {
    const states = times(2000, (at) => `s${at}: test.nop`).join("\n");
    const targets = times(2000, (at) => `{test: s${at}}`).join(", ");
    const { errors } = await compiled({ "a.sls": `${states}\nx:\n  test.nop:\n    - require_in: [${targets}]\n` }, "a");
    assert.deepEqual(errors, [
      "'require_in' of the state 'x' makes the states of this minion too large to compile: split them up",
    ]);
  });

  test("extensions of states that are found by their names cost no search each", async () => {
    const states = times(5000, (at) => `s${at}: {test.nop: [name: n${at}]}`).join("\n");
    const extend = times(5000, (at) => `  n${at}: {test: [k: ${at}]}`).join("\n");
    const { chunks, errors } = await compiled({ "a.sls": `${states}\nextend:\n${extend}\n` }, "a");
    assert.deepEqual(errors, []);
    assert.deepEqual(chunks.slice(-1).map(({ __id__, k }) => [__id__, k]), [["s4999", 4999]]);
  });

  test("names and arguments such as __proto__ are names and arguments", async () => {
    const text =
      "__proto__x: {test.nop: [{__proto__: 1}, {constructor: 2}]}\nconstructor: test.nop\ntoString:\n  test.nop: []\n";
    const { chunks, errors } = await compiled({ "a.sls": text }, "a");
    assert.deepEqual(errors, []);
    assert.deepEqual(chunks.map(({ name }) => name), ["constructor", "toString"]);
    const own = await compiled({ "a.sls": "x: {test.nop: [{__proto__: 1}, {constructor: 2}]}\n" }, "a");
    assert.equal(Object.getOwnPropertyDescriptor(own.chunks[0]!, "__proto__")?.value, 1);
    assert.equal(Object.getPrototypeOf(own.chunks[0]!), Object.prototype);
  });
});

describe("what is formed wrongly is said, not thrown", () => {
  for (
    const { text, error } of [
      { text: "include: [5]\n", error: "Include 5 in SLS 'base:a' is neither a name nor an environment with a name" },
      {
        text: "include: [{base: [b]}]\n",
        error:
          "Include OrderedDict([('base', ['b'])]) in SLS 'base:a' is neither a name nor an environment with a name",
      },
      {
        text: "x: {5: [nop]}\n",
        error: "The key 5 of ID 'x' in SLS 'a' is not formed as a string, but is a int. It may need to be quoted.",
      },
      { text: "x: test.nop\nextend: {x: {}}\n", error: "Extension of ID 'x' in SLS 'a' names no state module" },
      { text: "x: test.nop\nextend: {x: {test: 5}}\n", error: "State 'x' in SLS 'a' is not formed as a list" },
      {
        text: "x: {test.nop: [require: y]}\nextend: {x: {test: [require: [test: z]]}}\n",
        error: "The require statement in state 'x' in SLS 'a' needs to be formed as a list",
      },
      { text: "x: test.nop\nexclude: [{sls: [b]}]\n", error: "Exclude of SLS ['b']: expected a name" },
      {
        text: "x: {test.nop: [require_in: [test: [y]]]}\n",
        error: "Illegal requisite \"['y']\", please check your syntax.\n",
      },
      { text: "x: {test.nop: [{}]}\n", error: "An argument in state 'x' in SLS 'a' is an empty map" },
      {
        text: "x: {test.nop: [names: [{n: 5}]]}\n",
        error: "Arguments of 'n' in 'names' of the state 'x' in SLS 'a': expected a list of maps",
      },
    ]
  ) {
    test(JSON.stringify(text), async () => {
      assert.equal((await compiled({ "a.sls": text }, "a")).errors[0], error);
    });
  }
});
