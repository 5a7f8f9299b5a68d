/** Services: scripts of the host as they are, and systemd by a program that stands in for systemctl. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { module } from "../../src/plugins/modules/service.ts";
import { programPath } from "../../src/plugins/commands.ts";
import { systemd } from "../../src/plugins/modules/service/systemd.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryFileSystem } from "../../src/runtime/memory/fs.ts";
import { type TestMinion, testMinion } from "../support/context.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const NO_OPTIONS = { noBlock: false, unmask: false, unmaskRuntime: false };

/** Answers as systemctl does, and notes what it was asked. */
const SYSTEMCTL = `#!/bin/sh
echo "$*" >> "$BRINE_FAKE/log"
case "$*" in
  *list-unit-files*) printf 'cron.service enabled enabled\\nold.service disabled enabled\\ndbus.socket static -\\n' ;;
  *list-units*) printf 'cron.service loaded active running Cron\\nrun.mount loaded active mounted Run\\n' ;;
  "show cron.service") printf 'Id=cron.service\\nLoadState=loaded\\nExecStart={ path=/usr/sbin/cron ; argv[]=/usr/sbin/cron -f ; pid=0 }\\n' ;;
  show*) printf 'LoadState=not-found\\n' ;;
  "is-active cron.service") exit 0 ;;
  is-active*) exit 3 ;;
  "is-enabled cron.service") echo enabled ;;
  is-enabled*) echo disabled; exit 1 ;;
  *broken*) echo "Job for broken.service failed." >&2; exit 1 ;;
esac
`;

async function withSystemctl(use: (minion: TestMinion, log: () => string[]) => Promise<void>): Promise<void> {
  await inTemporary(runtime, async (directory) => {
    runtime.fs.write(`${directory}/systemctl`, SYSTEMCTL, { mode: 0o755 });
    const process = {
      ...runtime.process,
      pid: runtime.process.pid,
      env: (name: string) => name === "PATH" ? `${directory}:/usr/bin:/bin` : runtime.process.env(name),
      environment: () => ({
        ...runtime.process.environment(),
        PATH: `${directory}:/usr/bin:/bin`,
        BRINE_FAKE: directory,
      }),
    };
    const minion = await testMinion({
      runtime: { process },
      opts: { "systemd.scope": false },
      modules: {
        // As on a host that systemd has started.
        unit: () =>
          Promise.resolve({
            module: {
              functions: {
                list: {
                  signature: "which",
                  doc: "",
                  run: (context, { which }) => systemd.list(context, which as "all"),
                },
                show: {
                  signature: "name",
                  doc: "",
                  run: (context, { name }) => systemd.show(context, name as string, null),
                },
                status: {
                  signature: "name",
                  doc: "",
                  run: (context, { name }) => systemd.status(context, name as string),
                },
                act: {
                  signature: "verb, name",
                  doc: "",
                  run: (context, { verb, name }) => systemd.act(context, verb as "start", name as string, NO_OPTIONS),
                },
                enable: {
                  signature: "name, wanted",
                  doc: "",
                  run: (context, { name, wanted }) => systemd.enable(context, name as string, wanted as boolean, null),
                },
                enabled: {
                  signature: "name",
                  doc: "",
                  run: (context, { name }) => systemd.enabled(context, name as string, null),
                },
                disabled: {
                  signature: "name",
                  doc: "",
                  run: (context, { name }) => systemd.disabled(context, name as string, null),
                },
              },
            },
          }),
      },
    });
    await use(minion, () => runtime.fs.readText(`${directory}/log`).trim().split("\n"));
  });
}

test("systemd: lists name services without their ending, and other units with it", async () => {
  await withSystemctl(async (minion) => {
    assert.deepEqual(await minion.value("unit.list", "all"), ["cron", "dbus.socket", "old", "run.mount"]);
    assert.deepEqual(await minion.value("unit.list", "enabled"), ["cron"]);
    assert.deepEqual(await minion.value("unit.list", "disabled"), ["old"]);
    assert.deepEqual(await minion.value("unit.list", "static"), ["dbus.socket"]);
    assert.deepEqual(await minion.value("unit.list", "running"), ["cron"]);
  });
});

test("systemd: status, show and enabled report what systemctl reports", async () => {
  await withSystemctl(async (minion) => {
    assert.equal(await minion.value("unit.status", "cron"), true);
    assert.equal(await minion.value("unit.status", "old"), false);
    assert.deepEqual(await minion.value("unit.status", "c*"), { cron: true });
    assert.deepEqual((await minion.value("unit.show", "cron") as Record<string, unknown>).ExecStart, {
      path: "/usr/sbin/cron",
      "argv[]": "/usr/sbin/cron -f",
      pid: "0",
    });
    assert.equal(await minion.value("unit.enabled", "cron"), true);
    assert.equal(await minion.value("unit.enabled", "old"), false);
    assert.equal(await minion.value("unit.disabled", "nowhere"), false);
  });
});

test("systemd: actions use the name of the unit, and a failure is systemctl's message", async () => {
  await withSystemctl(async (minion, log) => {
    assert.equal(await minion.value("unit.act", "restart", "cron"), true);
    assert.equal(await minion.value("unit.act", "start", "x.timer"), true);
    assert.equal(await minion.value("unit.enable", "cron", true), true);
    assert.equal(await minion.value("unit.enable", "cron", false), true);
    assert.deepEqual(log(), ["restart cron.service", "start x.timer", "enable cron.service", "disable cron.service"]);
    const { return: said, retcode } = await minion.run("unit.act", ["start", "broken"]);
    assert.equal(said, "ERROR: Job for broken.service failed.");
    assert.equal(retcode, 1);
  });
});

test("service says why it is unavailable without an init system", async () => {
  const { context } = await testMinion({ runtime: { fs: memoryFileSystem({ clock: runtime.clock }) } });
  assert.deepEqual(module.virtual!(context), {
    unavailable: "Services are started by neither systemd nor OpenRC nor scripts in /etc/init.d on this host",
  });
});

const sysv = runtime.fs.stat("/run/systemd/system") === undefined && runtime.fs.stat("/etc/init.d") !== undefined;

test("service: scripts of this host are listed once, as started with it or not", {
  skip: sysv ? false : "no scripts start services here",
}, async () => {
  const minion = await testMinion();
  const all = await minion.value("service.get_all") as string[];
  const parts = [await minion.value("service.get_enabled"), await minion.value("service.get_disabled")].flat();
  assert.deepEqual([...parts].sort(), [...all].sort());
  assert.equal(await minion.value("service.missing", "no-such-service"), true);
  for (const name of all) assert.equal(await minion.value("service.available", name), true);
  assert.equal((await minion.run("service.start", ["no-such-service"])).return, false);
});

const ownScript = runtime.process.uid() !== 0
  ? "only root may put a script into /etc/init.d"
  : !sysv
  ? "no scripts start services here"
  : ["service", "update-rc.d"].every((name) => programPath({ runtime }, name) !== undefined)
  ? false
  : "there is no service or update-rc.d";

test("service: a script of /etc/init.d starts, stops, and is enabled, as real Salt has it", {
  skip: ownScript,
  timeout: 60_000,
}, async () => {
  await inTemporary(runtime, async (directory) => {
    const name = `brine-${directory.slice(-8)}`;
    const path = `/etc/init.d/${name}`;
    const log = `${directory}/log`;
    runtime.fs.write(
      path,
      `#!/bin/sh
### BEGIN INIT INFO
# Provides:          ${name}
# Required-Start:
# Required-Stop:
# Default-Start:     2 3 4 5
# Default-Stop:      0 1 6
# Short-Description: for a test
### END INIT INFO
case "$1" in
  status) [ -e ${directory}/up ] || exit 3; exit 0 ;;
  start) touch ${directory}/up ;;
  stop) rm -f ${directory}/up ;;
  restart|reload|force-reload) ;;
  *) exit 2 ;;
esac
echo "$1" >> ${log}
`,
      { mode: 0o755 },
    );
    const minion = await testMinion();
    const ask = (fun: string) => minion.value(`service.${fun}`, name);
    const listed = async (which: string) => (await minion.value(`service.get_${which}`) as string[]).includes(name);
    try {
      assert.deepEqual([await ask("available"), await ask("missing"), await ask("status")], [true, false, false]);
      assert.deepEqual([await ask("start"), await ask("status")], [true, true]);
      assert.deepEqual(await minion.value("service.status", `${name.slice(0, -1)}*`), { [name]: true });
      for (const verb of ["restart", "reload", "force_reload"]) assert.equal(await ask(verb), true);
      assert.deepEqual([await ask("stop"), await ask("status")], [true, false]);
      const done = ["start", "restart", "reload", "force-reload", "stop"];
      assert.deepEqual(runtime.fs.readText(log).trim().split("\n"), done);
      // Without links for any level there is nothing that could be enabled.
      assert.equal((await minion.run("service.enable", [name])).return, false);
      assert.equal(await minion.value("cmd.retcode", ["update-rc.d", name, "defaults"]), 0);
      assert.deepEqual([await ask("disable"), await ask("enabled"), await ask("disabled")], [true, false, true]);
      assert.deepEqual([await listed("all"), await listed("enabled"), await listed("disabled")], [true, false, true]);
      assert.deepEqual([await ask("enable"), await ask("enabled"), await ask("disabled")], [true, true, false]);
      assert.deepEqual([await listed("enabled"), await listed("disabled")], [true, false]);
    } finally {
      await minion.run("cmd.run", [["update-rc.d", "-f", name, "remove"]]);
      runtime.fs.remove(path);
    }
    assert.deepEqual([await ask("available"), await ask("missing"), await listed("all")], [false, true, false]);
  });
});
