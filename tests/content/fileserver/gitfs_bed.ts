/** A git repository in a directory of its own, and a file server over it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { FileServer } from "../../../src/content/fileserver/server.ts";
import type { FileServerOpts } from "../../../src/content/fileserver/roots.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { captureLog } from "../../support/capture_log.ts";
import { fileServerOpts } from "./bed.ts";

function hasGit(): boolean {
  try {
    execFileSync("git", ["--version"]);
    return true;
  } catch {
    return false;
  }
}

/** Why there are no tests of git here. */
export const skip = hasGit() ? false : "the program git is not there";

/** A temporary directory with a repository. */
export class GitBed {
  readonly root = mkdtempSync(path.join(tmpdir(), "brine-git-"));

  git(repository: string, ...args: string[]): string {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", HOME: this.root };
    const who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always"];
    return execFileSync("git", [...who, "-C", path.join(this.root, repository), ...args], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    }).toString().trim();
  }

  /** Commits files to a branch; a value with `->` before it is a link. */
  commit(repository: string, branch: string, files: Record<string, string>): string {
    const directory = path.join(this.root, repository);
    mkdirSync(directory, { recursive: true });
    const isNew = !this.#made.has(repository);
    this.#made.add(repository);
    if (isNew) this.git(repository, "init", "-q", "-b", branch);
    else if (this.git(repository, "branch", "--list", branch) === "") {
      this.git(repository, "checkout", "-q", "-b", branch);
    } else this.git(repository, "checkout", "-q", branch);
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(directory, name);
      mkdirSync(path.dirname(file), { recursive: true });
      rmSync(file, { force: true });
      if (content.startsWith("->")) symlinkSync(content.slice(2), file);
      else writeFileSync(file, content);
    }
    this.git(repository, "add", "-A");
    this.git(repository, "commit", "-q", "--allow-empty", "-m", "x");
    return this.git(repository, "rev-parse", "HEAD");
  }

  readonly #made = new Set<string>();

  url(repository: string): string {
    return `file://${path.join(this.root, repository)}`;
  }

  async server(opts: Record<string, unknown>) {
    const runtime = await currentRuntime();
    const captured = captureLog();
    const all = {
      ...fileServerOpts({
        cachedir: path.join(this.root, "cache"),
        fileserver_backend: ["gitfs"],
        file_buffer_size: 1000,
      }),
      ...opts,
    } as FileServerOpts;
    const events: Record<string, unknown>[] = [];
    const fire = (tag: string, data: Record<string, unknown>) => void events.push({ tag, ...data });
    return {
      runtime,
      captured,
      events,
      opts: all,
      server: new FileServer({ runtime, log: captured.log, opts: all, fire }),
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
