/** What our entry modules export: the names, the types that go with them, and a doc comment on each. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { ENTRIES, ROOT, tool } from "./snippets.ts";

/** Entry → the names that it exports, sorted. A change of the public surface is a change of this file. */
const SURFACE: Record<string, string[]> = JSON.parse(
  readFileSync(new URL("./surface.json", import.meta.url), "utf8"),
);

/** Without the registry: what our sources import from packages is not needed to read them. */
const OFFLINE = ["--no-config", "--no-lock", "--no-npm", "--no-remote"];

interface Documentation {
  nodes: Record<string, { symbols: { name: string }[] }>;
}

async function namesOf(file: string): Promise<string[]> {
  const { nodes } = JSON.parse(await tool("deno", ["doc", "--json", ...OFFLINE, file], ROOT)) as Documentation;
  return Object.values(nodes).flatMap(({ symbols }) => symbols.map(({ name }) => name)).sort();
}

/** What `deno doc --lint` says of a module, a line each: `private-type-ref: … src/x.ts:1:2`. */
async function complaints(file: string): Promise<string[]> {
  const text = await tool("deno", ["doc", "--lint", ...OFFLINE, file], ROOT).catch((error: Error) => error.message);
  return [...text.matchAll(/^error\[([a-z-]+)\]: (.*)\n\s*--> (.*)$/gm)].map(([, rule, message, where]) =>
    `${rule}: ${message} ${path.relative(ROOT, where!)}`
  );
}

describe("entry modules", { timeout: 120_000 }, () => {
  test("all have their names written down", () => {
    assert.deepEqual(Object.keys(SURFACE).sort(), Object.keys(ENTRIES).sort());
  });

  for (const [entry, file] of Object.entries(ENTRIES)) {
    test(`${entry} exports exactly the names of surface.json`, async () => {
      assert.deepEqual(await namesOf(file), SURFACE[entry]);
    });

    test(`${entry} names each export by hand, here or in the list that it shares`, () => {
      const shared = /"(?:\.\/src\/client\/mod|\.{1,2}\/shared_exports)\.ts"/;
      const lines = readFileSync(file, "utf8").match(/^export (?:type )?\* from .*$/gm) ?? [];
      assert.deepEqual(lines.filter((line) => !shared.test(line)), []);
    });

    // Types that a script passes on as a whole, such as the parts of a runtime, are marked with @internal.
    test(`deno doc --lint has nothing to say of ${entry}`, async () => {
      assert.deepEqual(await complaints(file), []);
    });
  }
});
