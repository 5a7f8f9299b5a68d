import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runtimeCommand } from "../../bench/bed/runtimes.ts";

const bun = runtimeCommand("bun");
const program = (name: string) => fileURLToPath(new URL(`../../cli/${name}.ts`, import.meta.url));

interface Result {
  changes: { stdout: string };
}

/** Calls a function with these arguments on Bun. @returns its return */
function call(words: readonly string[], ...fun: readonly string[]): unknown {
  const folder = mkdtempSync(path.join(tmpdir(), "brine-test-"));
  try {
    const opts = { id: "late", file_client: "local", root_dir: folder, cachedir: `${folder}/cache` };
    writeFileSync(path.join(folder, "minion"), JSON.stringify(opts));
    const argv = [...bun!.slice(1), ...words, "-c", folder, "--local", "--out", "json", ...fun];
    const env = { ...process.env, LATE_TEST: "kept" };
    const text = execFileSync(bun![0]!, argv, { env, encoding: "utf8" });
    return (JSON.parse(text) as { local: unknown }).local;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const skip = bun === undefined ? "bun is not installed" : false;
for (const words of [[program("salt-call")], [program("brine"), "salt-call"], [program("brine"), "call"]]) {
  const name = words.map((word) => path.basename(word)).join(" ");
  test(`${name} on Bun compiles states late, and its programs do not get the options for it`, { skip }, () => {
    const environment = "tr '\\0' '\\n' < /proc/$PPID/environ | grep -c '^BUN_JSC_threshold'";
    const own = "env | grep -c '^BUN_JSC_threshold'; echo $LATE_TEST; cat /proc/$PPID/comm";
    const states = call(words, "state.single", "cmd.run", `name=${environment}; ${own}`) as Record<string, Result>;
    assert.equal(Object.values(states)[0]!.changes.stdout, "5\n0\nkept\nbun");
    assert.equal(call(words, "cmd.run", `${environment} || true`), "0", "other functions start once");
  });
}
