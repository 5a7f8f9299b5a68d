/**
 * Makes one file of all programs, with its own runtime and the console inside: it needs no Node, no Bun and no Deno on the host, and no
 * Python. `dist/compile/brine-linux-x64` is every program by its name, or by the name of a link to it.
 *
 *     node scripts/compile.ts [TARGET…]      linux-x64, linux-arm64, linux-x64-musl, linux-arm64-musl; default: this machine
 *
 * The runtime of another target comes from npm, as that of this machine does. With `install.sh` and what that needs, the folder is all that a
 * host without internet has to be given.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { makeInstallable } from "./packages/installable.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "dist/compile");

/** Targets, by the npm package that holds Bun for them. */
const RUNTIMES: Readonly<Record<string, string>> = {
  "linux-x64": "@oven/bun-linux-x64-baseline",
  "linux-arm64": "@oven/bun-linux-aarch64",
  "linux-x64-musl": "@oven/bun-linux-x64-musl-baseline",
  "linux-arm64-musl": "@oven/bun-linux-aarch64-musl",
};

/** What is inside and only loaded where it is asked for (`src/plugins/driver.ts`): a master of a cluster needs it. */
const DRIVERS = ["postgres", "nats_transport", "nats_jetstream"].map((name) => `cli/drivers/${name}.ts`);

/** Packages that are optional: what needs one of them says so, and names the package. */
const OPTIONAL = ["zeromq", "ldapts", "redis", "prom-client", "@opentelemetry/*"];

const own = `linux-${process.arch}`;
const targets = process.argv.slice(2).length > 0 ? process.argv.slice(2) : [own];
for (const target of targets) {
  if (Object.hasOwn(RUNTIMES, target)) continue;
  process.stderr.write(`compile: there is no target "${target}": use ${Object.keys(RUNTIMES).join(", ")}\n`);
  process.exit(64);
}
const bun = join(root, "node_modules/.bin/bun");
const { version } = JSON.parse(readFileSync(join(root, "node_modules/bun/package.json"), "utf8"));

/** The program of Bun for a target. One that runs on older processors, too, is taken. */
function runtimeOf(target: string): string {
  const name = RUNTIMES[target]!;
  const folder = join(out, "runtimes", `${target}-${version}`);
  const file = join(folder, "package/bin/bun");
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync("npm", ["pack", "--silent", `${name}@${version}`, "--pack-destination", folder], { stdio: "inherit" });
  } catch (error) {
    // The one that is installed runs here, if not on older processors.
    if (target !== own) throw error;
    process.stderr.write(`compile: ${name} cannot be had: the installed runtime is taken\n`);
    return realpathSync(bun);
  }
  const tarball = `${name.slice(1).replace("/", "-")}-${version}.tgz`;
  execFileSync("tar", ["-xzf", tarball], { cwd: folder });
  rmSync(join(folder, tarball));
  return file;
}

function compile(target: string): void {
  const file = join(out, `brine-${target}`);
  execFileSync(bun, [
    "build",
    "--compile",
    `--target=bun-${target}`,
    `--compile-executable-path=${runtimeOf(target)}`,
    // Read as it was parsed, and only the part that is needed: it starts in a fifth of the time.
    "--bytecode",
    "--format=esm",
    "--splitting",
    "--minify-syntax",
    "--minify-whitespace",
    // Whoever can write to the directory that it is started in must not choose its environment.
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    "--asset=dist/console",
    ...OPTIONAL.map((name) => `--external=${name}`),
    `--outfile=${file}`,
    "cli/brine.ts",
    ...DRIVERS,
  ], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  process.stdout.write(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB\n`);
}

execFileSync(process.execPath, [join(root, "scripts/console.ts")], { cwd: root, stdio: "inherit" });
mkdirSync(out, { recursive: true });
for (const target of targets) compile(target);
makeInstallable(root, out);
