/** States with programs that are there: ACLs, copies, Apache's files and repositories. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { states as apache } from "../../src/plugins/states/apache.ts";
import { states as hg } from "../../src/plugins/states/hg.ts";
import { states as acl } from "../../src/plugins/states/linux_acl.ts";
import { states as rsync } from "../../src/plugins/states/rsync.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { stateMinion, withPrograms } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const { fs } = runtime;
const without = (name: string) => programPath({ runtime }, name) === undefined ? `there is no ${name}` : false;

test("acl: an entry is set, changed and removed", { skip: without("setfacl") }, async () => {
  await inTemporary(runtime, async (directory) => {
    const { minion, state } = await stateMinion({}, { acl });
    const name = `${directory}/file`;
    fs.write(name, "");
    const entry = { name, acl_type: "user", acl_name: "daemon" };
    assert.equal((await state("acl.present", { ...entry, perms: "rx" }, true)).result, null);
    assert.equal((await state("acl.present", { ...entry, perms: "rx" })).result, true);
    assert.deepEqual((await state("acl.present", { ...entry, perms: "rx" })).changes, {});
    assert.equal((await state("acl.present", { ...entry, perms: "rwx" })).comment, "Updated permissions for daemon");
    const octals = async () =>
      Object.fromEntries(
        (await minion.value("acl.getfacl", name) as Record<string, { user: Record<string, { octal: number }>[] }>)[
          name
        ]!.user.flatMap(Object.entries).map(([user, { octal }]) => [user, octal]),
      );
    assert.equal((await octals()).daemon, 7);
    const names = { name, acl_type: "user", acl_names: ["daemon", "bin"] };
    assert.equal((await state("acl.list_present", { ...names, perms: "r" })).result, true);
    assert.equal((await octals()).bin, 4);
    assert.equal((await state("acl.absent", { ...entry, perms: "r" })).comment, "Removing permissions");
    assert.equal((await octals()).daemon, undefined);
    assert.equal((await state("acl.list_absent", names)).result, true);
    assert.equal((await octals()).bin, undefined);
    const unknown = await state("acl.present", { ...entry, acl_name: "no-such-user", perms: "r" });
    assert.equal(unknown.result, false);
    assert.match(String(unknown.comment), /Invalid argument/);
  });
});

test("rsync.synchronized copies, and makes no directory in a dry run", { skip: without("rsync") }, async () => {
  await inTemporary(runtime, async (directory) => {
    const { state } = await stateMinion({}, { rsync });
    fs.mkdir(`${directory}/a`);
    fs.write(`${directory}/a/x`, "1");
    const wanted = { name: `${directory}/b`, source: `${directory}/a/`, prepare: true };
    assert.equal((await state("rsync.synchronized", wanted, true)).result, null);
    assert.equal(fs.stat(`${directory}/b`), undefined);
    assert.equal((await state("rsync.synchronized", wanted)).result, true);
    assert.equal(fs.readText(`${directory}/b/x`), "1");
    assert.deepEqual((await state("rsync.synchronized", wanted)).changes, {});
  });
});

test("apache.configfile writes a file once", async () => {
  await inTemporary(runtime, async (directory) => {
    const { state } = await stateMinion(withPrograms(`${directory}/bin`, { apache2ctl: "", apachectl: "" }), {
      apache,
    });
    const name = `${directory}/x.conf`;
    const wanted = { name, config: [{ VirtualHost: { this: "*:80", ServerName: "a" } }] };
    const text = "<VirtualHost *:80>\nServerName a\n</VirtualHost>\n";
    assert.deepEqual((await state("apache.configfile", wanted, true)).changes, { old: "", new: text });
    assert.equal(fs.stat(name), undefined);
    assert.equal((await state("apache.configfile", wanted)).comment, "Successfully created configuration.");
    assert.equal(fs.readText(name), `${text}\n`);
    assert.equal((await state("apache.configfile", wanted)).comment, "Configuration is up to date.");
    const elsewhere = await state("apache.configfile", { ...wanted, name: `${directory}/none/x.conf` });
    assert.equal(elsewhere.comment, "Failed to create apache configuration.");
  });
});

const MERCURIAL = (directory: string) =>
  `case "$1" in
  clone) mkdir -p "$3/.hg"; echo cloned;;
  id) cat ${directory}/revision;;
  pull) echo "no changes found";;
  update) echo "$2" > ${directory}/revision;;
esac`;

test("hg.latest clones, updates, and deletes nothing in a dry run", async () => {
  await inTemporary(runtime, async (directory) => {
    const { state } = await stateMinion(withPrograms(`${directory}/bin`, { hg: MERCURIAL(directory) }), { hg });
    const target = `${directory}/r`;
    const wanted = { name: "https://example.com/r", target };
    fs.write(`${directory}/revision`, "one\n");
    fs.mkdir(target);
    fs.write(`${target}/kept`, "");
    assert.equal((await state("hg.latest", wanted, true)).comment, "Directory exists, and is not empty");
    assert.equal((await state("hg.latest", { ...wanted, force: true }, true)).result, null);
    assert.equal(fs.readText(`${target}/kept`), "");
    assert.deepEqual((await state("hg.latest", { ...wanted, force: true })).changes, {
      new: wanted.name,
      revision: "one",
    });
    assert.equal(
      (await state("hg.latest", wanted, true)).comment,
      `Repository ${target} update is probably required (current revision is one)`,
    );
    assert.deepEqual((await state("hg.latest", { ...wanted, rev: "two" })).changes, { revision: "one => two" });
    assert.deepEqual((await state("hg.latest", { ...wanted, rev: "two" })).changes, {});
    assert.equal(
      (await state("hg.latest", { ...wanted, update_head: false })).comment,
      "No changes found and update_head=False so will skip updating.",
    );
    await assert.rejects(state("hg.latest", { ...wanted, rev: "--config=x" }, true), /Cannot use/);
  });
});
