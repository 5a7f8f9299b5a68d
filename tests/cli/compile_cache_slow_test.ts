import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../cli/salt-call.ts", import.meta.url));
const isRoot = process.getuid?.() === 0;

/** Starts a program with a directory for caches and one for temporary files. @returns what is in both then */
function cachesOf(prepare: (cache: string) => void): { kept: boolean; temporary: string[] } {
  // Below a directory that only this user can change, as a home is.
  const base = mkdtempSync(path.join(isRoot ? "/root" : process.env.HOME!, ".brine-test-"));
  try {
    const [cache, temporary] = [path.join(base, "cache"), path.join(base, "tmp")];
    for (const directory of [cache, temporary]) mkdirSync(directory, { mode: 0o700 });
    chmodSync(temporary, 0o1777);
    mkdirSync(path.join(temporary, "node-compile-cache"));
    prepare(cache);
    const env = { ...process.env, XDG_CACHE_HOME: cache, TMPDIR: temporary };
    execFileSync("node", [PROGRAM, "--version"], { env });
    const directory = path.join(cache, "brine", "node");
    return {
      kept: existsSync(directory) && readdirSync(directory).length > 0,
      temporary: readdirSync(path.join(temporary, "node-compile-cache")),
    };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

test("compiled code is kept in a directory of the user, and never in the one of temporary files", () => {
  assert.deepEqual(cachesOf(() => {}), { kept: true, temporary: [] });
});

const rows: Record<string, (cache: string) => void> = {
  "a directory that belongs to another user": (cache) => chownSync(cache, 65_534, 65_534),
  "a directory that others may write to": (cache) => chmodSync(cache, 0o777),
  "a link of another user": (cache) => {
    mkdirSync(`${cache}/own`);
    symlinkSync("own", `${cache}/brine`);
    chownSync(cache, 65_534, 65_534);
  },
};
for (const [name, prepare] of Object.entries(rows)) {
  const skip = isRoot ? false : "only root can give a directory to another user";
  test(`root keeps no compiled code below ${name}`, { skip }, () => {
    assert.deepEqual(cachesOf(prepare), { kept: false, temporary: [] });
  });
}
