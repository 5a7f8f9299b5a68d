/**
 * Makes Debian packages of the one file that `scripts/compile.ts` makes: `brine`, and one for each daemon.
 *
 *     node scripts/deb.ts [--target linux-x64] [--revision 1] [--fast]
 *
 * `--fast` packs quickly, for trying. Needs the program `dpkg-deb`.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { COMPLETED, SHELLS } from "../cli/complete/shells.ts";
import { manPage } from "../cli/options/man.ts";
import type { Program } from "../cli/options/request.ts";
import { makeInstallable } from "./packages/installable.ts";
import { AFTER_JOB, controlFile, DEBIAN_PACKAGES, type DebianPackage, maintainerScripts } from "./packages/debian.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: {
    target: { type: "string", default: `linux-${process.arch}` },
    revision: { type: "string", default: "1" },
    fast: { type: "boolean", default: false },
  },
});
const ARCHITECTURES: Readonly<Record<string, string>> = { "linux-x64": "amd64", "linux-arm64": "arm64" };
const architecture = ARCHITECTURES[values.target];
if (architecture === undefined) {
  process.stderr.write(`deb: there is no target "${values.target}": use ${Object.keys(ARCHITECTURES).join(", ")}\n`);
  process.exit(64);
}
const binary = join(root, "dist/compile", `brine-${values.target}`);
if (!existsSync(binary)) {
  process.stderr.write(`deb: ${binary} is not there: make it with npm run compile -- ${values.target}\n`);
  process.exit(1);
}
const { version: upstream } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const version = `${upstream}-${values.revision}`;
const out = join(root, "dist/deb");

/** A directory that becomes a package. */
class Stage {
  readonly directory: string;

  constructor(name: string) {
    this.directory = join(out, "stage", name);
    rmSync(this.directory, { recursive: true, force: true });
    mkdirSync(this.directory, { recursive: true });
  }

  #at(path: string): string {
    const full = join(this.directory, path);
    mkdirSync(dirname(full), { recursive: true });
    return full;
  }

  write(path: string, text: string | Uint8Array, mode = 0o644): void {
    writeFileSync(this.#at(path), text);
    chmodSync(this.#at(path), mode);
  }

  copy(from: string, path: string, mode = 0o644): void {
    copyFileSync(from, this.#at(path));
    chmodSync(this.#at(path), mode);
  }

  link(target: string, path: string): void {
    symlinkSync(target, this.#at(path));
  }

  directoryAt(path: string): void {
    mkdirSync(join(this.directory, path), { recursive: true });
  }

  get bytes(): number {
    return readdirSync(this.directory, { recursive: true, encoding: "utf8" })
      .map((name) => lstatSync(join(this.directory, name))).reduce(
        (sum, stat) => sum + (stat.isFile() ? stat.size : 0),
        0,
      );
  }
}

/** Manual pages are packed, as Debian's policy wants them; without a time, so that the same source makes the same package. */
const packed = (text: string) => gzipSync(text, { level: 9 });

function common(stage: Stage, { name, programs }: DebianPackage): void {
  for (const program of programs) {
    stage.link("brine", `usr/bin/${program}`);
    stage.write(`usr/share/man/man1/${program}.1.gz`, packed(manPage(program as Program)));
  }
  const doc = `usr/share/doc/${name}`;
  stage.copy(join(root, "LICENSE"), `${doc}/copyright`);
  stage.write(`${doc}/changelog.gz`, packed(readFileSync(join(root, "CHANGELOG.md"), "utf8")));
}

/** What the package `brine` has beyond its programs. */
function base(stage: Stage): void {
  stage.copy(binary, "usr/bin/brine", 0o755);
  stage.write("usr/share/man/man1/brine.1.gz", packed(manPage("brine")));
  for (const name of ["master.d", "minion.d"]) stage.directoryAt(`etc/salt/${name}`);
  stage.write("usr/share/bash-completion/completions/salt", SHELLS.bash!);
  stage.write("usr/share/zsh/vendor-completions/_salt", SHELLS.zsh!);
  stage.write("usr/share/fish/vendor_completions.d/salt.fish", SHELLS.fish!);
  for (const program of COMPLETED.slice(1)) {
    stage.link("salt", `usr/share/bash-completion/completions/${program}`);
    stage.link("salt.fish", `usr/share/fish/vendor_completions.d/${program}.fish`);
  }
  for (const folder of ["docs", "docs/internals"]) {
    for (const name of readdirSync(join(root, folder)).filter((name) => name.endsWith(".md"))) {
      stage.copy(join(root, folder, name), `usr/share/doc/brine/${folder}/${name}`);
    }
  }
}

function build(of: DebianPackage): string {
  const stage = new Stage(of.name);
  common(stage, of);
  if (of.name === "brine") base(stage);
  if (of.name === "brine-minion") stage.copy(join(root, "scripts/packages/after_job.sh"), AFTER_JOB.slice(1), 0o755);
  const { daemon } = of;
  if (daemon !== undefined) {
    stage.copy(
      join(root, "examples/systemd", `${daemon.name}.service`),
      `usr/lib/systemd/system/${daemon.name}.service`,
    );
    if (daemon.config !== undefined) {
      const file = `etc/salt/${daemon.config.file}`;
      // The master reads what is in master.d as its user, too.
      stage.write(file, daemon.config.text, daemon.config.file.includes("/") ? 0o644 : 0o640);
      stage.write("DEBIAN/conffiles", `/${file}\n`);
    }
  }
  const bytes = stage.bytes;
  for (const [name, text] of Object.entries(maintainerScripts(of))) stage.write(`DEBIAN/${name}`, text, 0o755);
  stage.write("DEBIAN/control", controlFile(of, version, architecture!, bytes));
  const file = join(out, `${of.name}_${version}_${architecture}.deb`);
  const pack = values.fast ? ["-Zgzip", "-z1"] : ["-Zxz"];
  execFileSync("dpkg-deb", ["--root-owner-group", ...pack, "--build", stage.directory, file], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  rmSync(stage.directory, { recursive: true });
  const { size } = statSync(file);
  process.stdout.write(`${file}: ${size < 1e6 ? `${Math.ceil(size / 1e3)} kB` : `${(size / 1e6).toFixed(1)} MB`}\n`);
  return file;
}

for (const one of DEBIAN_PACKAGES) build(one);
// The folder is copied to hosts as it is.
rmSync(join(out, "stage"), { recursive: true, force: true });
makeInstallable(root, out);
