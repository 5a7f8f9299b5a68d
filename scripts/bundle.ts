/**
 * Makes what releases ship: each program of `cli/` as one file of `dist/bin/`, and beside them the parts that are loaded
 * only when they are needed. The same files run on Node, Bun and Deno.
 */
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import { build } from "esbuild";

/** The program that serves HTTP. */
const HTTP = "salt-api.ts";
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

const root = path.resolve(import.meta.dirname, "..");
const out = path.join(root, "dist/bin");

const programs = readdirSync(path.join(root, "cli")).filter((name) => /^salt[a-z-]*\.ts$/.test(name));
rmSync(out, { recursive: true, force: true });
// Each by itself: what two programs share would otherwise be cut into many small files, and each start reads them all.
for (const program of programs) {
  await build({
    absWorkingDir: root,
    entryPoints: [path.join("cli", program)],
    outdir: out,
    outExtension: { ".js": ".mjs" },
    chunkNames: `lib/${program.replace(/\.ts$/, "")}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    format: "esm",
    // Not "node": the `yaml` package would give that one CommonJS, which neither splits nor sheds what is unused.
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "node24",
    // Names stay: stack traces of a release are read by people.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    // libzmq is optional, and brings machine code of its own; so are the databases, and who asks a directory for its users.
    external: ["zeromq", "node:*", "ldapts", ...builtinModules],
    // Parts of what serves HTTP on Node are CommonJS, which asks for built-in modules by a function that an ES module lacks.
    banner: program === HTTP ? { js: REQUIRE } : {},
    logLevel: "warning",
  });
}
for (const name of programs) chmodSync(path.join(out, name.replace(/\.ts$/, ".mjs")), 0o755);
