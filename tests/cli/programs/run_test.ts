/** How `salt-run` tells that a runner has failed. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { runMain } from "../../../cli/programs/run.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { runInProcess } from "../../support/program.ts";

test("a runner that fails is one line on stderr; the traceback that scripts read stays on stdout, and is on stderr with -l debug", async () => {
  const root = mkdtempSync(path.join(tmpdir(), "brine-run-"));
  try {
    const { host } = await currentRuntime();
    writeFileSync(path.join(root, "master"), JSON.stringify({ root_dir: root, user: host.user().name }));
    const run = (...words: string[]) => runInProcess("salt-run", runMain, ["-c", root, ...words, "manage.status"]);
    const { stdout, stderr, exitCode } = await run();
    assert.equal(exitCode, 1);
    assert.match(
      stdout,
      /^Exception occurred in runner manage\.status: Traceback \(most recent call last\):\n {2}File /,
    );
    assert.match(
      stderr,
      /^\[ERROR {3}\] runner failed: runner=manage\.status error=Unable to connect to the salt master publisher at .*: run salt-doctor .*\n$/,
    );
    const debug = await run("-l", "debug");
    assert.match(debug.stderr, /\[DEBUG {3}\] Traceback \(most recent call last\):\n\[DEBUG {3}\] {3}File /);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
