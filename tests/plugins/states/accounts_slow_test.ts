/** Users and groups: against calls and runs recorded from real Salt, and for root with a user of its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { states as group } from "../../../src/plugins/states/group.ts";
import { states as user } from "../../../src/plugins/states/user.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { which } from "../../../src/plugins/linux/programs.ts";
import { callState, fakeStateHost, replayStates } from "../../support/recorded_states.ts";
import { stateCaller } from "../../support/state_calls.ts";

await replayStates("group", { group });
await replayStates("user", { user });

const runtime = await currentRuntime();
const skip = runtime.process.uid() !== 0
  ? "only root can do it"
  : which(runtime.fs, "useradd", runtime.process.env("PATH")) === undefined
  ? "the programs for accounts are not here"
  : false;

test("user.present shows no hash of a password that could not be set", async () => {
  const info = { uid: 5, gid: 5, groups: [], home: "/", shell: "/bin/sh", passwd: "x" };
  const host = await fakeStateHost({}, {
    "user.info": [info],
    "shadow.info": [{ passwd: "$6$a$old" }],
    "shadow.default_hash": ["!"],
    "shadow.set_password": [false],
    "file.gid_to_group": ["u"],
  });
  const ret = await callState(user, host.context, "present", { name: "u", password: "$6$a$new" });
  assert.equal(ret.result, false);
  assert.equal(ret.comment, "These values could not be changed: {'passwd': 'XXX-REDACTED-XXX'}");
});

test("a user and a group are made, changed and removed on this machine", { skip, timeout: 60_000 }, async () => {
  const name = `brine${
    Array.from(runtime.crypto.randomBytes(4), (byte) => byte.toString(16).padStart(2, "0")).join("")
  }`;
  const call = await stateCaller();
  const run = async (state: string, fun: string, args: Record<string, unknown>, dry = false) =>
    await call(`${state}.${fun}`, { name, ...args }, { test: dry });
  try {
    assert.equal((await run("group", "present", {})).comment, `New group ${name} created`);
    const own = { gid: name, groups: [name], createhome: false, shell: "/bin/sh", home: "/nonexistent" };
    const made = await run("user", "present", own);
    // Nobody is a member of the own primary group for its own sake.
    assert.match(runtime.fs.readText("/etc/group"), new RegExp(`^${name}:x:\\d+:$`, "m"));
    assert.equal(made.comment, `New user ${name} created`);
    assert.equal(made.changes.home, "");
    const again = await run("user", "present", { createhome: false, shell: "/bin/sh" });
    assert.equal(again.comment, `User ${name} is present and up to date`);
    assert.deepEqual(again.changes, {});
    const changed = await run("user", "present", { createhome: false, shell: "/bin/false", fullname: "A User" });
    assert.equal(changed.comment, `Updated user ${name}`);
    assert.deepEqual(changed.changes, { shell: "/bin/false", fullname: "A User" });
    const dry = await run("user", "present", { createhome: false, shell: "/bin/sh" }, true);
    assert.equal(dry.comment, "The following user attributes are set to be changed:\nshell: /bin/sh\n");
    assert.deepEqual((await run("user", "absent", {}, true)).result, null);
    const removed = await run("user", "absent", {});
    assert.equal(removed.comment, `Removed user ${name}`);
    assert.equal(removed.changes[name], "removed");
  } finally {
    await run("user", "absent", {});
    await run("group", "absent", {});
  }
  assert.equal((await run("group", "absent", {})).comment, "Group not present");
});
