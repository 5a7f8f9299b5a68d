/** A daemon with the option `user` goes on as that user, or not at all. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runAs } from "../../../cli/daemon/run_as.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

const skip = process.getuid?.() !== 0 || process.platform !== "linux" ? "only root can become another user" : false;
const NOBODY = { uid: 65534, gid: 65534 };

async function child(user: string, directory: string): Promise<Record<string, unknown>> {
  const { name } = await currentRuntime();
  const flags = name === "deno" ? ["run", "-A", "--quiet", "--no-check", "--node-modules-dir=manual"] : [];
  const program = fileURLToPath(new URL("run_as_child.ts", import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, program, user, directory], { encoding: "utf8" });
  assert.match(stdout, /^\{/, stderr);
  return JSON.parse(stdout);
}

function place(): { directory: string; remove(): void } {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-"));
  chmodSync(directory, 0o755);
  mkdirSync(path.join(directory, "pki", "minions"), { recursive: true });
  for (const file of ["pki/minions/web1", "secret", "log"]) writeFileSync(path.join(directory, file), "");
  symlinkSync("../secret", path.join(directory, "pki", "link"));
  linkSync(path.join(directory, "secret"), path.join(directory, "pki", "other_name"));
  return { directory, remove: () => rmSync(directory, { recursive: true }) };
}

describe("the option user", { skip, timeout: 60_000 }, () => {
  test("makes it that user for good, who owns the directories and nothing else", async () => {
    const { directory, remove } = place();
    try {
      const { home, ...said } = await child("nobody", directory);
      assert.deepEqual(said, {
        user: "nobody",
        uid: [NOBODY.uid, NOBODY.uid, NOBODY.gid, NOBODY.gid],
        groups: String(NOBODY.gid),
        back: "refused",
        outside: "refused",
        inside: "done",
        fresh: "done",
      });
      assert.notEqual(home, process.env.HOME);
      const ownerOf = (file: string) => lstatSync(path.join(directory, file)).uid;
      assert.deepEqual(
        ["pki", "pki/minions", "pki/minions/web1", "new", "log"].map(ownerOf),
        Array(5).fill(NOBODY.uid),
      );
      // Neither by a link nor by a second name.
      assert.equal(statSync(path.join(directory, "secret")).uid, 0);
      // Once the directory is the user's, root does not walk it any more: what is in it is in his hands.
      writeFileSync(path.join(directory, "pki", "later"), "");
      await child("nobody", directory);
      assert.equal(ownerOf("pki/later"), 0);
    } finally {
      remove();
    }
  });

  test("stops for an unknown account", async () => {
    const { directory, remove } = place();
    try {
      const { error, uid } = await child("no_such_user_here", directory);
      assert.match(
        String(error),
        /Cannot run as the user "no_such_user_here" \(option user\): the account does not exist/,
      );
      assert.deepEqual(uid, [0, 0, 0, 0]);
    } finally {
      remove();
    }
  });
});

describe("runAs()", () => {
  const options = { opts: { user: "salt" }, given: true, directories: [], files: [] };
  const runtimeOf = async (uid: number, become: () => void = () => assert.fail("it became another user")) => {
    const runtime = await currentRuntime();
    const host = { ...runtime.host, user: () => ({ name: uid === 0 ? "root" : "ann", uid, gid: uid, home: "/" }) };
    const entry = "salt:x:450:450::/opt/salt:/bin/false\nroot:x:0:0::/root:/bin/sh\n";
    const fs = { ...runtime.fs, stat: () => ({ kind: "file" }), readText: () => entry };
    return { ...runtime, host, fs, process: { ...runtime.process, uid: () => uid, become, setEnv: () => {} } } as never;
  };

  test("does nothing where no user is named, or it is the present one", async () => {
    assert.equal(await runAs(await runtimeOf(0), { ...options, given: false }), undefined);
    assert.equal(await runAs(await runtimeOf(0), { ...options, opts: { user: "root" } }), undefined);
    assert.equal(await runAs(await runtimeOf(1000), { ...options, opts: { user: "ann" } }), undefined);
  });

  test("stops a user who cannot become that user, with the remedy", async () => {
    await assert.rejects(
      runAs(await runtimeOf(1000), options),
      /only root can .* this is ann.*User= of its systemd unit/,
    );
    const refused = () => {
      throw new Error("the system does not allow it");
    };
    await assert.rejects(runAs(await runtimeOf(0, refused), options), /does not allow it. Start it as that user/);
  });
});
