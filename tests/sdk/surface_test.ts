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

/**
 * Types that a public type may name without being exported beside it: a script passes them on as a whole. Those of a
 * runtime come with `currentRuntime()`; the socket factory is in `brine/zmtp`.
 */
const PASSED_ON = ["Crypto", "Databases", "FileSystem", "Host", "Http", "Net", "ProcessHost", "SocketFactory"];

/** What the types of calls are made with; a script names the types themselves, such as `FunctionReturn<"cmd.run">`. */
const MADE_WITH = ["AnyArguments", "CallOf", "Form", "ReturnOf"];

/** Entries that stand for themselves: every type in their signatures is exported as well. */
const CLOSED = ["brine", "brine/wire"];

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

/** True for a member whose comment stands elsewhere: an override's with the original, a constructor's with the class. */
function isCovered(complaint: string): boolean {
  const [, file, line] = / ([^ ]+):(\d+):\d+$/.exec(complaint)!;
  const text = readFileSync(path.join(ROOT, file!), "utf8").split("\n")[Number(line) - 1]!;
  return /^\s*(?:(?:protected )?override |constructor\(|\[Symbol\.)/.test(text);
}

describe("entry modules", { timeout: 120_000 }, () => {
  test("all have their names written down", () => {
    assert.deepEqual(Object.keys(SURFACE).sort(), Object.keys(ENTRIES).sort());
  });

  for (const [entry, file] of Object.entries(ENTRIES)) {
    test(`${entry} exports exactly the names of surface.json`, async () => {
      assert.deepEqual(await namesOf(file), SURFACE[entry]);
    });

    test(`${entry} names each export by hand`, () => {
      assert.doesNotMatch(readFileSync(file, "utf8"), /^export (type )?\* from/m);
    });

    test(`${entry} has a doc comment on each export and on each of its public members`, async () => {
      const missing = (await complaints(file)).filter((line) => line.startsWith("missing-jsdoc") && !isCovered(line));
      assert.deepEqual(missing, []);
    });
  }

  for (const entry of CLOSED) {
    test(`${entry} exports every type that its signatures use`, async () => {
      const missing = (await complaints(ENTRIES[entry]!)).filter((line) =>
        line.startsWith("private-type-ref") &&
        ![...PASSED_ON, ...MADE_WITH].some((name) => line.includes(`private type '${name}'`))
      );
      assert.deepEqual(missing, []);
    });
  }
});
