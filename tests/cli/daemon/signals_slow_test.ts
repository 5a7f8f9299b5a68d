/** What signals do to daemons and programs, as processes of their own: they answer, and open nothing. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../../bench/bed/until.ts";
import { answerSignals } from "../../../cli/daemon/signals.ts";
import { ownCommand, programCommand } from "../../../cli/programs/job_command.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { captureLog } from "../../support/capture_log.ts";
import { freePort, RunningProgram } from "../../support/running_program.ts";

const cli = fileURLToPath(new URL("../../../cli/", import.meta.url));
const runtime = await currentRuntime();
const linux = process.platform === "linux" ? false : "what a process listens to is read from /proc";

describe("signals", { timeout: 120_000 }, () => {
  const root = mkdtempSync(path.join(tmpdir(), "brine-signals-"));
  const running: RunningProgram[] = [];
  after(() => {
    for (const one of running) if (!one.ended) one.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true });
  });
  let ports: Record<"publish" | "requests" | "http", number>;
  before(async () => {
    ports = { publish: await freePort(), requests: await freePort(), http: await freePort() };
    const common = [
      `root_dir: ${root}`,
      `user: ${execFileSync("id", ["-un"], { encoding: "utf8" }).trim()}`,
      "log_level: info",
      "log_level_logfile: info",
    ];
    writeFileSync(
      path.join(root, "master"),
      [
        ...common,
        "interface: 127.0.0.1",
        `publish_port: ${ports.publish}`,
        `ret_port: ${ports.requests}`,
        "rest_cherrypy:",
        `  port: ${ports.http}`,
        "  host: 127.0.0.1",
        "  disable_ssl: true",
        "",
      ].join("\n"),
    );
    writeFileSync(
      path.join(root, "minion"),
      [...common, "id: web1", "master: 127.0.0.1", `master_port: ${ports.requests}`, ""].join("\n"),
    );
  });

  for (
    const { program, cache, log, said, listens, fields } of [
      {
        program: "salt-master",
        cache: "var/cache/salt/master",
        log: "var/log/salt/master",
        said: "master is running",
        listens: () => [ports.publish, ports.requests],
        fields: ["minions", "sign_ins", "requests_in_progress", "returns_refused"],
      },
      {
        program: "salt-minion",
        cache: "var/cache/salt/minion",
        log: "var/log/salt/minion",
        said: "INFO",
        listens: () => [],
        fields: ["masters", "returns_unsent"],
      },
      {
        program: "salt-api",
        cache: "var/cache/salt/master",
        log: "var/log/salt/api",
        said: "listening",
        listens: () => [ports.http],
        fields: ["servers", "sessions"],
      },
    ]
  ) {
    test(`${program} reports its state, goes on through both, opens no inspector, and finds its log again`, {
      skip: linux,
    }, async () => {
      const daemon = new RunningProgram(program, ["-c", root]);
      running.push(daemon);
      await daemon.saying(said);
      const expected = listens().sort();
      // A minion says something before it is ready to answer.
      for (let tries = 0; daemon.count("status written") === 0 && tries < 100; tries++) {
        daemon.kill("SIGUSR1");
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await daemon.saying("status written");
      const file = path.join(root, cache, `${program}.status.json`);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      const status = JSON.parse(readFileSync(file, "utf8"));
      assert.equal(status.pid, daemon.child.pid);
      assert.ok(status.uptime_seconds >= 0 && status.memory.rss > 0);
      const common = ["event_loop_delay", "last_errors", "parts", "connections", "queues", "jobs"];
      for (const field of [...common, ...fields]) assert.ok(field in status, field);
      await until(`it listens at ${expected} alone`, () => String(daemon.ports()) === String(expected));

      daemon.kill("SIGUSR2");
      await daemon.saying("CPU profile started");
      const before = daemon.count("status written");
      daemon.kill("SIGUSR1");
      await daemon.saying("status written", before + 1);
      await until(`it listens at ${expected} alone`, () => String(daemon.ports()) === String(expected));

      const logFile = path.join(root, log);
      renameSync(logFile, `${logFile}.1`);
      daemon.kill("SIGHUP");
      await until("a new log file", () => existsSync(logFile));
      daemon.kill("SIGUSR1");
      await until("lines in it", () => readFileSync(logFile, "utf8").includes("status written"));
      if (program !== "salt-master") assert.equal(await daemon.end(), 0);
    });
  }

  test("a program of the command line opens no inspector, and goes on through both", { skip: linux }, async () => {
    const mark = path.join(root, "mark");
    const call = new RunningProgram("salt-call", ["-c", root, "--local", "cmd.run", `touch ${mark}; sleep 60`]);
    running.push(call);
    await until("the command runs", () => existsSync(mark));
    call.kill("SIGUSR1");
    call.kill("SIGUSR2");
    // On Deno it is open for a turn of the loop.
    await new Promise((resolve) => setTimeout(resolve, runtime.name === "deno" ? 1000 : 300));
    assert.deepEqual([call.ports(), call.ended], [[], false]);
    await call.end("SIGKILL");
  });

  const early = linux || (runtime.name !== "node" && "on other runtimes the signal ends a program that has not begun");
  test("an inspector that a signal opened before the program began is closed by it", { skip: early }, async () => {
    const slow = path.join(root, "slow.cjs");
    writeFileSync(slow, 'require("fs").writeSync(2, "up\\n"); for (const t = Date.now(); Date.now() - t < 500;);');
    const mark = path.join(root, "mark2");
    const words = ["-c", root, "--local", "cmd.run", `touch ${mark}; sleep 60`];
    const call = new RunningProgram("salt-call", words, ["--require", slow]);
    running.push(call);
    await call.saying("up");
    call.kill("SIGUSR1");
    await call.saying("Debugger listening");
    await until("the command runs", () => existsSync(mark));
    await until("nothing listens", () => call.ports().length === 0);
    await call.end("SIGKILL");
  });
});

test("every program begins with what keeps the inspector shut", () => {
  const programs = readdirSync(cli).filter((name) => /^(?:salt(?:-[a-z]+)?|demo)\.ts$/.test(name));
  assert.ok(programs.length >= 9);
  for (const name of programs) {
    const [first] = /^import .*$/m.exec(readFileSync(path.join(cli, name), "utf8"))!;
    assert.equal(first, 'import "./daemon/no_inspector.ts";', name);
  }
});

test("processes of jobs and runners are started deaf to SIGUSR1 on Node", () => {
  for (const argv of [ownCommand(runtime, "--x"), programCommand(runtime, "salt-minion", "--x")!]) {
    assert.equal(argv.includes("--disable-sigusr1"), runtime.name === "node", argv.join(" "));
  }
});

test("SIGUSR2 makes a profile of a while, readable by its owner alone", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-profile-"));
  const handlers = new Map<string, () => void>();
  const { log, records } = captureLog();
  const off = answerSignals({
    runtime: {
      ...runtime,
      process: {
        ...runtime.process,
        onSignal(signal, handler) {
          handlers.set(signal, handler);
          return () => void handlers.delete(signal);
        },
      },
    },
    log,
    program: "salt-x",
    directory: path.join(directory, "cache"),
    status: () => ({ jobs: 3 }),
    profileMs: 20,
  });
  try {
    handlers.get("SIGUSR2")!();
    handlers.get("SIGUSR2")!();
    await until("the profile", () => records.some(({ message }) => message === "profile written"));
    const file = path.join(directory, "cache", "salt-x.cpuprofile");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(Array.isArray(JSON.parse(readFileSync(file, "utf8")).nodes));
    assert.equal(records.filter(({ message }) => message === "CPU profile started").length, 1);
    // A link in its place is replaced, never followed.
    const elsewhere = path.join(directory, "elsewhere");
    writeFileSync(elsewhere, "untouched");
    symlinkSync(elsewhere, path.join(directory, "cache", "salt-x.status.json"));
    handlers.get("SIGUSR1")!();
    assert.equal(readFileSync(elsewhere, "utf8"), "untouched");
    assert.equal(JSON.parse(readFileSync(path.join(directory, "cache", "salt-x.status.json"), "utf8")).jobs, 3);
  } finally {
    off();
    rmSync(directory, { recursive: true });
  }
  assert.equal(handlers.size, 0);
});
