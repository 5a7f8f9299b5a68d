/** How a daemon starts, is told of, reads again and ends: as a process of its own. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { freePort, RunningProgram } from "../../support/running_program.ts";

const linux = process.platform === "linux" ? false : "processes are looked at in /proc";
const runtime = await currentRuntime();
const has = (program: string) => spawnSync(program, ["--version"]).error === undefined;
const noReceiver = has("python3") ? false : "no python3, which receives datagrams of Unix sockets";
const noSender = runtime.net.unixDatagram !== undefined || has("systemd-notify") ? false : "no systemd-notify";

/** Prints each datagram that a Unix socket gets as a line of JSON. */
const RECEIVER = `
import json, socket, sys
name = sys.argv[1]
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("\\0" + name[1:] if name[0] == "@" else name)
print("bound", flush=True)
while True:
    print(json.dumps(s.recv(4096).decode()), flush=True)
`;

/** What a service manager gets. */
class Receiver {
  readonly child: ChildProcess;
  said = "";

  constructor(name: string) {
    this.child = spawn("python3", ["-c", RECEIVER, name], { stdio: ["ignore", "pipe", "inherit"] });
    this.child.stdout!.on("data", (chunk) => this.said += chunk);
  }

  /** What was sent, without the mark by which systemd-notify waits. */
  get messages(): string[] {
    return this.said.split("\n").slice(1).filter((line) => line !== "").map((line) => JSON.parse(line))
      .filter((message) => message !== "BARRIER=1");
  }

  end(): void {
    process.kill(this.child.pid!, "SIGKILL");
  }
}

describe("a daemon", { timeout: 240_000, skip: linux }, () => {
  const root = mkdtempSync(path.join(tmpdir(), "brine-start-"));
  const pidFile = path.join(root, "var/run/salt-master.pid");
  const logFile = path.join(root, "var/log/salt/master");
  const running: RunningProgram[] = [];
  const receivers: Receiver[] = [];
  let options: Record<string, unknown>;
  const configure = (more: Record<string, unknown> = {}) =>
    writeFileSync(path.join(root, "master"), JSON.stringify({ ...options, ...more }));
  const start = (words: string[] = [], env: Record<string, string> = {}) => {
    const daemon = new RunningProgram("salt-master", ["-c", root, ...words], [], env);
    running.push(daemon);
    return daemon;
  };

  before(async () => {
    options = {
      root_dir: root,
      user: execFileSync("id", ["-un"], { encoding: "utf8" }).trim(),
      interface: "127.0.0.1",
      log_level: "info",
      publish_port: await freePort(),
      ret_port: await freePort(),
    };
    configure();
  });
  after(() => {
    for (const one of running) if (!one.ended) one.kill("SIGKILL");
    for (const one of receivers) one.end();
    rmSync(root, { recursive: true, force: true });
  });

  test("-d ends with 0 once it runs, a second one with 1; it is not told of its start in what it starts", async () => {
    const first = start(["-d"]);
    await until("the end of the first", () => first.ended);
    assert.equal(first.code, 0, first.said);
    const pid = Number(readFileSync(pidFile, "utf8"));
    try {
      assert.match(readFileSync(logFile, "utf8"), /master is running/);
      const second = start(["-d"]);
      await until("the end of the second", () => second.ended);
      assert.equal(second.code, 1);
      assert.match(second.said, new RegExp(`Another salt-master is running as process ${pid} `));
    } finally {
      process.kill(pid, "SIGTERM");
    }
    await until("the end of the daemon", () => !existsSync(pidFile));
  });

  test("-d ends with 4 where its port is in use, and says which option to change", async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
    const { port } = holder.address() as { port: number };
    configure({ publish_port: port });
    try {
      const daemon = start(["-d"]);
      await until("its end", () => daemon.ended);
      assert.equal(daemon.code, 4, daemon.said);
      assert.match(
        daemon.said,
        new RegExp(`Port ${port} \\(publish_port\\) is in use on 127.0.0.1: stop the program that listens`),
      );
      assert.ok(!existsSync(pidFile));
    } finally {
      holder.close();
      configure();
    }
  });

  for (const kind of ["a path", "an abstract name"]) {
    test(`systemd is told of its start, its life, a reload and its end, at ${kind}`, {
      skip: noReceiver || noSender,
    }, async () => {
      const name = kind === "a path" ? path.join(root, "notify") : `@brine-test-${path.basename(root)}`;
      const receiver = new Receiver(name);
      receivers.push(receiver);
      await until("the receiver", () => receiver.said.startsWith("bound"));
      const daemon = start([], { NOTIFY_SOCKET: name, WATCHDOG_USEC: "1000000" });
      await until(`signs of life: ${daemon.said}`, () => receiver.messages.length >= 3);
      assert.deepEqual(receiver.messages.slice(0, 3), ["READY=1\nSTATUS=running", "WATCHDOG=1", "WATCHDOG=1"]);
      daemon.kill("SIGHUP");
      await until("the reload", () => receiver.messages.some((message) => message.startsWith("RELOADING=1")));
      await until("its end", () => receiver.messages.filter((message) => message.startsWith("READY=1")).length >= 2);
      assert.equal(await daemon.end(), 0);
      await until(`the end: ${receiver.said}`, () => receiver.messages.at(-1)!.startsWith("STOPPING=1"));
    });
  }

  test("hostile variables of a service manager are named and not used", async () => {
    const daemon = start([], {
      NOTIFY_SOCKET: `relative/${"x".repeat(5000)}\x1b[2J`,
      WATCHDOG_USEC: "-1",
      LISTEN_FDS: "99999999999",
      LISTEN_PID: "1",
    });
    await daemon.saying("master is running");
    assert.match(daemon.said, /NOTIFY_SOCKET is ignored: .*expected a path of at most 107 bytes/);
    assert.match(daemon.said, /WATCHDOG_USEC is ignored: expected a number of microseconds: WATCHDOG_USEC=-1/);
    assert.ok(!daemon.said.includes("\x1b") && daemon.said.length < 10_000);

    // SIGHUP takes new levels, names what needs a restart, and takes nothing of a file that is wrong.
    configure({ log_level: "debug", pub_hwm: 9 });
    daemon.kill("SIGHUP");
    await daemon.saying("configuration reloaded: taken=log_level needs a restart=pub_hwm");
    configure({ job_lost_after: -1 });
    daemon.kill("SIGHUP");
    await daemon.saying(
      "configuration not reloaded: the previous one stays in use: error=The option job_lost_after is -1",
    );
    writeFileSync(path.join(root, "master"), "log_level: [\n  x");
    daemon.kill("SIGHUP");
    await daemon.saying("configuration not reloaded", 2);
    configure({ log_level: "debug" });
    daemon.kill("SIGHUP");
    await daemon.saying("configuration reloaded: taken=nothing");
    configure();
    assert.equal(await daemon.end("SIGINT"), 0);
    assert.match(daemon.said, /stopping: signal=SIGINT/);
  });
});
