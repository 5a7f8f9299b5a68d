/** The mode of SELinux, in memory; and what its programs are never given. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { kwargs } from "../support/context.ts";
import { memoryHost } from "../support/memory_host.ts";

const CONFIG = "/etc/selinux/config";
const TEXT = "# SELINUX= can take one of these three values:\nSELINUX=permissive\nSELINUXTYPE=default\n";
const PROGRAMS = ["semanage", "setsebool", "semodule", "restorecon"];
const ENFORCE = "/sys/fs/selinux/enforce";

test("selinux.setenforce writes the kernel's file and the configuration", async () => {
  const { minion, fs } = await memoryHost({ programs: PROGRAMS, files: { [CONFIG]: TEXT, [ENFORCE]: "0" } });
  assert.equal(await minion.value("selinux.selinux_fs_path"), "/sys/fs/selinux");
  assert.equal(await minion.value("selinux.getenforce"), "Permissive");
  assert.equal(await minion.value("selinux.getconfig"), "Permissive");
  assert.equal(await minion.value("selinux.setenforce", "Enforcing"), "Enforcing");
  assert.deepEqual([fs.readText(ENFORCE), fs.readText(CONFIG)], ["1", TEXT.replace("permissive", "enforcing")]);
  assert.equal(await minion.value("selinux.setenforce", "disabled"), "Permissive");
  assert.equal(await minion.value("selinux.getconfig"), "Disabled");
  assert.equal(await minion.value("selinux.setenforce", true), "Enforcing");
  assert.equal(await minion.value("selinux.setenforce", "nonsense"), "Invalid mode nonsense");
  assert.equal(fs.readText(ENFORCE), "1");
});

test("selinux: where it is off, the mode is Disabled, and one is set for later", async () => {
  const { minion, fs } = await memoryHost({ programs: PROGRAMS, files: { [CONFIG]: TEXT } });
  assert.equal(await minion.value("selinux.selinux_fs_path"), null);
  assert.equal(await minion.value("selinux.setenforce", "enforcing"), "Disabled");
  assert.match(fs.readText(CONFIG), /\nSELINUX=enforcing\n/);
});

for (
  const [fun, ...arg] of [
    ["setsebool", "-P", "on"],
    ["setsebools", { "--x": "on" }],
    ["setsemod", "-i", "enabled"],
    ["setsemod", "nginx", "gone"],
    ["install_semod", "-x"],
    ["remove_semod", "--all"],
    ["fcontext_add_policy", "-D"],
    ["fcontext_add_policy", "/srv", kwargs({ sel_type: "--delete" })],
    ["fcontext_apply_policy", "-R"],
    ["port_add_policy", "tcp/80 -D", "http_port_t"],
    ["port_add_policy", "tcp/80", "-D"],
  ] as [string, ...unknown[]][]
) {
  test(`selinux.${fun} refuses ${JSON.stringify(arg)}`, async () => {
    const { minion, ran } = await memoryHost({ programs: PROGRAMS });
    const outcome = await minion.run(`selinux.${fun}`, arg);
    assert.match(String(outcome.return), /reads as an option|expected enabled or disabled|Invalid name/);
    assert.ok(ran.every((words) => words.startsWith("semanage fcontext -l")), ran.join("\n"));
  });
}
