/** Tests write below directories of their own: what programs use without a configuration is not there afterwards, unless it was before. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { DEFAULT_DIRECTORIES } from "../support/own_host.ts";

const made = () => DEFAULT_DIRECTORIES.filter((directory) => existsSync(directory));
const before = made();

// All files of a suite run in one process, and this hears its end. Bun does not tell.
process.on("exit", () => {
  const left = made().filter((directory) => !before.includes(directory));
  if (left.length === 0) return;
  console.error(
    `Tests have made ${left.join(", ")}: have them write below a directory of their own (tests/support/own_host.ts)`,
  );
  process.exitCode = 1;
});

test("the directories of a real installation are known", () => {
  assert.ok(DEFAULT_DIRECTORIES.every((directory) => directory.startsWith("/") && directory.endsWith("/salt")));
});
