import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asScript, OWN_NAMES, readCode, writeCode } from "../../cli/load_code.ts";

/** Runs a file of a bundle. @returns what it exports */
function run(text: string, ...needed: unknown[]): Record<string, unknown> {
  const loading = (name: string) => Promise.resolve({ name });
  return (0, eval)(asScript(text).source)(loading, "file:///bundle/lib/a.mjs", ...needed);
}

describe("a file of the bundle as a script", () => {
  test("takes what it imports, by the names that it uses", () => {
    const text = 'import{a as first,b}from"./one.mjs";import"./two.mjs";import whole from`node:http`;' +
      "const sum=first+b+whole.size;export{sum as s,first};";
    assert.deepEqual(asScript(text).imports, ["./one.mjs", "./two.mjs", "node:http"]);
    assert.deepEqual(run(text, { a: 1, b: 2 }, {}, { size: 4 }), { s: 7, first: 1 });
    assert.deepEqual(run(text, { a: 1, b: 2 }, {}, { default: { size: 8 } }), { s: 11, first: 1 });
  });

  test("keeps names with $, and exports what is declared after its use", () => {
    const text = 'import{$ as a$1}from"./one.mjs";const f=()=>later$2+a$1;const later$2=1;export{f as $,later$2 as _};';
    const { $, _ } = run(text, { $: 2 }) as { $: () => number; _: number };
    assert.deepEqual([$(), _], [3, 1]);
  });

  test("loads other files later, and knows its address", async () => {
    const text = `${OWN_NAMES}const at=$url;const later=()=>$import("./two.mjs");export{at,later};`;
    const { at, later } = run(text) as { at: string; later(): Promise<unknown> };
    assert.equal(at, "file:///bundle/lib/a.mjs");
    assert.deepEqual(await later(), { name: "./two.mjs" });
  });

  test("is strict, and exports nothing if it says nothing", () => {
    assert.deepEqual(run("globalThis.strictHere=(function(){return this===undefined})();"), {});
    const shown = globalThis as { strictHere?: boolean };
    assert.equal(shown.strictHere, true);
    delete shown.strictHere;
  });

  test("a program may wait at its top level, and its first line is left out", async () => {
    const { imports, source } = asScript(
      '#!/usr/bin/env node\nimport"./lib/a.mjs";const one=await Promise.resolve(1);globalThis.waited=one;',
      true,
    );
    assert.deepEqual(imports, ["./lib/a.mjs"]);
    await (0, eval)(source)();
    const shown = globalThis as { waited?: number };
    assert.equal(shown.waited, 1);
    delete shown.waited;
  });
});

describe("the file of compiled code", () => {
  const code = new Map([["lib/a.mjs", Uint8Array.of(1, 10, 3)], ["lib/empty.mjs", Uint8Array.of()], [
    "b.mjs",
    Uint8Array.of(4),
  ]]);

  test("is read as it was written", () => assert.deepEqual(readCode(writeCode(code)), code));

  test("is not read in part, nor if anything else is there", () => {
    const bytes = writeCode(code);
    for (let length = 0; length < bytes.length; length++) assert.equal(readCode(bytes.subarray(0, length)), undefined);
    assert.equal(readCode(Uint8Array.of(...bytes, 0)), undefined);
    assert.equal(readCode(new TextEncoder().encode("{}\n")), undefined);
  });
});
