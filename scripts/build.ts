/**
 * Builds `dist/`, what the npm package holds: JavaScript and type declarations of every module, since Node runs no TypeScript
 * below `node_modules`, the bundle of its programs, and the web console. Runs before `npm pack`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
/** What other scripts build: it is not in the npm package, and stays. */
const OTHERS = ["api", "compile", "deb", "image", "site"];
mkdirSync(dist, { recursive: true });
for (const name of readdirSync(dist).filter((name) => !OTHERS.includes(name))) {
  rmSync(join(dist, name), { recursive: true, force: true });
}
execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
execFileSync(process.execPath, [join(root, "scripts/bundle.ts")], { cwd: root, stdio: "inherit" });
execFileSync(process.execPath, [join(root, "scripts/console.ts")], { cwd: root, stdio: "inherit" });
execFileSync(process.execPath, [join(root, "scripts/man.ts")], { cwd: root, stdio: "inherit" });
process.stdout.write(`built ${dist}\n`);
