/** A system that has a C library, a few programs and nothing else: no Node, no Bun, no Deno, no Python. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** What `npm run compile` makes for this machine. */
export const ONE_FILE = fileURLToPath(new URL(`../../dist/compile/brine-linux-${process.arch}`, import.meta.url));

/** Why such a system cannot be made here; false if it can. */
export function whyNoRoot(): string | false {
  if (process.env.BRINE_ONE_FILE === undefined) return "npm run test:compile makes the file and runs this";
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "a root of its own needs root on Linux";
  // Bun does not start without /proc.
  const place = mkdtempSync(path.join(tmpdir(), "brine-proc-"));
  try {
    if (spawnSync("mount", ["-t", "proc", "proc", place]).status !== 0) return "/proc cannot be mounted here";
    execFileSync("umount", [place]);
    return false;
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** The full path of a program of this host. */
export function pathOf(name: string): string {
  const found = ["/bin", "/sbin", "/usr/bin", "/usr/sbin"].map((folder) => path.join(folder, name)).find(existsSync);
  if (found === undefined) throw new Error(`This host has no program ${name}`);
  return found;
}

/** What a command printed, and its exit code. */
export interface Ran {
  stdout: string;
  stderr: string;
  status: number | null;
}

export class SmallRoot {
  readonly path = mkdtempSync(path.join(tmpdir(), "brine-root-"));

  /** @param programs paths of this host's programs; the libraries that they need come with them */
  constructor(programs: readonly string[]) {
    // Other users are to find their way, too.
    chmodSync(this.path, 0o755);
    for (const folder of ["dev", "proc", "tmp", "root", "etc", "run", "var", "usr/bin"]) {
      mkdirSync(path.join(this.path, folder), { recursive: true });
    }
    symlinkSync("../run", path.join(this.path, "var/run"));
    execFileSync("mount", ["-t", "proc", "proc", path.join(this.path, "proc")]);
    for (const [name, minor] of [["null", "3"], ["urandom", "9"]] as const) {
      execFileSync("mknod", ["-m", "666", path.join(this.path, "dev", name), "c", "1", minor]);
    }
    for (const program of programs) this.#putWithLibraries(program);
    writeFileSync(path.join(this.path, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
    writeFileSync(path.join(this.path, "etc/group"), "root:x:0:\n");
    writeFileSync(path.join(this.path, "etc/hosts"), "127.0.0.1 localhost\n");
  }

  #putWithLibraries(program: string): void {
    if (program !== ONE_FILE) this.put(program);
    for (const [library] of execFileSync("ldd", [program], { encoding: "utf8" }).matchAll(/\/\S+/g)) this.put(library);
  }

  /** Copies a file of this host. */
  put(from: string, to = from): void {
    const full = path.join(this.path, to);
    if (existsSync(full)) return;
    mkdirSync(path.dirname(full), { recursive: true });
    copyFileSync(realpathSync(from), full);
    chmodSync(full, 0o755);
  }

  run(...words: string[]): Ran {
    const { stdout, stderr, status } = spawnSync("chroot", [this.path, ...words], {
      encoding: "utf8",
      env: { PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root" },
      cwd: "/",
    });
    return { stdout, stderr, status };
  }

  remove(): void {
    execFileSync("umount", [path.join(this.path, "proc")]);
    rmSync(this.path, { recursive: true, force: true });
  }
}
