/**
 * Builds the web console into `dist/console/`: `npm run build:console`, or `deno task build:console` where there is no npm. With `--if-possible`, as `npm install` runs it, it says
 * what is missing and ends well; with `--watch` it builds again after each change. `--base=/salt/console/` is for a server that
 * is mounted below a prefix (`root_prefix: /salt`).
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const outDir = join(root, "dist/console");
const ifPossible = process.argv.includes("--if-possible");
const base = process.argv.find((word) => word.startsWith("--base="))?.slice("--base=".length) ?? "/console/";
const watch = process.argv.includes("--watch");

/** What a browser has to load, in bytes. */
function gzipSize(): number {
  const sizes = readdirSync(outDir, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:js|css|html|svg)$/.test(name))
    .map((name) => gzipSync(readFileSync(join(outDir, name)), { level: 9 }).length);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** With Deno alone: its own bundler, and the console's packages from npm's registry. */
function bundleWithDeno(): void {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const from = (name: string) => `${name}@${devDependencies[name]}`;
  const work = mkdtempSync(join(tmpdir(), "brine-console-"));
  try {
    const config = {
      nodeModulesDir: "none",
      compilerOptions: { jsx: "react-jsx", jsxImportSource: "preact", lib: ["esnext", "dom", "dom.iterable"] },
      imports: {
        preact: `npm:${from("preact")}`,
        "preact/": `npm:/${from("preact")}/`,
        "@preact/signals": `npm:${from("@preact/signals")}`,
      },
    };
    writeFileSync(join(work, "deno.json"), JSON.stringify(config));
    const words = ["bundle", "-q", "-c", join(work, "deno.json"), "--platform", "browser", "--minify"];
    const built = join(work, "built");
    execFileSync(process.execPath, [...words, "--outdir", built, join(root, "src/console/index.html")], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const page = join(built, "index.html");
    writeFileSync(page, readFileSync(page, "utf8").replace(/(src|href)="(?:\.\/|\/)/g, `$1="${base}`));
    rmSync(outDir, { recursive: true, force: true });
    cpSync(join(root, "src/console/public"), outDir, { recursive: true });
    cpSync(built, outDir, { recursive: true });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function buildWithVite(): Promise<void> {
  // Not by a literal: Deno would fetch all of it before it is known whether it is wanted.
  const bundler = "vite";
  const { build } = await import(bundler) as typeof import("vite");
  await build({
    configFile: false,
    root: join(root, "src/console"),
    base,
    logLevel: "warn",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2023",
      // No code in the page itself: the policy that comes with it forbids that.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      ...(watch ? { watch: {} } : {}),
    },
  });
}

try {
  const denoAlone = "Deno" in globalThis && !existsSync(join(root, "node_modules/vite"));
  if (denoAlone) bundleWithDeno();
  else await buildWithVite();
  process.stdout.write(`built ${outDir}: ${(gzipSize() / 1024).toFixed(1)} KiB with gzip\n`);
} catch (error) {
  if (!ifPossible) throw error;
  // Half a console would be worse than none.
  if (!existsSync(join(outDir, "index.html"))) rmSync(outDir, { recursive: true, force: true });
  const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
  process.stdout.write(
    `the web console is not built: ${reason}\nbuild it with: npm run build:console, or deno task build:console\n`,
  );
}
