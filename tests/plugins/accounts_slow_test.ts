/** Users, groups and passwords of a system below a root, made by the real programs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { which } from "../../src/plugins/linux/programs.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const skip = runtime.process.uid() !== 0
  ? "only root can do it"
  : ["useradd", "chage", "passwd"].some((name) => which(runtime.fs, name, runtime.process.env("PATH")) === undefined)
  ? "the programs for accounts are not here"
  : false;

test("a user below a root is renamed, gets a password, is locked and unlocked", { skip }, async () => {
  await inTemporary(runtime, async (root) => {
    const { fs } = runtime;
    fs.mkdir(`${root}/etc`);
    fs.write(`${root}/etc/passwd`, "root:x:0:0:root:/root:/bin/sh\n", { mode: 0o644 });
    fs.write(`${root}/etc/group`, "root:x:0:\n", { mode: 0o644 });
    fs.write(`${root}/etc/shadow`, "root:*:19000:0:99999:7:::\n", { mode: 0o640 });
    const minion = await testMinion();
    const at = kwargs({ root });
    assert.equal(await minion.value("group.add", "crew", kwargs({ root, gid: 1700 })), true);
    assert.equal(
      await minion.value("user.add", "alice", kwargs({ root, uid: 1700, gid: 1700, createhome: false })),
      true,
    );
    assert.equal(await minion.value("user.rename", "alice", "carol", at), true);
    assert.deepEqual((await minion.value("user.info", "carol", at) as { groups: string[] }).groups, ["crew"]);
    assert.equal(await minion.value("shadow.set_password", "carol", "$6$saltsalt$x", at), true);
    assert.equal(fs.stat(`${root}/etc/shadow`)!.mode, 0o640);
    const password = async () => (await minion.value("shadow.info", "carol", at) as { passwd: string }).passwd;
    assert.equal(await minion.value("shadow.lock_password", "carol", at), true);
    assert.equal(await password(), "!$6$saltsalt$x");
    assert.equal(await minion.value("shadow.unlock_password", "carol", at), true);
    assert.equal(await password(), "$6$saltsalt$x");
    assert.equal(await minion.value("shadow.set_password", "carol", "y", kwargs({ root, use_usermod: true })), true);
    assert.equal(await password(), "y");
    assert.equal(await minion.value("shadow.set_password", "nobody-here", "y", at), false);
  });
});
