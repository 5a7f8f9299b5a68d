import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../../src/runtime/current.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const skip = spawnSync("unshare", ["--mount", "true"]).status === 0
  ? false
  : "this user cannot have a mount namespace of its own";

test("mount.mount, remount and umount, in a mount namespace of their own", { skip, timeout: 60_000 }, async () => {
  const flags = runtime.name === "deno" ? ["run", "-A", "--no-check", "--node-modules-dir=manual"] : [];
  const script = fileURLToPath(new URL("./mount_calls.ts", import.meta.url));
  await inTemporary(runtime, async (given) => {
    const directory = realpathSync(given);
    const { stdout, stderr, status } = spawnSync(
      "unshare",
      ["--mount", "--propagation", "private", process.execPath, ...flags, script, directory],
      { encoding: "utf8" },
    );
    assert.equal(status, 0, stderr);
    const place = `${directory}/made/here`;
    assert.deepEqual(JSON.parse(stdout), [
      false,
      true,
      true,
      ["none", "tmpfs", true],
      place,
      "none",
      `Wrote 1 lines to "${place}/file"`,
      true,
      [true, "/"],
      true,
      `${place} does not have anything mounted`,
      false,
      [true, true],
    ]);
    // What was mounted there never was here.
    assert.deepEqual(runtime.fs.list(place), []);
  });
});
