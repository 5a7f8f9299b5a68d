import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), "utf8"));
const deno = read("deno.json");
const npm = read("package.json");

test("package.json and deno.json export the same modules", () => {
  const ofNpm = Object.fromEntries(
    Object.entries(npm.exports as Record<string, { deno: string; bun: string }>).map((
      [name, { deno: path }],
    ) => [name, path]),
  );
  assert.deepEqual(ofNpm, deno.exports);
});

test("each export is the same file for every runtime", () => {
  for (const [name, row] of Object.entries(npm.exports as Record<string, Record<string, string>>)) {
    assert.ok(existsSync(new URL(`../../${row.deno}`, import.meta.url)), name);
    assert.equal(row.bun, row.deno);
    const built = row.deno!.replace(/^\.\//, "./dist/").replace(/\.ts$/, "");
    assert.equal(row.default, `${built}.js`);
    assert.equal(row.types, `${built}.d.ts`);
  }
});

test("package.json and deno.json are of one release, and src/base/version.ts says which", async () => {
  const { VERSION } = await import("../../src/base/version.ts");
  assert.equal(npm.version, VERSION);
  assert.equal(deno.version, VERSION);
});

test("every program of package.json exists", () => {
  for (const path of Object.values(npm.bin as Record<string, string>)) {
    const source = path.replace("./dist/bin/", "./cli/").replace(/\.cjs$/, ".ts");
    assert.ok(existsSync(new URL(`../../${source}`, import.meta.url)), path);
  }
});

test("versions that deno.json maps are those of package.json", () => {
  for (const [name, specifier] of Object.entries(deno.imports as Record<string, string>)) {
    const bare = name.replace(/\/$/, "");
    const wanted = npm.dependencies[bare] ?? npm.devDependencies[bare];
    assert.ok(specifier.includes(`@${wanted}`), `${name}: ${specifier} against ${wanted}`);
  }
});
