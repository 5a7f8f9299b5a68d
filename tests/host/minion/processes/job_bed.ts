/** A minion's way of running jobs, without the minion. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../../../src/base/async/clock.ts";
import { openFiles } from "../../../../src/content/fileserver/client.ts";
import type { Context, OutputStream } from "../../../../src/model/loader/family.ts";
import { hostContext } from "../../../../src/model/loader/host_context.ts";
import { createFunctionTable, type FunctionTable } from "../../../../src/model/loader/loader.ts";
import type { Execution } from "../../../../src/host/minion/processes/execution.ts";
import type { JobOutcome } from "../../../../src/host/minion/processes/execute_job.ts";
import { RunningJobs } from "../../../../src/host/minion/jobs/running_jobs.ts";
import { ProcessPool, type ProcessPoolOptions } from "../../../../src/host/minion/processes/process_pool.ts";
import type { JobCommand } from "../../../../src/host/minion/processes/pooled_process.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import type { Runtime } from "../../../../src/runtime/runtime.ts";
import { Packed, unpack } from "../../../../src/protocol/wire/msgpack.ts";
import { type CapturedLog, captureLog } from "../../../support/capture_log.ts";
import { TEST_MODULES } from "./job_modules.ts";

/** How a TypeScript file of the tests is run by the runtime that runs the tests. */
export function testProgram(runtime: Runtime, file: string): JobCommand {
  const flags = runtime.name === "deno" ? ["run", "-A", "--quiet", "--no-check", "--node-modules-dir=manual"] : [];
  return { argv: [process.execPath, ...flags, fileURLToPath(new URL(file, import.meta.url))] };
}

export interface JobBed extends AsyncDisposable {
  runtime: Runtime;
  directory: string;
  captured: CapturedLog;
  context: Context;
  functions: FunctionTable;
  jobs: RunningJobs;
  pool: ProcessPool;
  /** Resolves with the data of the first event of that tag, past or to come. */
  event(tag: string): Promise<Record<string, unknown>>;
  /** Runs one job as the minion does; its return unpacked. */
  run(fun: unknown, arg?: unknown[], more?: RunOptions): Promise<JobOutcome>;
}

export interface RunOptions {
  load?: Record<string, unknown> | undefined;
  jid?: string;
  output?: (stream: OutputStream, chunk: Uint8Array) => void | Promise<void>;
  /** @default the pool */
  execution?: Execution;
}

export async function jobBed(options: Partial<ProcessPoolOptions> = {}): Promise<JobBed> {
  const runtime: Runtime = { ...await currentRuntime(), clock: systemClock };
  const directory = mkdtempSync(path.join(tmpdir().length > 40 ? "/tmp" : tmpdir(), "brine-job-"));
  const captured = captureLog();
  const jobs = new RunningJobs(runtime, captured.log, directory);
  jobs.prepare();
  const heard = new Map<string, PromiseWithResolvers<Record<string, unknown>>>();
  const heardOf = (tag: string) => {
    if (!heard.has(tag)) heard.set(tag, Promise.withResolvers());
    return heard.get(tag)!;
  };
  const functions = createFunctionTable(TEST_MODULES, () => context);
  const context: Context = hostContext(functions, {
    runtime,
    log: captured.log,
    opts: { of_the_minion: "yes" },
    grains: { os: "Test", old: 1 },
    pillar: { secret: Uint8Array.of(0xff) },
    jobs,
    master: {
      fireEvent(tag, data) {
        heardOf(tag).resolve(data);
        return Promise.resolve(true);
      },
      fireLocal: (tag, data) => heardOf(tag).resolve(data),
      request: (load, options) => Promise.resolve({ load, options }),
    },
    get files() {
      return files;
    },
  });
  const files = openFiles({ runtime, log: captured.log, opts: context.opts, request: undefined });
  const pool = new ProcessPool({
    runtime,
    log: captured.log,
    command: testProgram(runtime, "./job_child.ts"),
    socket: { kind: "unix", path: path.join(directory, "jobs.ipc") },
    context: () => context,
    spares: 0,
    ...options,
  });
  let last = 20240101000000000000n;
  return {
    runtime,
    directory,
    captured,
    context,
    functions,
    jobs,
    pool,
    event: (tag) => heardOf(tag).promise,
    async run(fun, arg = [], more = {}) {
      const jid = more.jid ?? String(++last);
      const load = { fun, arg, tgt: "alpha", jid, ret: "", tgt_type: "glob", user: "root", ...more.load };
      const job = jobs.begin(jid, load);
      try {
        const outcome = await (more.execution ?? pool).run({
          load,
          signal: job.signal,
          ownProcess: job.ownProcess,
          output: more.output,
        });
        return outcome.return instanceof Packed ? { ...outcome, return: unpack(outcome.return, "wire") } : outcome;
      } finally {
        job.end();
      }
    },
    async [Symbol.asyncDispose]() {
      await pool.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
