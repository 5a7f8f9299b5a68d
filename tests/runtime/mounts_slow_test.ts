import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("mounts_program.ts", import.meta.url));
const mayMount = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0;

const MOUNTS = `
set -e
cd "$1"
for name in a b; do mount --bind "source/$name" "bind/$name"; done
mount --bind source/ro ro
mount --bind source/rw ro/rw
mount -o remount,ro,bind ro
mount -t tmpfs -o size=64k tmpfs full
for name in a b c d; do printf old > "full/$name"; done
mount --bind full/d full/c
exec "$2" "$3" "$1"
`;

const skip = mayMount ? false : "only root with its own mounts can make files that cannot be replaced";

test("a file that cannot be replaced is written over, and keeps its content if that fails", { skip }, () => {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-"));
  try {
    for (const name of ["bind", "ro", "full", "source/ro"]) mkdirSync(path.join(directory, name), { recursive: true });
    for (const name of ["source/a", "source/b", "source/rw", "source/ro/file", "source/ro/rw", "bind/a", "bind/b"]) {
      writeFileSync(path.join(directory, name), "old");
    }
    const argv = ["-m", "--propagation", "private", "sh", "-c", MOUNTS, "sh", directory, "node", PROGRAM];
    const told = execFileSync("unshare", argv, { encoding: "utf8" });
    const rows = told.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(
      rows.map(({ name, content, failure, left }) => [name, content, failure.replace(/"[^"]*"/, "F"), left]),
      [
        ["mount point", "new", "", []],
        ["mount point, from another file", "new", "", []],
        ["mount point in a read-only directory", "new", "", []],
        ["read-only", "old", "Cannot write F: the file system is read-only", []],
        ["full, replaced", "old", "Cannot write F: no space left on the device", []],
        ["full, written over", "old", "Cannot write F: no space left on the device", []],
        ["full mount point", "old", "Cannot write F: no space left on the device", []],
      ],
    );
    assert.deepEqual(rows.slice(0, 2).map(({ mode, uid }) => [mode, uid]), [[0o640, 1], [0o604, 0]]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
