/** A supervisord of our own, with processes that only wait. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { states } from "../../src/plugins/states/supervisord.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs } from "../support/context.ts";
import { stateMinion } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const missing = ["supervisord", "supervisorctl"].find((name) => programPath({ runtime }, name) === undefined);
const skip = missing === undefined ? false : `there is no ${missing}`;

const program = (name: string, more = "") => `[program:${name}]\ncommand=sleep 1000 ; why\nstartsecs=0\n${more}`;
const CONFIG = (directory: string) =>
  `[unix_http_server]\nfile=${directory}/s.sock\n[supervisord]\nlogfile=${directory}/log\n` +
  `pidfile=${directory}/pid\n[rpcinterface:supervisor]\nsupervisor.rpcinterface_factory=` +
  `supervisor.rpcinterface:make_main_rpcinterface\n[supervisorctl]\nserverurl=unix://${directory}/s.sock\n` +
  program("web", "autostart=false\npriority=7\nnumprocs=1\n") + program("ga") + program("gb") +
  "[group:grp]\nprograms=ga,gb\n";

test("supervisord: processes and groups start, restart and stop", { skip, timeout: 120_000 }, async () => {
  await inTemporary(runtime, async (directory) => {
    const place = { conf_file: `${directory}/s.conf` };
    runtime.fs.write(place.conf_file, CONFIG(directory));
    const { minion, state } = await stateMinion({}, { supervisord: states });
    assert.deepEqual(await minion.value("supervisord.options", "web", kwargs(place)), {
      command: "sleep 1000",
      startsecs: 0,
      autostart: false,
      priority: 7,
      numprocs: 1,
    });
    await assert.rejects(minion.value("supervisord.options", "none", kwargs(place)), /Process 'none' not found/);
    await minion.value("cmd.run", ["supervisord", "-c", place.conf_file], kwargs({ python_shell: false }));
    const asked = `supervisorctl -c ${place.conf_file} pid`;
    await minion.value(
      "cmd.run",
      `until ${asked} >/dev/null 2>&1; do :; done`,
      kwargs({ python_shell: true, timeout: 60 }),
    );
    try {
      assert.equal(
        (await state("supervisord.running", { name: "web", ...place }, true)).comment,
        "Service web will be started",
      );
      assert.deepEqual((await state("supervisord.running", { name: "web", ...place })).changes, {
        web: "Starting service: web",
      });
      assert.equal(await minion.value("supervisord.status_bool", "web", "RUNNING", kwargs(place)), true);
      assert.equal(await minion.value("supervisord.start", "web", kwargs(place)), "web: ERROR (already started)");
      const again = await state("supervisord.mod_watch", { name: "grp:*", ...place });
      assert.deepEqual(again.changes, { "grp:": "Restarting group: grp:" });
      assert.deepEqual((await state("supervisord.dead", { name: "web", ...place })).changes, {
        web: "Stopping service: web",
      });
      const all = await minion.value("supervisord.status", kwargs(place)) as Record<string, { state: string }>;
      // Where not all processes run, supervisorctl fails, and its first line has ERROR in front: as in Salt.
      assert.deepEqual([all["ERROR:"]?.state, all["grp:gb"]?.state, all.web?.state], ["grp:ga", "RUNNING", "STOPPED"]);
      const none = await state("supervisord.running", { name: "none", ...place });
      assert.deepEqual([none.result, none.comment], [false, "none: ERROR (no such process)"]);
    } finally {
      await minion.value("supervisord.custom", "shutdown", kwargs(place));
    }
  });
});
