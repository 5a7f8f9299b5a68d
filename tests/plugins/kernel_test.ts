/** Modules of the kernel: the file of those that are loaded at the start, and names that are none; temporary paths. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { memoryHost } from "../support/memory_host.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const FILE = "/etc/modules";

/** A host with four modules, on which programs do nothing. */
async function host() {
  const made = await memoryHost({ programs: ["lsmod", "modprobe", "rmmod"] });
  const modules = `/lib/modules/${made.host.kernelRelease()}`;
  made.fs.mkdir(`${modules}/kernel/net`);
  made.fs.write(`${modules}/modules.builtin`, "kernel/fs/ext4.ko\n");
  for (const name of ["bonding.ko.xz", "kvm.ko", "nbd.ko", "nf-tables.ko.zst"]) {
    made.fs.write(`${modules}/kernel/net/${name}`, "");
  }
  return made;
}

test("kmod.available: files and what is built in", async () => {
  const { minion } = await host();
  assert.deepEqual(await minion.value("kmod.available"), ["bonding", "ext4", "kvm", "nbd", "nf_tables"]);
});

test("kmod.load and remove with persist edit the file as Salt does", async () => {
  const { minion, fs } = await host();
  fs.write(FILE, "# a comment\n#kvm\nloop max_loop=8\n");
  assert.deepEqual(await minion.value("kmod.mod_list", true), ["loop"]);
  const steps: [fun: string, arg: unknown[], names: string[], file: string][] = [
    // What 3006.28 returned and left in the file.
    ["load", ["kvm", true], ["kvm"], "# a comment\nkvm\nloop max_loop=8\n"],
    ["load", ["kvm", true], [], "# a comment\nkvm\nloop max_loop=8\n"],
    ["load", ["bonding mode=4", true], ["bonding"], "# a comment\nkvm\nloop max_loop=8\nbonding mode=4\n"],
    ["load", ["none", true], [], "# a comment\nkvm\nloop max_loop=8\nbonding mode=4\n"],
    ["remove", ["kvm", true, true], ["kvm"], "# a comment\n#kvm\nloop max_loop=8\nbonding mode=4\n"],
    ["remove", ["loop", true, true], ["loop"], "# a comment\n#kvm\n#loop max_loop=8\nbonding mode=4\n"],
  ];
  for (const [fun, arg, names, file] of steps) {
    assert.deepEqual(await minion.value(`kmod.${fun}`, ...arg), names, `${fun} ${arg.join(" ")}`);
    assert.equal(fs.readText(FILE), file, `${fun} ${arg.join(" ")}`);
  }
});

for (const mod of ["-r kvm", "../kvm", "", "/lib/x.ko"]) {
  test(`kmod.load refuses "${mod}", which is no name of a module`, async () => {
    const { minion } = await host();
    const outcome = await minion.run("kmod.load", [mod]);
    assert.match(String(outcome.return), /Cannot use ".*" as a kernel module: expected its name/);
  });
}

test("temp.dir and temp.file are for their owner alone, below a directory that exists", async () => {
  await inTemporary(runtime, async (directory) => {
    const minion = await testMinion();
    const made = String(await minion.value("temp.dir", kwargs({ parent: directory })));
    const file = String(await minion.value("temp.file", "", "x", made));
    assert.equal(runtime.fs.stat(made)?.mode, 0o700);
    assert.equal(runtime.fs.stat(file)?.mode, 0o600);
    assert.notEqual(made, await minion.value("temp.dir", kwargs({ parent: directory })));
    const missing = await minion.run("temp.file", [kwargs({ parent: `${directory}/none` })]);
    assert.match(String(missing.return), /there is no such directory/);
    const elsewhere = await minion.run("temp.file", [kwargs({ prefix: "../x", parent: made })]);
    assert.match(String(elsewhere.return), /name its place by parent/);
  });
});

test("sysfs refuses what leads out of it", async () => {
  const minion = await testMinion();
  const outcome = await minion.run("sysfs.read", ["/etc/passwd"]);
  assert.match(String(outcome.return), /"\/etc\/passwd" as an attribute of SysFS: it leads to \/etc\/passwd/);
});
