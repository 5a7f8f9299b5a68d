/** Keys of ssh in the home of a user of this machine, whom nothing keeps from making links there. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { which } from "../../../src/plugins/linux/programs.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { type CallState, stateCaller } from "../../support/state_calls.ts";
import { inTemporary } from "../temporary.ts";

const runtime = await currentRuntime();
const { fs } = runtime;
const skip = runtime.process.uid() !== 0
  ? "only root can do it"
  : ["useradd", "ssh", "ssh-keygen", "setpriv"].find((name) =>
      which(fs, name, runtime.process.env("PATH")) === undefined
    ) !== undefined
  ? "a program is not here: useradd, ssh, ssh-keygen or setpriv"
  : false;

const KEY = "AAAAC3NzaC1lZDI1NTE5AAAAIAICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIC";
const HOST = { name: "two.example", key: KEY, enc: "ssh-ed25519", hash_known_hosts: false };

interface Place {
  user: string;
  uid: number;
  home: string;
  /** A directory of root's, with a file that nobody else may read. */
  roots: string;
  call: CallState;
}

/** Runs `use` with a user that is made for it. */
async function withUser(use: (place: Place) => Promise<void>): Promise<void> {
  await inTemporary(runtime, async (directory) => {
    const user = `brine${directory.slice(-8)}`;
    const home = `${directory}/home`;
    const made = spawnSync("useradd", ["-M", "-d", home, "-s", "/bin/sh", user], { encoding: "utf8" });
    assert.equal(made.status, 0, made.stderr);
    try {
      const uid = Number(spawnSync("id", ["-u", user], { encoding: "utf8" }).stdout);
      fs.mkdir(home, 0o755);
      fs.chown(home, uid, uid);
      const roots = `${directory}/roots`;
      fs.mkdir(roots, 0o755);
      fs.write(`${roots}/secret`, "# of root\n", { mode: 0o600 });
      await use({ user, uid, home, roots, call: await stateCaller() });
    } finally {
      spawnSync("userdel", [user]);
    }
  });
}

test(
  "a key is added to a home without any, changed and removed, in files of the user's",
  { skip, timeout: 60_000 },
  () =>
    withUser(async ({ user, uid, home, call }) => {
      const file = `${home}/.ssh/authorized_keys`;
      const args = { name: KEY, user, enc: "ssh-ed25519" };
      assert.deepEqual((await call("ssh_auth.present", args)).changes, { [KEY]: "New" });
      assert.equal(fs.readText(file), `ssh-ed25519 ${KEY} \n`);
      assert.deepEqual([fs.stat(file)!.uid, fs.stat(file)!.mode], [uid, 0o600]);
      assert.deepEqual([fs.stat(`${home}/.ssh`)!.uid, fs.stat(`${home}/.ssh`)!.mode], [uid, 0o700]);
      const changed = await call("ssh_auth.present", { ...args, comment: "me" });
      assert.deepEqual(changed.changes, { [KEY]: "Updated" });
      assert.equal(fs.readText(file), `ssh-ed25519 ${KEY} me\n`);
      assert.deepEqual((await call("ssh_auth.absent", args)).changes, { [KEY]: "Removed" });
      assert.equal(fs.readText(file), "");
      const saved = await call("ssh_known_hosts.present", { ...HOST, user });
      assert.equal(saved.result, true);
      assert.equal(fs.readText(`${home}/.ssh/known_hosts`), `two.example ssh-ed25519 ${KEY}\n`);
      assert.equal(fs.stat(`${home}/.ssh/known_hosts`)!.uid, uid);
      assert.equal((await call("ssh_known_hosts.absent", { name: HOST.name, user })).result, true);
      assert.equal(fs.readText(`${home}/.ssh/known_hosts`), "");
    }),
);

const ATTACKS = {
  "the file is a link to one of root's": (home: string, roots: string) => {
    fs.mkdir(`${home}/.ssh`);
    for (const name of ["authorized_keys", "known_hosts"]) fs.symlink(`${roots}/secret`, `${home}/.ssh/${name}`);
  },
  "the directory is a link to one of root's": (home: string, roots: string) => fs.symlink(roots, `${home}/.ssh`),
  "the file is a link into nowhere, in a directory of root's": (home: string, roots: string) => {
    fs.mkdir(`${home}/.ssh`);
    for (const name of ["authorized_keys", "known_hosts"]) fs.symlink(`${roots}/new`, `${home}/.ssh/${name}`);
  },
};

for (const [what, prepare] of Object.entries(ATTACKS)) {
  test(
    `root writes no key elsewhere: ${what}`,
    { skip, timeout: 60_000 },
    () =>
      withUser(async ({ user, uid, home, roots, call }) => {
        prepare(home, roots);
        if (fs.stat(`${home}/.ssh`, { follow: false })!.kind === "directory") fs.chown(`${home}/.ssh`, uid, uid);
        const refused = /Cannot (read|write|look for) ".*" as user/;
        await assert.rejects(() => call("ssh_auth.present", { name: KEY, user, enc: "ssh-ed25519" }), refused);
        await assert.rejects(() => call("ssh_known_hosts.present", { ...HOST, user }), refused);
        assert.deepEqual(fs.list(roots), ["secret"]);
        assert.equal(fs.readText(`${roots}/secret`), "# of root\n");
        assert.deepEqual([fs.stat(`${roots}/secret`)!.uid, fs.stat(`${roots}/secret`)!.mode], [0, 0o600]);
      }),
  );
}

test(
  "a comment or an option with a line feed makes no second key",
  { skip, timeout: 60_000 },
  () =>
    withUser(async ({ user, home, call }) => {
      const args = { name: KEY, user, enc: "ssh-ed25519", options: [`no-pty\nssh-ed25519 ${KEY} evil`] };
      assert.equal((await call("ssh_auth.present", args)).result, false);
      assert.equal(fs.stat(`${home}/.ssh`), undefined);
    }),
);
