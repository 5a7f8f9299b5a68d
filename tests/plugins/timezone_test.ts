/** Zones of a system below a root. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const skip = runtime.fs.stat("/usr/share/zoneinfo/Europe/Berlin") === undefined ? "no zones are installed here" : false;

test("timezone.set_zone: links local time below a root, and refuses an unknown zone", { skip }, async () => {
  await inTemporary(runtime, async (root) => {
    const { fs } = runtime;
    fs.mkdir(`${root}/etc`);
    const minion = await testMinion();
    for (const zone of ["Europe/Berlin", "Etc/UTC"]) {
      assert.equal(await minion.value("timezone.set_zone", zone, kwargs({ root })), true);
      assert.equal(fs.readlink(`${root}/etc/localtime`), `/usr/share/zoneinfo/${zone}`);
      assert.equal(fs.readText(`${root}/etc/timezone`), `${zone}\n`);
    }
    assert.equal(
      await minion.value("timezone.set_zone", "../../../etc/hostname", kwargs({ root })),
      "Zone does not exist: /usr/share/zoneinfo/etc/hostname",
    );
    const zones = await minion.value("timezone.list_zones") as string[];
    assert.ok(zones.includes("Europe/Berlin") && zones.includes("UTC"), String(zones.length));
    assert.ok(!zones.some((zone) => zone.startsWith("posix/")));
  });
});
