/**
 * Makes the programs of the npm package: each program of `cli/` as a file of `dist/bin/` with its launcher, and beside them, in
 * `lib`, what they share and what is loaded only when it is needed. The same files run on Node, Bun and Deno.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import { type InputOptions, rolldown } from "rolldown";
import { OWN_NAMES } from "../cli/load_code.ts";
import { checkScripts } from "./check_scripts.ts";
import { chunkNames, type ModuleGraph } from "./chunks.ts";
import { launcher, loaderEnd } from "./launcher.ts";

const root = path.resolve(import.meta.dirname, "..");
const out = path.join(root, "dist/bin");

const programs = readdirSync(path.join(root, "cli"))
  .filter((name) => /^(?:salt[a-z-]*|brine)\.ts$/.test(name))
  .map((name) => name.replace(/\.ts$/, ""));

/** For packages in CommonJS, which ask for built-in modules by a function that an ES module lacks. */
const REQUIRE = "let ownRequire; const require = (id) => " +
  '(ownRequire ??= process.getBuiltinModule("node:module").createRequire(import.meta.url))(id);';

const COMMON: InputOptions = {
  cwd: root,
  // Not "node": packages would give that one CommonJS, which sheds nothing of what is unused.
  platform: "neutral",
  resolve: { mainFields: ["module", "main"] },
  // libzmq is optional, and brings machine code of its own; so are the databases, and who asks a directory for its users.
  external: [/^node:/, "zeromq", "ldapts", ...builtinModules],
  tsconfig: false,
  optimization: { inlineConst: false },
  preserveEntrySignatures: "allow-extension",
  // A module may be loaded late by one program and at once by another.
  checks: { ineffectiveDynamicImport: false },
};

/** Which module imports which. */
async function readGraph(input: Record<string, string>): Promise<ModuleGraph> {
  const graph: ModuleGraph = new Map();
  await using build = await rolldown({
    ...COMMON,
    input,
    plugins: [{
      name: "graph",
      buildEnd() {
        for (const id of this.getModuleIds()) {
          const { importedIds, dynamicallyImportedIds, code } = this.getModuleInfo(id)!;
          graph.set(id, { first: [...importedIds], later: [...dynamicallyImportedIds], bytes: code?.length ?? 0 });
        }
      },
    }],
  });
  await build.generate({ format: "esm" });
  return graph;
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const input = Object.fromEntries(programs.map((program) => [program, path.join(root, "cli", `${program}.ts`)]));
const names = chunkNames(await readGraph(input), Object.values(input), root);
await using build = await rolldown({ ...COMMON, input });
await build.write({
  dir: out,
  format: "esm",
  entryFileNames: "[name].mjs",
  chunkFileNames: "lib/[name]-[hash].mjs",
  // Names stay: stack traces of a release are read by people.
  // Nor is a name put in the place of a constant: Deno would look for packages that may not be there.
  minify: { mangle: false, compress: false, codegen: true },
  comments: false,
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ debugName: "programs", name: (id) => names.get(id) ?? null }],
  },
  banner: ({ moduleIds }) => moduleIds.some((id) => id.includes("rolldown/runtime")) ? REQUIRE : "",
});
// Deno reads each file that an `import()` names before it runs the first, 600 for `salt --version`, unless the name is not written there.
for (const file of readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".mjs"))) {
  const [, line = "", code = ""] = /^(#!.*\n)?([^]*)$/.exec(readFileSync(path.join(out, file), "utf8"))!;
  const own = code.replaceAll(/\bimport\((`\.\/[^`$]+\.mjs`)\)/g, "$import($1)").replaceAll("import.meta.url", "$url");
  const left = /(?<!\$)\bimport\(\s*[`"']\./.exec(own);
  if (left !== null) throw new Error(`${file}: Deno would read the file of ${own.slice(left.index, left.index + 60)}`);
  if (own !== code) writeFileSync(path.join(out, file), line + OWN_NAMES + own);
}
for (const program of programs) writeFileSync(path.join(out, `${program}.cjs`), launcher(program), { mode: 0o755 });
await using loader = await rolldown({ ...COMMON, input: path.join(root, "cli/load_code.ts") });
const { output: [{ code: loading }] } = await loader.generate({ format: "cjs", comments: false });
const hash = createHash("sha256").update(loading);
for (
  const file of readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".mjs")).sort()
) {
  hash.update(file).update(readFileSync(path.join(out, file)));
}
writeFileSync(path.join(out, "load.cjs"), loading + loaderEnd(hash.digest("hex").slice(0, 16)));
checkScripts(out);
