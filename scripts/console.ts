/**
 * Builds the web console into `dist/console/`: `npm run build:console`. With `--if-possible`, as `npm install` runs it, it says
 * what is missing and ends well; with `--watch` it builds again after each change. `--base=/salt/console/` is for a server that
 * is mounted below a prefix (`root_prefix: /salt`).
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const outDir = join(root, "dist/console");
const ifPossible = process.argv.includes("--if-possible");
const base = process.argv.find((word) => word.startsWith("--base="))?.slice("--base=".length) ?? "/console/";
const watch = process.argv.includes("--watch");

/** What a browser has to load, in octets. */
function gzipSize(): number {
  const sizes = readdirSync(outDir, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:js|css|html|svg)$/.test(name))
    .map((name) => gzipSync(readFileSync(join(outDir, name)), { level: 9 }).length);
  return sizes.reduce((sum, size) => sum + size, 0);
}

try {
  const { build } = await import("vite");
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
  process.stdout.write(`built ${outDir}: ${(gzipSize() / 1024).toFixed(1)} KiB with gzip\n`);
} catch (error) {
  if (!ifPossible) throw error;
  // Half a console would be worse than none.
  if (!existsSync(join(outDir, "index.html"))) rmSync(outDir, { recursive: true, force: true });
  const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
  process.stdout.write(`the web console is not built: ${reason}\nbuild it with: npm run build:console\n`);
}
