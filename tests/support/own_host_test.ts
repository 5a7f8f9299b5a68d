import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { currentRuntime } from "../../src/runtime/current.ts";
import { DEFAULT_DIRECTORIES, ownHost } from "./own_host.ts";

test("ownHost(): files in default directories are below that of the test, others stay where they are", async () => {
  const root = mkdtempSync(path.join(tmpdir(), "brine-host-"));
  try {
    const { fs } = ownHost(await currentRuntime(), root);
    for (const directory of DEFAULT_DIRECTORIES) {
      fs.mkdir(`${directory}/below`);
      fs.write(`${directory}/below/file`, directory);
      assert.equal(readFileSync(path.join(root, directory, "below", "file"), "utf8"), directory);
      assert.equal(existsSync(`${directory}/below/file`), false);
    }
    fs.write(path.join(root, "other"), "here");
    assert.equal(fs.readText(path.join(root, "other")), "here");
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
