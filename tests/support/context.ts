import { systemClock } from "../../src/base/async/clock.ts";
import { openFiles } from "../../src/content/fileserver/client.ts";
import type { Context, Files, JobControl, MasterLink } from "../../src/model/loader/family.ts";
import { hostContext } from "../../src/model/loader/host_context.ts";
import {
  createFunctionTable,
  type FunctionTable,
  functionTableOptions,
  type ModuleRegistry,
} from "../../src/model/loader/loader.ts";
import { createLogger, type LogRecord } from "../../src/base/log.ts";
import { executeJob, type ExecuteOptions, type JobOutcome } from "../../src/host/minion/processes/execute_job.ts";
import { MODULES } from "../../src/plugins/modules/mod.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

/** A minion for tests: what a job sees of it, and a way to run jobs. */
export interface TestMinion {
  runtime: Runtime;
  context: Context;
  functions: FunctionTable;
  /** What was logged so far. */
  records: LogRecord[];
  /** Events fired so far, on either bus. */
  events: { bus: "local" | "master"; tag: string; data: Record<string, unknown> }[];
  /** Runs one job: the function, then its `arg` as it is on the wire. */
  run(
    fun: unknown,
    arg?: unknown[],
    more?: Partial<ExecuteOptions> & { load?: Record<string, unknown> },
  ): Promise<JobOutcome>;
  /** The return of a job, which must not fail. */
  value(fun: string, ...arg: unknown[]): Promise<unknown>;
}

export interface TestMinionOptions {
  runtime?: Partial<Runtime>;
  modules?: ModuleRegistry;
  opts?: Record<string, unknown>;
  grains?: Record<string, unknown>;
  pillar?: Record<string, unknown>;
  jobs?: JobControl;
  /** @default a master that notes its events */
  master?: MasterLink | null | undefined;
}

/** Keyword arguments as they stand in `arg`. */
export function kwargs(values: Record<string, unknown>): Record<string, unknown> {
  return { __kwarg__: true, ...values };
}

/** A minion on the runtime of the test, with the execution modules of Brine and those given. */
export async function testMinion(options: TestMinionOptions = {}): Promise<TestMinion> {
  const runtime: Runtime = { ...await currentRuntime(), clock: systemClock, ...options.runtime };
  const records: LogRecord[] = [];
  const events: TestMinion["events"] = [];
  const log = createLogger((record) => records.push(record), "all");
  const master: MasterLink = {
    fireEvent: (tag, data) => {
      events.push({ bus: "master", tag, data });
      return Promise.resolve(true);
    },
    fireLocal: (tag, data) => void events.push({ bus: "local", tag, data }),
    request: () => Promise.reject(new Error("There is no master in this test")),
  };
  let files: Files | undefined;
  const chosen = functionTableOptions(options.opts ?? {});
  const functions = createFunctionTable({ ...MODULES, ...options.modules }, () => context, chosen);
  const context: Context = hostContext(functions, {
    runtime,
    log,
    // The recorded runs are of the one release that gave published commands no shell; which Python a host has is not theirs.
    opts: { cmd_published_shell: false, python: false, ...options.opts },
    grains: options.grains ?? {},
    pillar: options.pillar ?? {},
    jobs: options.jobs ?? { running: () => [], signal: () => undefined },
    master: options.master === null ? undefined : options.master ?? master,
    get files() {
      return files ??= openFiles({ runtime, log, opts: context.opts, request: undefined });
    },
  });
  const run: TestMinion["run"] = (fun, arg = [], more = {}) => {
    const load = {
      fun,
      arg,
      tgt: "alpha",
      jid: "20240101000000000000",
      ret: "",
      tgt_type: "glob",
      user: "root",
      ...more.load,
    };
    return executeJob({ functions, context: () => context, ...more, load });
  };
  return {
    runtime,
    context,
    functions,
    records,
    events,
    run,
    async value(fun, ...arg) {
      const outcome = await run(fun, arg);
      if (outcome.out === "nested" && outcome.success === false) throw new Error(String(outcome.return));
      return outcome.return;
    },
  };
}
