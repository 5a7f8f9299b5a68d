import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";

/**
 * A new temporary directory for daemons.
 *
 * @param name what it is for: `bench`
 */
export function bedDirectory(name: string): string {
  // The path of a Unix socket has at most 107 characters.
  return mkdtempSync(path.join(tmpdir().length > 40 ? "/tmp" : tmpdir(), `brine-${name}-`));
}

/** The name of this user: Bun knows it by the environment alone, where it need not be. */
export function ownUser(): string {
  const { username } = userInfo();
  return username === "unknown" ? spawnSync("id", ["-un"], { encoding: "utf8" }).stdout.trim() : username;
}

/** Makes the directories of a daemon; returns the options that name them, for its configuration in `etc`. */
export function daemonDirectory(root: string): Record<string, unknown> {
  for (const part of ["etc", "run"]) mkdirSync(path.join(root, part), { recursive: true });
  return {
    user: ownUser(),
    root_dir: root,
    pki_dir: path.join(root, "pki"),
    cachedir: path.join(root, "cache"),
    sock_dir: path.join(root, "run"),
    pidfile: path.join(root, "run", "pid"),
    log_file: path.join(root, "log"),
  };
}
