/**
 * Makes `dist/image`, the folder that `examples/oci/Dockerfile` builds images from: the one file that `scripts/compile.ts` makes, its links, the C
 * library and the shell of this machine. Building them then needs no network.
 *
 *     node scripts/image.ts [--without-base]      without: for images that are built upon a distribution
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "dist/image");
const binary = join(root, "dist/compile", `brine-linux-${process.arch}`);
if (!existsSync(binary)) {
  process.stderr.write(`image: ${binary} is not there: make it with npm run compile\n`);
  process.exit(1);
}

const PROGRAMS = "salt salt-api salt-call salt-cp salt-doctor salt-key salt-master salt-minion salt-run salt-syndic";

/** The user of master and gateway. Its number is the same in all images, so that they can share volumes. */
const FILES: Readonly<Record<string, string>> = {
  "etc/passwd": "root:x:0:0:root:/root:/bin/sh\nsalt:x:4505:4505:salt:/var/cache/salt:/bin/sh\n",
  "etc/group": "root:x:0:\nsalt:x:4505:\n",
  "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
};

function put(from: string, to: string): void {
  const full = join(out, "base", to);
  if (existsSync(full)) return;
  mkdirSync(dirname(full), { recursive: true });
  copyFileSync(realpathSync(from), full);
  chmodSync(full, 0o755);
}

/** A program of this machine with the libraries that it needs. */
function putProgram(from: string, to?: string): void {
  if (to !== undefined) put(from, to);
  let libraries = "";
  try {
    libraries = execFileSync("ldd", [from], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    // It needs none: ldd says so, and fails.
  }
  for (const [library] of libraries.matchAll(/\/\S+/g)) put(library, library);
}

/** Nothing but what the one file needs, and a shell for jobs. */
function makeBase(): void {
  for (const folder of ["proc", "sys", "dev", "root", "srv", "var/cache", "var/log", "run", "tmp"]) {
    mkdirSync(join(out, "base", folder), { recursive: true });
  }
  chmodSync(join(out, "base/tmp"), 0o1777);
  symlinkSync("../run", join(out, "base/var/run"));
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(out, "base", file)), { recursive: true });
    writeFileSync(join(out, "base", file), text);
  }
  putProgram(binary);
  const busybox = ["/bin/busybox", "/usr/bin/busybox"].find(existsSync);
  if (busybox === undefined) return putProgram("/bin/sh", "bin/sh");
  putProgram(busybox, "bin/busybox");
  const applets = execFileSync(busybox, ["--list"], { encoding: "utf8" }).trim().split("\n");
  for (const applet of applets) if (applet !== "busybox") symlinkSync("busybox", join(out, "base/bin", applet));
}

rmSync(out, { recursive: true, force: true });
for (const folder of ["base", "links", "own", "conf"]) mkdirSync(join(out, folder), { recursive: true });
if (!process.argv.includes("--without-base")) makeBase();
linkSync(binary, join(out, "brine"));
for (const program of PROGRAMS.split(" ")) symlinkSync("brine", join(out, "links", program));
copyFileSync(join(root, "examples/oci/Dockerfile"), join(out, "Dockerfile"));
copyFileSync(join(root, "examples/oci/master"), join(out, "conf/master"));
process.stdout.write(`${out}: docker build --target master -t brine-master ${out}\n`);
