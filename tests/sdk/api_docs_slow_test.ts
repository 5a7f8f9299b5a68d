/** The API reference: a page for each export of each entry module, and one of all functions. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { emptyDirectory, OTHER_PROGRAMS, ROOT, tool } from "./snippets.ts";
import { returnTypesOf } from "./type_text.ts";

const SURFACE: Record<string, string[]> = JSON.parse(
  readFileSync(new URL("./surface.json", import.meta.url), "utf8"),
);

/** Names of types that scripts pass on as a whole: what is marked with `@internal` has no page. */
function internalNames(): Set<string> {
  const files = ["src", "cli/embed"].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
      .map((name) => path.join(ROOT, folder, name))
  );
  return new Set(
    files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/^ \* @internal\n \*\/\n(?:export )?(?:interface|type|class) (\w+)/gm)]
        .map(([, name]) => name!)
    ),
  );
}

test("npm run docs:api builds a page for each export, and one of all functions", {
  timeout: 120_000,
  skip: OTHER_PROGRAMS,
}, async () => {
  using directory = emptyDirectory();
  await tool("node", [path.join(ROOT, "scripts/api_docs.ts"), "--to", directory.path], ROOT);
  const internal = internalNames();
  assert.ok(internal.has("FileSystem"));
  const missing = Object.entries(SURFACE).flatMap(([entry, names]) =>
    // A default export is the page of what it is.
    names.filter((name) => name !== "default" && !internal.has(name)).map((name) =>
      path.join(entry.replace(/^brine\/?/, ""), "~", `${name}.html`)
    )
  ).filter((page) => !existsSync(path.join(directory.path, page)));
  assert.deepEqual(missing, []);

  const page = readFileSync(path.join(directory.path, "functions.html"), "utf8");
  const rows = [...page.matchAll(/<tr id="(\w+)\.([\w.]+)">/g)].map(([, family, name]) => `${family} ${name}`);
  const families = ["execution", "runner", "wheel"] as const;
  assert.deepEqual(
    rows,
    families.flatMap((family) => [...returnTypesOf(family).keys()].map((name) => `${family} ${name}`)),
  );

  const table = readFileSync(path.join(directory.path, "~/ExecutionFunctions.html"), "utf8");
  assert.match(table, /Here are some of them; <a href="\.\.\/functions\.html">/);
});
