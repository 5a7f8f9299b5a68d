/** Parts as real processes: requests, last words, processes that hang, and a host that is killed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../../bench/bed/until.ts";
import { systemClock } from "../../../src/base/async/clock.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { Supervisor } from "../../../src/feature/supervise/supervisor.ts";
import type { WorkerPool } from "../../../src/feature/supervise/worker_pool.ts";
import { type CapturedLog, captureLog } from "../../support/capture_log.ts";

const TIMEOUT = { timeout: 120_000 };
const onDeno = process.versions.deno !== undefined;
const FLAGS = onDeno ? ["run", "-A", "--quiet", "--no-check", "--node-modules-dir=manual"] : [];
const program = (file: string) => [process.execPath, ...FLAGS, fileURLToPath(new URL(file, import.meta.url))];

interface Bed extends AsyncDisposable {
  directory: string;
  captured: CapturedLog;
  workers: WorkerPool;
  ask(kind: string): Promise<unknown>;
}

async function bed(): Promise<Bed> {
  const directory = mkdtempSync(path.join(tmpdir().length > 40 ? "/tmp" : tmpdir(), "brine-part-"));
  const captured = captureLog();
  const supervisor = new Supervisor({
    runtime: { ...await currentRuntime(), clock: systemClock },
    log: captured.log,
    socket: { kind: "unix", path: path.join(directory, "parts.ipc") },
  });
  const workers = supervisor.workers({
    name: "test",
    argv: program("./part_child.ts"),
    config: () => ({ directory, "a key": [1.5, null] }),
    size: 2,
    health: { beatMs: 100, hungMs: 10_000 },
  });
  return {
    directory,
    captured,
    workers,
    ask: (kind) => workers.call({ kind, owner: kind, label: kind, body: Uint8Array.of(1, 255) }),
    async [Symbol.asyncDispose]() {
      await supervisor.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

describe("processes of parts", TIMEOUT, () => {
  test("requests, configuration, errors and the log go to and fro", TIMEOUT, async () => {
    await using here = await bed();
    const { part, config, body } = await here.ask("echo") as Record<string, unknown>;
    assert.deepEqual([part, config], ["test", { directory: here.directory, "a key": [1.5, null] }]);
    assert.deepEqual([...body as Uint8Array], [1, 255]);
    await assert.rejects(here.ask("fail"), /^Error: out of range$/);
    await assert.rejects(here.ask("none"), /Unknown request "none": expected one of echo, pid, log/);
    await here.ask("log");
    const logged = here.captured.records.find(({ message }) => message === "a message")!;
    assert.deepEqual([logged.level, logged.name], ["warning", "part"]);
    assert.deepEqual([logged.fields.value, logged.fields.error], [1.5, "wrong"]);
    const [{ pid, memory }] = here.workers.status().processes as [
      { pid: number; state: string; memory: number | null },
    ];
    assert.equal(await here.ask("pid"), pid);
    if (process.platform === "linux") assert.ok(memory! > 1e6);
  });

  test(
    "a process that ends is replaced, its request is answered, and its last words are reported",
    TIMEOUT,
    async () => {
      await using here = await bed();
      await here.ask("dieOnce");
      const { restarts, last_words } = here.workers.status();
      assert.deepEqual([restarts, last_words], [1, { how: "exit code 7", words: "these are my last words" }]);
    },
  );

  test(
    "processes that hang, stopped or in an endless loop, are replaced, and their requests answered",
    TIMEOUT,
    async () => {
      await using here = await bed();
      await Promise.all([here.ask("stopOnce"), here.ask("loopOnce")]);
      const { restarts, last_words } = here.workers.status();
      assert.deepEqual([restarts, last_words!.how], [2, "killed: it did not answer for 10 s"]);
      const runtime = await currentRuntime();
      for (const file of ["stopped", "looped"]) {
        const pid = Number(readFileSync(path.join(here.directory, file), "utf8"));
        await until(() => !runtime.process.alive(pid));
      }
    },
  );

  test("when its host is killed, not even a stopped process stays", TIMEOUT, async () => {
    const directory = mkdtempSync(path.join(tmpdir().length > 40 ? "/tmp" : tmpdir(), "brine-part-"));
    const runtime = await currentRuntime();
    const [command, ...words] = program("./part_parent.ts");
    const parent = spawn(command!, [...words, directory, ...program("./part_child.ts")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: parent.stdout! })[Symbol.asyncIterator]();
    const pid = Number((await lines.next()).value);
    assert.ok(pid > 0 && runtime.process.alive(pid));
    await until(() => process.platform !== "linux" || /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8")));
    parent.kill("SIGKILL");
    await until(() => !runtime.process.alive(pid));
    rmSync(directory, { recursive: true, force: true });
  });

  test(
    "a guard kills the groups on its list when the process that keeps it has been killed, and no other",
    TIMEOUT,
    async () => {
      const runtime = await currentRuntime();
      const [command, ...words] = program("./guard_parent.ts");
      const parent = spawn(command!, words, { stdio: ["pipe", "pipe", "inherit"] });
      const lines = createInterface({ input: parent.stdout! })[Symbol.asyncIterator]();
      const [first, released, last] = JSON.parse(String((await lines.next()).value)) as [number, number, number];
      parent.kill("SIGKILL");
      await until(() => !runtime.process.alive(first) && !runtime.process.alive(last));
      assert.ok(runtime.process.alive(released));
      process.kill(released, "SIGKILL");
    },
  );
});
