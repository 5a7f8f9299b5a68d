/** A user's script in an empty directory, which has nothing of Brine but its address. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { emptyDirectory, ENTRIES, OTHER_PROGRAMS, ROOT, STRICT, tool } from "./snippets.ts";

const address = new URL("../../mod.ts", import.meta.url).href;
const script = (specifier: string) =>
  `import { connect, type Outcome } from "${specifier}";
export async function ask(): Promise<Outcome[]> {
  await using salt = await connect({ rootDir: "/srv/run" });
  return await Array.fromAsync(salt.run({ tgt: ["web1"], fun: "test.arg", kwarg: { a: 1 } }));
}
`;
const SLOW = { timeout: 120_000 };
const PROGRAMS = { ...SLOW, skip: OTHER_PROGRAMS };

for (
  const { name, files } of [
    { name: "without an import map", files: { "script.ts": script(address) } },
    {
      name: "with an import map",
      files: { "script.ts": script("brine"), "deno.json": JSON.stringify({ imports: { brine: address } }) },
    },
  ]
) {
  test(`deno check passes for a script that imports mod.ts, ${name}`, PROGRAMS, async () => {
    using directory = emptyDirectory(files);
    await tool("deno", ["check", "script.ts"], directory.path);
  });
}

test("a script that imports mod.ts runs on Node, Bun and Deno and says what is wrong", SLOW, async () => {
  const text = `import { connect } from "${address}";
await connect({ rootDir: "/nowhere" }).then(() => console.log("?"), (error) => console.log(error.code));
`;
  using directory = emptyDirectory({ "script.ts": text });
  for (const [name, ...words] of [["node"], ["bun"], ["deno", "run", "-A", "--quiet"]] as const) {
    assert.equal((await tool(name, [...words, "script.ts"], directory.path)).trim(), "MASTER_DOWN", name);
  }
});

test("tsc passes for a script that imports mod.ts, with settings more strict than ours", PROGRAMS, async () => {
  const compilerOptions = { ...STRICT, allowImportingTsExtensions: true };
  using directory = emptyDirectory({
    "package.json": '{"type":"module"}',
    "script.ts": script(path.join(ROOT, "mod.ts")),
    "tsconfig.json": JSON.stringify({ compilerOptions, files: ["script.ts"] }),
  });
  await tool("tsc", ["-p", "."], directory.path);
});

test("tsc passes for every entry of the package, libraries and index signatures included", PROGRAMS, async () => {
  const names = Object.keys(ENTRIES);
  using directory = emptyDirectory({ "package.json": '{"type":"module"}' });
  const installed = path.join(directory.path, "node_modules/brine");
  mkdirSync(installed, { recursive: true });
  await tool("tsc", ["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--outDir", `${installed}/dist`], ROOT);
  cpSync(path.join(ROOT, "package.json"), `${installed}/package.json`);
  symlinkSync(path.join(ROOT, "node_modules/hono"), path.join(directory.path, "node_modules/hono"));
  const imports = names.map((name, at) => `import * as m${at} from "${name}";\nvoid m${at};\n`).join("");
  writeFileSync(path.join(directory.path, "script.ts"), `${imports}${script("brine")}`);
  const compilerOptions = { ...STRICT, skipLibCheck: false, noPropertyAccessFromIndexSignature: true };
  // Without Node's types, too: a page's are enough.
  for (const one of [compilerOptions, { ...compilerOptions, lib: ["esnext", "dom"], types: [] }]) {
    writeFileSync(
      path.join(directory.path, "tsconfig.json"),
      JSON.stringify({ compilerOptions: one, files: ["script.ts"] }),
    );
    await tool("tsc", ["-p", "."], directory.path);
  }
  assert.ok(readFileSync(`${installed}/dist/mod.d.ts`, "utf8").includes("export"));
});
