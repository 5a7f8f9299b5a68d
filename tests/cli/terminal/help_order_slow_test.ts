import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const TIMEOUT = { timeout: 120_000 };

for (
  const { program, words, last } of [
    { program: "salt", words: "", last: "Cannot execute command without defining a target." },
    { program: "salt", words: "web1", last: "Incomplete options passed." },
    { program: "salt-cp", words: "", last: "salt-cp: error: Insufficient arguments" },
    { program: "brine", words: "", last: "brine: error: Requires a program" },
  ]
) {
  test(`${program} ${words}: the reason is the last line, below the help`, TIMEOUT, () => {
    const runtime = "Deno" in globalThis ? `"${process.execPath}" run -A --no-check` : `"${process.execPath}"`;
    const file = fileURLToPath(new URL(`../../../cli/${program}.ts`, import.meta.url));
    const { stdout } = spawnSync("sh", ["-c", `${runtime} "${file}" ${words} 2>&1`], { encoding: "utf8" });
    const lines = stdout.split("\n").filter((line) => line !== "");
    assert.match(lines[0]!, /^Usage: /);
    assert.equal(lines.at(-1), last);
  });
}
