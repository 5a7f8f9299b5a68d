/** Volumes and arrays: on a loop device where there may be one, and the configuration of mdadm in memory. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { states as lvm } from "../../src/plugins/states/lvm.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryHost } from "../support/memory_host.ts";
import { stateMinion } from "../support/state_job.ts";
import { loopDevice, withoutLoop } from "./loop_device.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const skip = programPath({ runtime }, "lvm") === undefined ? "there is no lvm" : await withoutLoop();
const GROUP = `brinetest${runtime.process.pid}`;

describe("lvm on a loop device", { skip }, () => {
  test("a physical volume and a group come and go", { timeout: 120_000 }, async () => {
    await inTemporary(runtime, async (directory) => {
      const loop = await loopDevice(`${directory}/disk`, 64);
      const { minion, state } = await stateMinion({}, { lvm });
      const results: unknown[] = [];
      const run = async (fun: string, keyword: Record<string, unknown>, test = false) => {
        const ret = await state(`lvm.${fun}`, keyword, test);
        results.push([fun, ret.result, ret.comment]);
        return ret;
      };
      try {
        const device = loop.path;
        await run("pv_present", { name: device }, true);
        assert.deepEqual((await run("pv_present", { name: device })).changes, { created: true });
        await run("pv_present", { name: device });
        const group = { name: GROUP, devices: [device], physicalextentsize: 8 };
        const { changes } = await run("vg_present", group);
        const created = changes.created as Record<string, Record<string, string>>;
        assert.equal(created[GROUP]!["Physical Extent Size (kB)"], "8192");
        assert.equal(created["Output from vgcreate"] as unknown, `Volume group "${GROUP}" successfully created`);
        await run("vg_present", group);
        const volumes = await minion.value("lvm.pvdisplay", device) as Record<string, Record<string, string>>;
        assert.equal(volumes[device]!["Volume Group Name"], GROUP);
        await run("vg_absent", { name: GROUP });
        await run("vg_absent", { name: GROUP });
        await run("pv_absent", { name: device });
        await run("pv_absent", { name: device });
        assert.match(String(await minion.value("lvm.version")), /^\d+\.\d+/);
        assert.deepEqual(results, [
          ["pv_present", null, `Physical Volume ${device} is set to be created`],
          ["pv_present", true, `Created Physical Volume ${device}`],
          ["pv_present", true, `Physical Volume ${device} already present`],
          ["vg_present", true, `Created Volume Group ${GROUP}`],
          ["vg_present", true, `Volume Group ${GROUP} already present\n${device} is part of Volume Group`],
          ["vg_absent", true, `Removed Volume Group ${GROUP}`],
          ["vg_absent", true, `Volume Group ${GROUP} already absent`],
          ["pv_absent", true, `Removed Physical Volume ${device}`],
          ["pv_absent", true, `Physical Volume ${device} does not exist`],
        ]);
      } finally {
        await minion.run("lvm.vgremove", [GROUP]);
        await loop.detach();
      }
    });
  });
});

const SCAN = "ARRAY /dev/md0 metadata=1.2 name=web1:0 UUID=1f:7a\nARRAY /dev/md/data UUID=2f:7a";
const CONFIG = "/etc/mdadm/mdadm.conf";

test("raid.save_config replaces the lines of arrays and adds others; destroy takes them out", async () => {
  const { minion, fs, ran } = await memoryHost({
    programs: ["mdadm"],
    answers: {
      "mdadm --detail --scan": SCAN,
      "mdadm --detail /dev/md0": "     0   8   17   0   active sync   /dev/sdb1",
    },
    files: { [CONFIG]: "MAILADDR root\nARRAY /dev/md0 UUID=old\n", "/dev/md0": "" },
  });
  await minion.value("raid.save_config");
  const [first, second] = SCAN.split("\n");
  assert.equal(fs.readText(CONFIG), `MAILADDR root\n${first}\n${second}\n`);
  assert.equal(ran.at(-1), "update-initramfs -u");
  // The list of arrays that the program gives still has it.
  assert.equal(await minion.value("raid.destroy", "/dev/md0"), false);
  assert.equal(fs.readText(CONFIG), `MAILADDR root\n\n${second}\n`);
  assert.ok(ran.includes("mdadm --zero-superblock /dev/sdb1"));
});

test("raid.save_config writes a new file; on Ubuntu without names and metadata", async () => {
  const { minion, fs } = await memoryHost({
    programs: ["mdadm"],
    answers: { "mdadm --detail --scan": SCAN },
    grains: { os: "Ubuntu" },
    files: { "/etc/mdadm/x": "" },
  });
  await minion.value("raid.save_config");
  assert.equal(fs.readText(CONFIG), "ARRAY /dev/md0 UUID=1f:7a\nARRAY /dev/md/data UUID=2f:7a\n");
});

for (
  const [fun, ...arg] of [
    ["lvm.pvcreate", "--restorefile"],
    ["lvm.pvremove", "/dev/a,-ff"],
    ["lvm.vgremove", "-ff"],
    ["lvm.lvcreate", "-x", "data", "1G"],
    ["lvm.vgdisplay", "-a"],
    ["raid.destroy", "--scan"],
    ["raid.add", "/dev/md0", "--fail"],
    ["raid.create", "/dev/md0", 1, ["/dev/a", "-b"]],
    ["raid.examine", ""],
  ] as [string, ...unknown[]][]
) {
  test(`${fun} refuses ${JSON.stringify(arg)}`, async () => {
    const { minion, ran } = await memoryHost({ programs: ["lvm", "lvcreate", "mdadm"], files: { "/dev/a": "" } });
    const outcome = await minion.run(fun, arg);
    assert.match(String(outcome.return), /it is empty, or reads as an option/);
    assert.deepEqual(ran, []);
  });
}
