/** Partitions and file systems on a loop device, where root may have one; and what is refused. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { states as blockdev } from "../../src/plugins/states/blockdev.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs } from "../support/context.ts";
import { memoryHost } from "../support/memory_host.ts";
import { stateMinion } from "../support/state_job.ts";
import { loopDevice, withoutLoop } from "./loop_device.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const PROGRAMS = ["udevadm", "parted", "partprobe", "lsblk", "mkfs.ext4", "tune2fs", "dumpe2fs", "blkid", "blockdev"];
const missing = PROGRAMS.find((name) => programPath({ runtime }, name) === undefined);
const skip = missing === undefined ? await withoutLoop() : `there is no ${missing}`;

interface Listing {
  info: Record<string, string>;
  partitions: Record<string, Record<string, string>>;
}

describe("a disk on a loop device", { skip }, () => {
  test("partitions come, are named and flagged, and go", { timeout: 60_000 }, async () => {
    await inTemporary(runtime, async (directory) => {
      const { path, detach } = await loopDevice(`${directory}/disk`, 32);
      const { minion } = await stateMinion({}, {});
      const list = async () => await minion.value("partition.list", path, "s") as Listing;
      try {
        assert.equal(await minion.value("partition.exists", path), true);
        assert.deepEqual(await minion.value("partition.mklabel", path, "gpt"), []);
        assert.equal((await list()).info["partition table"], "gpt");
        await minion.value("partition.mkpart", path, "primary", "ext4", "1MiB", "9MiB");
        await minion.value("partition.mkpart", path, "primary", kwargs({ start: "9MiB", end: "100%" }));
        await minion.value("partition.name", path, 1, "My Documents");
        await minion.value("partition.set", path, 1, "lvm", "on");
        await minion.value("partition.rm", path, 2);
        const { partitions } = await list();
        assert.deepEqual(Object.keys(partitions), ["1"]);
        const { number, start, size, name, flags } = partitions[1]!;
        assert.deepEqual([number, start, size, name, flags], ["1", "2048s", "16384s", "My Documents", "lvm"]);
        assert.deepEqual(await minion.value("partition.align_check", path, "optimal", 1), ["1 aligned"]);
      } finally {
        await detach();
      }
    });
  });

  test("a file system is made once, and described", { timeout: 60_000 }, async () => {
    await inTemporary(runtime, async (directory) => {
      const { path, detach } = await loopDevice(`${directory}/disk`, 32);
      const { minion, state } = await stateMinion({}, { blockdev });
      try {
        const name = { name: path };
        assert.equal((await state("blockdev.formatted", name, true)).result, null);
        assert.equal((await state("blockdev.formatted", name)).comment, `${path} has been formatted with ext4`);
        assert.equal((await state("blockdev.formatted", name)).comment, `${path} already formatted with ext4`);
        await minion.value("extfs.tune", path, kwargs({ label: "my data", reserved: 7 }));
        const attributes = await minion.value("extfs.attributes", path, "h") as Record<string, unknown>;
        assert.equal(attributes["Filesystem volume name"], "my data");
        assert.equal(attributes["Reserved block count"], "7");
        assert.ok((attributes["Filesystem features"] as string[]).includes("extent"));
        const blocks = await minion.value("extfs.blocks", path) as Record<string, { group: string }>;
        assert.equal(blocks["Group 0"]!.group, "0");
        const made = await minion.value("extfs.mkfs", path, "ext2", kwargs({ label: "other", quiet: true }));
        assert.ok((made as string[]).some((line) => line.startsWith("Creating filesystem")));
        const ahead = { name: path, "read-ahead": 1024 };
        assert.match(
          String((await state("blockdev.tuned", ahead)).changes["read-ahead"]),
          /^Changed from \d+ to 1024$/,
        );
        assert.deepEqual((await state("blockdev.tuned", ahead)).changes, {});
      } finally {
        await detach();
      }
    });
  });
});

for (
  const [fun, ...arg] of [
    ["partition.mklabel", "--script", "gpt"],
    ["partition.rm", "/dev/none", "1"],
    ["extfs.mkfs", "-n", "ext4"],
    ["extfs.mkfs", "/dev/x", "-F"],
    ["extfs.tune", "--x"],
    ["extfs.dump", "-x"],
  ] as [string, ...unknown[]][]
) {
  test(`${fun} refuses ${JSON.stringify(arg)}`, async () => {
    const { minion, ran } = await memoryHost({ programs: PROGRAMS });
    const outcome = await minion.run(fun, arg);
    assert.match(String(outcome.return), /reads as an option|Invalid device/);
    assert.deepEqual(ran, []);
  });
}
