/** Packs the package, installs it into an empty project of plain JavaScript, imports each entry point and runs the programs. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const npm = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const work = mkdtempSync(join(tmpdir(), "brine-package-"));
const run = (command: string, words: string[], cwd: string) => execFileSync(command, words, { cwd, encoding: "utf8" });

try {
  run("npm", ["pack", "--silent", "--pack-destination", work], root);
  const tarball = readdirSync(work).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack made no tarball");
  writeFileSync(join(work, "package.json"), JSON.stringify({ name: "plain", version: "1.0.0", type: "module" }));
  run("npm", ["install", "--no-audit", "--no-fund", "--silent", join(work, tarball)], work);
  const entries = Object.keys(npm.exports).map((name) => name.replace(/^\./, npm.name));
  const code = `${
    entries.map((name, at) => `import * as m${at} from ${JSON.stringify(name)};`).join("\n")
  }\nconsole.log(${entries.map((_name, at) => `Object.keys(m${at}).length`).join(", ")});`;
  writeFileSync(join(work, "entries.js"), code);
  process.stdout.write(`${entries.join(" ")}: ${run(process.execPath, ["entries.js"], work)}`);
  for (const program of Object.keys(npm.bin)) {
    const shown = run(process.execPath, [join("node_modules", npm.name, npm.bin[program]), "--version"], work).trim();
    if (!shown.startsWith(`${program} ${npm.version}`)) throw new Error(`${program} --version printed "${shown}"`);
    process.stdout.write(`${shown}\n`);
  }
  const call = join("node_modules", npm.name, npm.bin["salt-call"]);
  writeFileSync(join(work, "minion"), `root_dir: ${work}\nid: packed\n`);
  const words = [call, "--local", "-c", work, "--out=json", "test.echo", "loaded"];
  const { local } = JSON.parse(run(process.execPath, words, work));
  if (local !== "loaded") throw new Error(`salt-call returned ${JSON.stringify(local)}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
