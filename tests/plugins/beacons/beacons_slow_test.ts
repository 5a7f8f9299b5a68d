/** What each beacon sees: of files in memory, and of this host where it needs a program. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { type BeaconEvent, type BeaconItem, type BeaconModule, settingsOf } from "../../../src/model/loader/beacons.ts";
import type { Context } from "../../../src/model/loader/family.ts";
import { BEACONS } from "../../../src/plugins/beacons/mod.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

type Answers = Record<string, (...words: unknown[]) => unknown>;

/** A beacon that looks when it is told to. */
async function looking(name: string, config: BeaconItem[], runtime: Runtime, answers: Answers = {}) {
  const module: BeaconModule = await BEACONS[name]!();
  const memory = new Map<string, unknown>();
  const context = {
    runtime,
    log: captureLog().log,
    call: (fun: string, words: unknown[] = []) => Promise.resolve(answers[fun]!(...words)),
  } as unknown as Context;
  const look = async () => await module.beacon(config, { name, settings: settingsOf(config), context, memory });
  return { look, close: () => module.close?.({ memory }), unavailable: module.unavailable?.(context) };
}

const { crypto } = await currentRuntime();
const memory = () => {
  const clock = new FakeClock();
  return { clock, runtime: memoryRuntime({ clock, crypto }) };
};
const linux = process.platform === "linux" ? false : "looks at /proc of Linux";

describe("beacons", () => {
  test("load: beyond a threshold, or only when that changes", async () => {
    const { runtime } = memory();
    const averages = { "1m": [0.5, 2], "5m": [0, 99], "15m": [0, 99] };
    const set = (one: number) => {
      runtime.fs.mkdir("/proc");
      runtime.fs.write("/proc/loadavg", `${one.toFixed(2)} 1.00 1.00 1/200 300\n`);
    };
    const each = await looking("load", [{ averages }], runtime);
    const change = await looking("load", [{ averages }, { onchangeonly: true }], runtime);
    const counts: number[][] = [];
    for (const one of [1, 3, 3, 1, 0.1, 0.1]) {
      set(one);
      counts.push([(await each.look()).length, (await change.look()).length]);
    }
    assert.deepEqual(counts, [[0, 0], [1, 1], [1, 0], [0, 0], [1, 1], [1, 0]]);
  });

  test("log: new lines that match, whole ones, after a rotation from the beginning", async () => {
    const { runtime } = memory();
    runtime.fs.mkdir("/var/log");
    const file = "/var/log/x";
    runtime.fs.write(file, "error of yesterday\n");
    const { look } = await looking(
      "log",
      [{ file }, { tags: { bad: { regex: ".*error.*" }, odd: { regex: "(" } } }],
      runtime,
    );
    const seen = async () => (await look()).filter(({ tag }) => tag === "bad").map(({ raw }) => raw);
    assert.deepEqual(await seen(), []);
    runtime.fs.append(file, "fine\nan error here\nhalf an err");
    assert.deepEqual(await seen(), ["an error here"]);
    runtime.fs.append(file, "or\n");
    assert.deepEqual(await seen(), ["half an error"]);
    runtime.fs.write(file, "error after rotation\n");
    assert.deepEqual(await look(), [
      { match: "no", raw: "", error: "bad regex", tag: "odd" },
      { match: "yes", raw: "error after rotation", error: "", tag: "bad" },
    ]);
  });

  test("service: when it changes, and has stayed so for a while", async () => {
    const { runtime, clock } = memory();
    let running = true;
    const services = { web: { onchangeonly: true, emitatstartup: false, delay: 5 } };
    const { look } = await looking("service", [{ services }], runtime, { "service.status": () => running });
    assert.deepEqual(await look(), []);
    running = false;
    assert.deepEqual(await look(), []);
    clock.advance(4000);
    assert.deepEqual(await look(), []);
    clock.advance(2000);
    assert.deepEqual(await look(), [{ web: { running: false }, service_name: "web", tag: "web" }]);
    clock.advance(9000);
    assert.deepEqual(await look(), []);
  });

  test("wtmp: a logout has the user of the login at its terminal", async () => {
    const { runtime } = memory();
    const record = (type: number, line: string, user: string) => {
      const bytes = new Uint8Array(384);
      new DataView(bytes.buffer).setInt16(0, type, true);
      bytes.set(new TextEncoder().encode(line), 8);
      bytes.set(new TextEncoder().encode(user), 44);
      return bytes;
    };
    runtime.fs.mkdir("/var/log");
    runtime.fs.write("/var/log/wtmp", record(7, "pts/9", "before"));
    const { look } = await looking("wtmp", [{ users: { ann: null } }], runtime);
    assert.deepEqual(await look(), []);
    runtime.fs.append("/var/log/wtmp", record(7, "pts/0", "ann"));
    runtime.fs.append("/var/log/wtmp", record(7, "pts/1", "bob"));
    runtime.fs.append("/var/log/wtmp", record(8, "pts/0", ""));
    runtime.fs.append("/var/log/wtmp", record(8, "pts/1", ""));
    assert.deepEqual((await look()).map(({ action, user, line }: BeaconEvent) => [action, user, line]), [
      ["login", "ann", "pts/0"],
      ["logout", "ann", "pts/0"],
    ]);
    // Half a record waits for its other half.
    runtime.fs.append("/var/log/wtmp", record(7, "pts/2", "ann").subarray(0, 200));
    assert.deepEqual(await look(), []);
  });

  test("pkg: what was installed, upgraded or removed since the last look", async () => {
    const { runtime } = memory();
    let [version, latest] = ["", ""];
    const answers = { "pkg.version": () => version, "pkg.latest_version": () => latest };
    const { look } = await looking("pkg", [{ pkgs: ["vim"] }], runtime, answers);
    assert.deepEqual(await look(), []);
    version = "1";
    assert.deepEqual(await look(), [{ pkg: "vim", version: "1", status: "installed" }]);
    latest = "2";
    assert.deepEqual(await look(), [{ pkg: "vim", version: "2", status: "upgrade" }]);
    assert.deepEqual(await look(), []);
    [version, latest] = ["", ""];
    assert.deepEqual(await look(), [{ pkg: "vim", version: null, status: "not-installed" }]);
  });

  test("ps, diskusage, network_info and status of this host", { skip: linux }, async () => {
    const runtime = await currentRuntime();
    const ps = await looking(
      "ps",
      [{ processes: { nosuchprogram: "stopped", other: "running", third: "?" } }],
      runtime,
    );
    assert.deepEqual(await ps.look(), [{ nosuchprogram: "Stopped" }, { third: false }]);
    const disk = await looking("diskusage", [{ "/": "0%" }], runtime);
    assert.deepEqual((await disk.look()).map(({ mount }) => mount), ["/"]);
    const full = await looking("diskusage", [{ "/": 101 }], runtime);
    assert.deepEqual(await full.look(), []);
    const net = await looking("network_info", [{ interfaces: { lo: { type: "greater", bytes_sent: -1 } } }], runtime);
    assert.deepEqual((await net.look()).map((event) => event.interface), ["lo"]);
    const status = await looking("status", [{ loadavg: ["1-min"] }, { uptime: ["nosuch"] }], runtime, {
      "status.loadavg": () => ({ "1-min": 0.5, "5-min": 1 }),
      "status.uptime": () => ({ seconds: 1 }),
    });
    assert.deepEqual((await status.look())[0]!.data, {
      loadavg: { "1-min": 0.5 },
      uptime: "Status beacon is incorrectly configured: 'nosuch'",
    });
  });

  test("inotify: real changes, also below, but for what is excluded", {
    skip: spawnSync("inotifywait", ["--help"]).error === undefined
      ? false
      : "no inotifywait: apt install inotify-tools",
  }, async () => {
    const runtime = await currentRuntime();
    const root = mkdtempSync(path.join(tmpdir(), "brine-inotify-"));
    const files = { [root]: { mask: ["create", "delete"], recurse: true, exclude: ["*.tmp"] } };
    const { look, close } = await looking("inotify", [{ files }], runtime);
    try {
      const seen = new Map<string, unknown>();
      const until = async (holds: () => boolean) => {
        while (!holds()) {
          for (const event of await look()) seen.set(`${event.change} ${event.path}`, event.tag);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      };
      let count = 0;
      // It takes a moment until the program watches.
      await until(() => {
        writeFileSync(path.join(root, `probe${count++}`), "");
        return seen.size > 0;
      });
      mkdirSync(path.join(root, "below"));
      await until(() => seen.has(`IN_CREATE|IN_ISDIR ${root}/below`));
      await until(() => {
        writeFileSync(path.join(root, `below/inner${count++}`), "");
        return [...seen.values()].includes(`${root}/below`);
      });
      writeFileSync(path.join(root, "x.tmp"), "");
      writeFileSync(path.join(root, "last"), "");
      await until(() => seen.has(`IN_CREATE ${root}/last`));
      assert.ok(!seen.has(`IN_CREATE ${root}/x.tmp`));
    } finally {
      close();
      rmSync(root, { recursive: true });
    }
  });

  test("beacons of Salt's that are not here say why", async () => {
    const { runtime } = memory();
    for (const name of ["adb", "sh", "smartos_vmadm", "telegram_bot_msg"]) {
      assert.match((await looking(name, [], runtime)).unavailable ?? "", /\w/, name);
    }
  });
});
