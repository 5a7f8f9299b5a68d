/** The pid file: only the process that wrote it, and still runs, keeps another instance from starting. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { claimPidFile, runningInstance } from "../../../cli/daemon/pid_file.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { captureLog } from "../../support/capture_log.ts";

const OTHER = 4711;
const BOOT = 1_700_000_000;
/** When the pid file was written, in seconds. */
const WRITTEN = BOOT + 1000;

interface Other {
  alive?: boolean;
  /** Seconds since boot. */
  started?: number;
  command?: string;
}

/** A directory of files, and a system on which process 4711 is as said. */
async function bed({ alive = true, started = 900, command = "node\0/opt/brine/cli/salt-master.ts\0" }: Other = {}) {
  const runtime = await currentRuntime();
  const directory = mkdtempSync(path.join(tmpdir(), "brine-pid-"));
  const ticks = started * 100;
  const proc: Record<string, string> = {
    [`/proc/${OTHER}/stat`]: `${OTHER} (a ) b) S ${Array(18).fill("0").join(" ")} ${ticks} 0`,
    "/proc/stat": `cpu 1\nbtime ${BOOT}\n`,
    [`/proc/${OTHER}/cmdline`]: command,
  };
  const file = path.join(directory, "run", "salt-master.pid");
  const { log, records } = captureLog();
  return {
    runtime: {
      fs: { ...runtime.fs, readText: (name: string) => proc[name] ?? runtime.fs.readText(name) },
      process: { ...runtime.process, alive: (pid: number) => pid === OTHER ? alive : runtime.process.alive(pid) },
    },
    own: String(runtime.process.pid),
    directory,
    file,
    log,
    records,
    write(text: string, at = WRITTEN) {
      runtime.fs.mkdir(path.dirname(file));
      writeFileSync(file, text);
      utimesSync(file, at, at);
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}

describe("another instance is found", () => {
  test("if it is the first process, as in a container", async () => {
    using place = await bed();
    place.write("1");
    const { fs, process } = place.runtime;
    const container = {
      fs: {
        ...fs,
        readText: (name: string) => {
          if (name === "/proc/1/cmdline") return "/usr/bin/salt-master\0";
          if (name === "/proc/1/stat") throw new Error("not shown");
          return fs.readText(name);
        },
      },
      process: { ...process, pid: 12, alive: () => true },
    };
    assert.equal(runningInstance(container, place.file, "salt-master"), 1);
    assert.equal(runningInstance(container, place.file, "salt-minion"), undefined);
  });

  for (
    const { name, other = {}, text = String(OTHER), found } of [
      { name: "if it runs and had started before it wrote the file", found: true },
      { name: "if its number has a line feed behind it", text: `${OTHER}\n`, found: true },
      { name: "not if it has ended", other: { alive: false }, found: false },
      { name: "not if the process of that number is another program", other: { command: "vim\0" }, found: false },
      {
        name: "not if the process of that number is another instance, which started after the file was written",
        other: { started: 1003 },
        found: false,
      },
      { name: "not if the file has no number", text: "salt", found: false },
      { name: "not if the file has another number behind it", text: `${OTHER} 1`, found: false },
      { name: "not if the file is empty", text: "", found: false },
      {
        name: "not if the file names the first process of the system, which is another program",
        text: "1",
        found: false,
      },
      { name: "not if the file names a group of processes", text: "-1", found: false },
      { name: "not if the file is large", text: "9".repeat(100_000), found: false },
    ] as { name: string; other?: Other; text?: string; found: boolean }[]
  ) {
    test(name, async () => {
      using place = await bed(other);
      place.write(text);
      const { runtime, file, log } = place;
      assert.equal(runningInstance(runtime, file, "salt-master"), found ? OTHER : undefined);
      if (found) {
        assert.throws(
          () => claimPidFile(runtime, file, "salt-master", log),
          /Another salt-master is running as process 4711 .*stop it first/,
        );
        assert.equal(readFileSync(file, "utf8"), text);
      } else {
        const release = claimPidFile(runtime, file, "salt-master", log);
        assert.equal(readFileSync(file, "utf8"), place.own);
        release();
        assert.ok(!existsSync(file));
      }
    });
  }
});

test("a link in place of the pid file is replaced, and what it leads to stays as it is", async () => {
  using place = await bed();
  const { runtime, directory, file, log } = place;
  const victim = path.join(directory, "victim");
  writeFileSync(victim, "keep");
  runtime.fs.mkdir(path.dirname(file));
  symlinkSync(victim, file);
  claimPidFile(runtime, file, "salt-master", log);
  assert.equal(readFileSync(victim, "utf8"), "keep");
  assert.equal(readFileSync(file, "utf8"), place.own);
});

test("the file of another process is not removed at the end", async () => {
  using place = await bed();
  const { runtime, file, log } = place;
  const release = claimPidFile(runtime, file, "salt-master", log);
  writeFileSync(file, "123456");
  release();
  assert.equal(readFileSync(file, "utf8"), "123456");
});

test("a daemon starts without a pid file where none can be written, and says so", async () => {
  using place = await bed();
  const { runtime, directory, log, records } = place;
  writeFileSync(path.join(directory, "file"), "");
  claimPidFile(runtime, path.join(directory, "file", "pid"), "salt-master", log)();
  assert.deepEqual(records.map(({ message }) => message), ["pid file not written"]);
});
