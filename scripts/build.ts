/**
 * Builds `dist/`, what the npm package holds: JavaScript and type declarations of every module, since Node runs no TypeScript
 * below `node_modules`, and the web console. Runs before `npm pack`.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
rmSync(dist, { recursive: true, force: true });
execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
for (const name of readdirSync(join(dist, "cli"))) {
  if (!name.startsWith("salt") || !name.endsWith(".js")) continue;
  const path = join(dist, "cli", name);
  const text = readFileSync(path, "utf8");
  writeFileSync(
    path,
    text.startsWith("#!") ? text.replace(/^#!.*\n/, "#!/usr/bin/env node\n") : `#!/usr/bin/env node\n${text}`,
  );
  chmodSync(path, 0o755);
}
execFileSync(process.execPath, [join(root, "scripts/console.ts")], { cwd: root, stdio: "inherit" });
process.stdout.write(`built ${dist}\n`);
