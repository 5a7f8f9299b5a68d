/** States of the host: against calls recorded from real Salt. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { which } from "../../../src/plugins/linux/programs.ts";
import { states as alternatives } from "../../../src/plugins/states/alternatives.ts";
import { states as at } from "../../../src/plugins/states/at.ts";
import { states as cron } from "../../../src/plugins/states/cron.ts";
import { states as debconf } from "../../../src/plugins/states/debconfmod.ts";
import { states as http } from "../../../src/plugins/states/http.ts";
import { states as keyboard } from "../../../src/plugins/states/keyboard.ts";
import { states as locale } from "../../../src/plugins/states/locale.ts";
import { states as network } from "../../../src/plugins/states/network.ts";
import { states as selinux } from "../../../src/plugins/states/selinux.ts";
import { states as sysctl } from "../../../src/plugins/states/sysctl.ts";
import { states as timezone } from "../../../src/plugins/states/timezone.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { replayStates } from "../../support/recorded_states.ts";
import { stateCaller } from "../../support/state_calls.ts";
import { inTemporary } from "../temporary.ts";

await replayStates("debconf", { debconf });
await replayStates("keyboard", { keyboard });
await replayStates("once", { at, locale });
await replayStates("network", { network });
await replayStates("selinux", { selinux });
await replayStates("system", { alternatives, cron, http, sysctl, timezone });

const runtime = await currentRuntime();
const NAME = "brine-states-test";
const UPDATE = "update-alternatives";
const skip = runtime.process.uid() !== 0
  ? "only root can do it"
  : which(runtime.fs, UPDATE, runtime.process.env("PATH")) === undefined ||
      which(runtime.fs, "dpkg", undefined) === undefined
  ? `there is no ${UPDATE} of Debian's`
  : false;

test("an alternative of its own is made, set and removed on this machine", { skip, timeout: 60_000 }, async () => {
  await inTemporary(runtime, async (directory) => {
    for (const name of ["one", "two"]) runtime.fs.write(`${directory}/${name}`, "#!/bin/sh\n", { mode: 0o755 });
    const call = await stateCaller();
    const [one, two] = [`${directory}/one`, `${directory}/two`];
    const made = { name: NAME, link: `${directory}/link`, path: one, priority: 5 };
    try {
      assert.equal((await call("alternatives.install", made, { test: true })).result, null);
      assert.deepEqual((await call("alternatives.install", made)).changes, made);
      const second = await call("alternatives.install", { ...made, path: two, priority: 1 });
      assert.equal(
        second.comment,
        `Alternative ${two} for ${NAME} registered with priority 1 and not set to default`,
      );
      assert.deepEqual((await call("alternatives.set", { name: NAME, path: two })).changes, { path: two });
      assert.equal((await call("alternatives.auto", { name: NAME })).result, true);
      assert.equal(
        (await call("alternatives.set", { name: NAME, path: one })).comment,
        `Alternative for ${NAME} already set to ${one}`,
      );
    } finally {
      for (const path of [one, two]) await call("alternatives.remove", { name: NAME, path });
    }
    assert.equal((await call("alternatives.remove", { name: NAME, path: one })).result, false);
  });
});
