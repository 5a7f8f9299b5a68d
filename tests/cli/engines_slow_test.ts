/** Engines beside a master and a minion as processes: custom ones, those that go wrong, and what is left of them. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { bedDirectory, daemonDirectory } from "../../bench/bed/daemon_directory.ts";
import { LocalClient } from "../../src/client/mod.ts";
import type { MasterOpts } from "../../src/model/config/master_opts.ts";
import type { EngineStatus } from "../../src/feature/engine/engines.ts";
import { listenBus, sendToBus } from "../../src/model/event/bus_client.ts";
import { silentLogger } from "../../src/base/log.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { packEvent } from "../../src/protocol/wire/event_frame.ts";
import { freePort, RunningProgram } from "../support/running_program.ts";

/** Bun does not tell. */
const USER = execFileSync("id", ["-un"], { encoding: "utf8" }).trim();

const TIMEOUT = { timeout: 120_000, skip: existsSync("/proc/self/stat") ? false : "processes cannot be listed here" };

/** Custom engines by the names of their files. */
const FILES: Record<string, string> = {
  "echo.ts": `
export async function start(engine: any, { prefix }: { prefix: string }): Promise<void> {
  const events = engine.events((tag: string) => tag.startsWith("salt/engines/status/"));
  await engine.fire(prefix + "/ready", { role: engine.role, id: engine.id, name: engine.name });
  engine.report({ working: true });
  for await (const { tag, data } of events) await engine.fire(prefix + "/saw", { tag, state: data.state });
}
export async function other(engine: any): Promise<void> {
  await engine.fire("custom/other", { grains: typeof await engine.call("test.ping"), up: await engine.master.connected() });
  await new Promise(() => {});
}
`,
  "crash.js": `
export async function start(engine) {
  console.error("the sensor is gone");
  throw new Error("cannot go on");
}
`,
  "flood.mjs": `
export async function start(engine) {
  for (let n = 0;; n++) await engine.fire("flood/event", { n });
}
`,
  "print.js": `
const text = "x".repeat(65536);
export async function start(engine) {
  for (;;) {
    console.log(text);
    await new Promise((resolve) => setTimeout(resolve));
  }
}
`,
  "watch.sh": `#!/bin/sh
read -r start
echo '{"subscribe": ["program/ask"]}'
echo '{"report": {"asked": 0}}'
echo '{"tag": "program/ready", "data": {"n": 1}}'
echo 'no json'
sleep 1000 &
echo "{\\"tag\\": \\"program/child\\", \\"data\\": {\\"pid\\": $!}}"
while read -r line; do
  case $line in *program/ask*) echo '{"tag": "program/answer", "data": {"ok": true}}' ;; esac
done
`,
};

interface Seen {
  tag: string;
  data: Record<string, unknown>;
}

/** A master with engines, its bus and what it says of them. */
class Site {
  readonly directory = bedDirectory("engines");
  readonly events: Seen[] = [];
  master!: RunningProgram;
  minion: RunningProgram | undefined;
  #client: LocalClient | undefined;
  #ports!: [number, number];

  async start(engines: unknown, more: Record<string, unknown> = {}): Promise<void> {
    const root = path.join(this.directory, "master");
    mkdirSync(path.join(this.directory, "engines"), { recursive: true });
    for (const [name, text] of Object.entries(FILES)) {
      const file = path.join(this.directory, "engines", name);
      writeFileSync(file, text);
      if (text.startsWith("#!")) chmodSync(file, 0o755);
    }
    this.#ports = [await freePort(), await freePort()];
    const [publish_port, ret_port] = this.#ports;
    const opts = {
      ...daemonDirectory(root),
      user: USER,
      id: "here_master",
      interface: "127.0.0.1",
      publish_port,
      ret_port,
      auto_accept: true,
      engines_dirs: [path.join(this.directory, "engines")],
      engines,
      ...more,
    };
    writeFileSync(path.join(root, "etc", "master"), JSON.stringify(opts));
    this.master = new RunningProgram("salt-master", ["-c", path.join(root, "etc"), "-l", "info"]);
    await this.master.saying("master is running");
    const { net } = await currentRuntime();
    await listenBus(net, { kind: "unix", path: path.join(root, "run", "master_event_pub.ipc") }, ({ tag, data }) => {
      this.events.push({ tag, data });
    });
    this.#client = await LocalClient.open({
      runtime: await currentRuntime(),
      log: silentLogger,
      opts: { ...opts, timeout: 5, gather_job_timeout: 5 } as unknown as MasterOpts,
      checked: false,
    });
  }

  async startMinion(engines: unknown, more: Record<string, unknown> = {}): Promise<void> {
    const root = path.join(this.directory, "minion");
    const [, master_port] = this.#ports;
    const opts = {
      ...daemonDirectory(root),
      user: USER,
      id: "web1",
      master: "127.0.0.1",
      master_port,
      engines_dirs: [path.join(this.directory, "engines")],
      engines,
      ...more,
    };
    writeFileSync(path.join(root, "etc", "minion"), JSON.stringify(opts));
    this.minion = new RunningProgram("salt-minion", ["-c", path.join(root, "etc"), "-l", "info"]);
  }

  /** Puts files of {@link FILES} into `_engines` of the directory `roots`. */
  publish(...names: string[]): void {
    const folder = path.join(this.directory, "roots", "_engines");
    mkdirSync(folder, { recursive: true });
    for (const name of names) writeFileSync(path.join(folder, name), FILES[name]!);
  }

  /** Runs a program for the master's user; resolves once it has ended well. */
  async command(program: "salt" | "salt-run", ...words: string[]): Promise<void> {
    const run = new RunningProgram(program, ["-c", path.join(this.directory, "master", "etc"), ...words]);
    await until(`${program} ${words.join(" ")} ends`, () => run.ended);
    assert.equal(run.code, 0, run.said);
  }

  async status(): Promise<Record<string, EngineStatus>> {
    return (await this.#client!.ask("engine_status", {}) as { engines: Record<string, EngineStatus> }).engines;
  }

  /** The first event with a tag, and data that fit. */
  async event(tag: string, fits: (data: Record<string, unknown>) => boolean = () => true): Promise<Seen["data"]> {
    const found = () => this.events.find((event) => event.tag === tag && fits(event.data));
    await until(`the event ${tag}`, () => found() !== undefined).catch((error: Error) => {
      const said = [this.master, this.minion].map((program) => program?.said.slice(-2000) ?? "").join("---\n");
      throw new Error(`${error.message}: ${said}`);
    });
    return found()!.data;
  }

  /** Waits for what the report of an engine says. */
  async reported(name: string, fits: (status: EngineStatus) => boolean): Promise<EngineStatus> {
    let status: EngineStatus | undefined;
    const comes = async () => {
      status = (await this.status())[name];
      return status !== undefined && fits(status);
    };
    await until(`the report of ${name} fits`, comes, { everyMs: 100 }).catch((error) => {
      assert.fail(`${error.message}: ${JSON.stringify(status)}; ${this.master.said.slice(-2000)}`);
    });
    return status!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client?.close();
    for (const program of [this.minion, this.master]) if (program?.ended === false) await program.end();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Processes below one, and those below them. */
function descendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  const below = (of: number): number[] =>
    [...parents].filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

const lives = (pid: number) => {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

describe("engines", TIMEOUT, () => {
  test("custom ones of TypeScript and programs fire events, get events and report; none outlives a master that is killed", async () => {
    await using site = new Site();
    await site.start([{ echo: { prefix: "custom" } }, "watch", "crash", { "by-path": { engine_module: "none" } }], {
      ext_processes: ["echo.other"],
    });
    const { _stamp, ...ready } = await site.event("custom/ready");
    assert.deepEqual(ready, { role: "master", id: "here_master", name: "echo" });
    await site.event("custom/saw", ({ tag, state }) => tag === "salt/engines/status/crash" && state === "waiting");
    const other = await site.event("custom/other");
    assert.deepEqual([other.grains, other.up], ["boolean", []]);
    await site.event("program/ready", ({ n }) => n === 1);
    const { pid } = await site.event("program/child") as { pid: number };
    await site.reported("watch", ({ details }) => details.asked === 0);
    const { net, clock } = await currentRuntime();
    const pull = path.join(site.directory, "master", "run", "master_event_pull.ipc");
    const bus = await sendToBus(net, { kind: "unix", path: pull });
    bus.send(packEvent("program/ask", {}, { now: clock.now() }));
    await bus.close();
    await site.event("program/answer");
    const status = await site.status();
    assert.deepEqual(Object.entries(status).map(([name, { state }]) => [name, state]), [
      ["echo", "running"],
      ["watch", "running"],
      ["crash", status.crash!.state],
      ["by-path", "absent"],
      ["echo.other", "running"],
    ]);
    assert.match(status["by-path"]!.reason!, /Unknown engine "none"/);
    assert.deepEqual(status.echo!.details, { working: true });
    assert.ok(status.echo!.events!.fired >= 2);
    const left = [...descendants(site.master.child.pid!), pid].filter(lives);
    assert.ok(left.length >= 4, `${left.length} processes`);
    await site.master.end("SIGKILL");
    await until("all of them end with the master", () => left.filter(lives).length === 0);
  });

  test("one that crashes is started again and again, and its last words are told", async () => {
    await using site = new Site();
    await site.start(["crash"]);
    const told = await site.event("salt/engines/status/crash", ({ state }) => state === "waiting");
    const { how, words } = told.last_error as { how: string; words: string };
    assert.equal(how, "exit code 1");
    assert.match(words, /the sensor is gone[^]*cannot go on/);
    await site.reported("crash", ({ restarts }) => restarts >= 2);
    assert.equal(site.master.ended, false);
  });

  test("one that fires without end is slowed down, and one that prints without end costs no memory", async () => {
    await using site = new Site();
    await site.start(["flood", "print"], { engine_events_per_second: 200 });
    await site.reported("flood", ({ events }) => (events?.fired ?? 0) > 300);
    const first = Date.now();
    const before = site.events.filter(({ tag }) => tag === "flood/event").length;
    await site.reported("flood", ({ events }) => (events?.fired ?? 0) > 900);
    const seconds = (Date.now() - first) / 1000;
    const fired = site.events.filter(({ tag }) => tag === "flood/event").length - before;
    assert.ok(fired <= 200 * (seconds + 2), `${fired} in ${seconds} s`);
    const { print } = await site.status();
    assert.ok(print!.memory === null || print!.memory < 400 * 1024 * 1024, `${print!.memory}`);
    const master = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${site.master.child.pid}/status`, "utf8"))![1];
    assert.ok(Number(master) < 400 * 1024, `${master} KiB`);
  });

  test("those of a minion fire on the master's bus, what a minion may; the master hears how they stand", async () => {
    await using site = new Site();
    await site.start([]);
    await site.startMinion([{ echo: { prefix: "from/minion" } }, {
      forged: { engine_module: "echo", prefix: "salt/engines" },
    }]);
    const { _stamp, ...told } = await site.event("salt/minion/web1/engines/echo", ({ state }) => state === "running");
    assert.deepEqual([told.id, told.name, told.module], ["web1", "echo", "echo"]);
    // As from event.send of real Salt: the data are in the request that brought them.
    const { data } = await site.event("from/minion/ready");
    assert.deepEqual(data, { role: "minion", id: "web1", name: "echo" });
    await site.event("salt/minion/web1/engines/forged", ({ state }) => state === "running");
    assert.equal(site.events.some(({ tag }) => tag === "salt/engines/ready"), false);
    const left = descendants(site.minion!.child.pid!).filter(lives);
    assert.ok(left.length >= 2);
    await site.minion!.end("SIGKILL");
    await until("all of them end with the minion", () => left.filter(lives).length === 0);
  });

  test("a minion runs the engines that it has synced from its master, of TypeScript and in another language", async () => {
    await using site = new Site();
    site.publish("echo.ts", "watch.sh");
    await site.start([], { file_roots: { base: [path.join(site.directory, "roots")] } });
    const engines = [{ echo: { prefix: "synced" } }, "watch"];
    await site.startMinion(engines, { engines_dirs: [] });
    for (const name of ["echo", "watch"]) {
      const { reason } = await site.event(`salt/minion/web1/engines/${name}`, ({ state }) => state === "absent");
      assert.match(String(reason), new RegExp(`Unknown engine "${name}"`));
    }
    await site.command("salt", "web1", "saltutil.sync_engines");
    const synced = path.join(site.directory, "minion", "cache", "extmods", "engines");
    assert.deepEqual(readdirSync(synced).sort(), ["echo.ts", "watch.sh"]);
    // They are found when the minion starts.
    await site.minion!.end();
    await site.startMinion(engines, { engines_dirs: [] });
    await site.event("synced/ready");
    await site.event("program/ready");
    for (const name of ["echo", "watch"]) {
      await site.event(`salt/minion/web1/engines/${name}`, ({ state }) => state === "running");
    }
  });

  test("a master runs the engines that salt-run saltutil.sync_engines has brought, from SIGHUP on", async () => {
    await using site = new Site();
    site.publish("echo.ts", "watch.sh");
    await site.start([{ echo: { prefix: "synced" } }, "watch"], {
      engines_dirs: [],
      file_roots: { base: [path.join(site.directory, "roots")] },
    });
    await site.reported("echo", ({ state }) => state === "absent");
    await site.command("salt-run", "saltutil.sync_engines");
    site.master.kill("SIGHUP");
    await site.event("synced/ready");
    await site.event("program/ready");
    assert.deepEqual(Object.values(await site.status()).map(({ state }) => state), ["running", "running"]);
  });

  test("the reactor of a minion calls functions with the master behind them, refuses what needs a master, and stops a loop", async () => {
    await using site = new Site();
    const roots = path.join(site.directory, "roots");
    const files: Record<string, string> = {
      "top.sls": "base:\n  '*': [all]\n",
      "all.sls": "of_master: 'yes'\n",
      "tell.sls":
        "x:\n  caller.event.send:\n    - args:\n      - tag: told\n      - data: {n: {{ data.n }}}\n      - with_pillar: [of_master]\n",
      "job.sls": "x:\n  local.test.ping:\n    - tgt: '*'\ny:\n  runner.manage.up: []\nz:\n  wheel.key.list_all: []\n",
      "loop.sls": "x:\n  caller.event.fire:\n    - args:\n      - tag: my/loop\n      - data: {}\n",
    };
    mkdirSync(roots, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(roots, name), text);
    await site.start([], { pillar_roots: { base: [roots] } });
    await site.startMinion([{ reactor: { worker_threads: 1 } }], {
      reactor: ["tell", "job", "loop"].map((name) => ({ [`my/${name}`]: [path.join(roots, `${name}.sls`)] })),
    });
    await site.event("salt/minion/web1/engines/reactor", ({ state }) => state === "running");
    const { net, clock } = await currentRuntime();
    const run = path.join(site.directory, "minion", "run");
    const pull = () => readdirSync(run).find((name) => /^minion_event_.*_pull\.ipc$/.test(name));
    await until("the minion's bus is there", () => pull() !== undefined);
    const bus = await sendToBus(net, { kind: "unix", path: path.join(run, pull()!) });
    // It listens some time after its process has started.
    for (let n = 0; !site.events.some(({ tag }) => tag === "told"); n++) {
      assert.ok(n < 300, site.minion!.said.slice(-2000));
      bus.send(packEvent("my/tell", { n }, { now: clock.now() }));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const { data } = await site.event("told");
    assert.deepEqual((data as Record<string, unknown>).pillar, { of_master: "yes" });
    bus.send(packEvent("my/job", {}, { now: clock.now() }));
    for (const type of ["local", "runner", "wheel"]) await site.minion!.saying(`${type} needs a master`);
    bus.send(packEvent("my/loop", {}, { now: clock.now() }));
    await site.minion!.saying("reaction stopped: it causes its own event");
    assert.equal(site.minion!.ended, false);
    await bus.close();
  });
});
