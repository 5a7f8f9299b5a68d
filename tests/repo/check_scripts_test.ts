import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { checkScripts, circleOf, reassignedExports } from "../../scripts/check_scripts.ts";

describe("what a bundle must not have", () => {
  const rows: Record<string, [text: string, names: string[]]> = {
    "a variable that a function assigns to": ["let a=1;const f=()=>{a=2};export{a as b,f};", ["a"]],
    "one that is counted up": ["let a=1;function f(){a++}export{a,f};", ["a"]],
    "one within a pattern": ["let a,b;function f(x){({x:a,...b}=x)}export{a,b,f};", ["a", "b"]],
    "one that is set before the end": ["let a;a=1;export{a};", []],
    "a parameter of the same name": ["const a=1;function f(a){a=2;return a}export{a,f};", []],
    "a local one of the same name": ["const a=1;function f(){let a;{a=2}for(let i=0;i<a;i++);}export{a,f};", []],
    "a part of an exported object": ["const a={};function f(){a.b=1}export{a,f};", []],
    "one that is not exported": ["let a;function f(){a=1}export{f};", []],
  };
  for (const [name, [text, names]] of Object.entries(rows)) {
    test(`${name}: ${names.length > 0 ? "named" : "allowed"}`, () => assert.deepEqual(reassignedExports(text), names));
  }

  test("files that import each other are named in their order", () => {
    const imports = { a: ["b"], b: ["c", "d"], c: [], d: ["b"] };
    assert.deepEqual(circleOf(new Map(Object.entries(imports))), ["b", "d", "b"]);
    assert.equal(circleOf(new Map(Object.entries({ ...imports, d: ["c"] }))), undefined);
  });

  const files: Record<string, [text: string, error: RegExp]> = {
    "an import in another form": ['import*as a from"./lib/b.mjs";', /SyntaxError/],
    "waiting outside a program": ["await 1;", /SyntaxError/],
    "an export that changes": [
      "let a;function f(){a=1}export{a,f};",
      /lib\/a\.mjs: a is exported, and assigned to later/,
    ],
    "a file that imports itself": [
      'import{a as b}from"./a.mjs";const a=1;export{a};',
      /import each other: lib\/a\.mjs → lib\/a\.mjs/,
    ],
  };
  for (const [name, [text, error]] of Object.entries(files)) {
    test(`${name} stops the build`, () => {
      const directory = mkdtempSync(join(tmpdir(), "bundle-"));
      try {
        mkdirSync(join(directory, "lib"));
        writeFileSync(join(directory, "lib/a.mjs"), text);
        assert.throws(() => checkScripts(directory), (thrown) => error.test(String(thrown)));
      } finally {
        rmSync(directory, { recursive: true });
      }
    });
  }
});

test("flags of V8 are set in one place, which knows its own: what is stored with other flags is not taken", () => {
  const root = new URL("../../", import.meta.url);
  const setting = ["cli", "src"].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name}`).filter((name) => name.endsWith(".ts"))
      .filter((name) => readFileSync(new URL(name, root), "utf8").includes("setFlagsFromString"))
  );
  assert.deepEqual(setting.sort(), ["cli/load_code.ts", "cli/v8_flags.ts"]);
});
