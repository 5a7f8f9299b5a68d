import type { MinionOpts } from "../../config/minion_opts.ts";
import type { Context, JobContext } from "../../loader/context.ts";
import { customFiles } from "../../loader/custom_files.ts";
import type { FunctionTable, ModuleRegistry } from "../../loader/loader.ts";
import type { Logger } from "../../log.ts";
import type { Runtime } from "../../runtime/mod.ts";
import type { SocketAddress } from "../../runtime/net.ts";
import type { JobSession } from "./bulk_requests.ts";
import { isJobFunction } from "../jobs/dispatcher.ts";
import { executeJob, failure, type JobOutcome } from "./executor.ts";
import { type JobCommand, ProcessPool } from "./process_pool.ts";

/** One job to be run. */
export interface ExecutionRequest {
  /** The publication. */
  load: Record<string, unknown>;
  /** Address of the master that sent it; undefined for what the minion does by itself. */
  master?: string;
  /** Aborts when the job is ended from outside. */
  signal: AbortSignal;
  /** Hears of each process that works for the job: the job's own comes first, if it has one. */
  ownProcess(pid: number): void;
  /** Where output goes while the job runs, if its caller wants it. */
  output: JobContext["output"];
  /**
   * Called when whatever runs the job is there, right before its function: it begins once that resolves, and does not if it
   * rejects.
   */
  begin?(): Promise<void>;
}

/** Runs jobs: in this process, or each in one of its own. */
export interface Execution {
  /**
   * Rejects with the signal's reason when the job is ended from outside; every other failure is an outcome. The return may
   * be packed already.
   */
  run(request: ExecutionRequest): Promise<JobOutcome>;
  /** Lets no job begin in a process that was started before: it has another environment than the minion has now. */
  renew(): void;
  close(): Promise<void>;
}

export interface InProcessOptions {
  functions: FunctionTable;
  /** The state of the minion as a job begins. @param master address of the master that the job is of */
  context(master?: string): Context;
  /** How the information of a command's failure is shown: the nested outputter. */
  formatInfo?(info: unknown): string;
}

export interface ExecutionOptions extends InProcessOptions {
  runtime: Runtime;
  log: Logger;
  opts: MinionOpts;
  modules: ModuleRegistry;
  /** How a process for a job is started; without it all jobs run in this one. */
  jobCommand: JobCommand | undefined;
  /** Where such processes report. */
  socket: SocketAddress;
  /** See {@link ProcessPoolOptions}. */
  session?(stale?: string, master?: string): Promise<JobSession>;
}

/** Runs jobs in this process. */
export function inProcess({ functions, context, formatInfo }: InProcessOptions): Execution {
  return {
    run: async (request) => {
      await request.begin?.();
      return await executeJob({ functions, formatInfo, ...request, context: () => context(request.master) });
    },
    renew: () => {},
    close: () => Promise.resolve(),
  };
}

/** Runs jobs as the options of the minion want it. */
export function openExecution(options: ExecutionOptions): Execution {
  const { runtime, log, opts, jobCommand, socket, context, session } = options;
  const here = inProcess(options);
  let execution = here;
  if (opts.multiprocessing && jobCommand !== undefined) {
    const apart = new ProcessPool({
      runtime,
      log: log.child("job"),
      command: jobCommand,
      socket,
      context,
      session,
      spares: Math.max(0, opts.process_pool_size),
      idleMs: Math.max(0, opts.process_pool_idle) * 1000,
    });
    execution = {
      run: async (request) => await (await isInline(request.load, options) ? here : apart).run(request),
      renew: () => apart.renew(),
      close: () => apart.close(),
    };
  }
  return limited(execution, runtime, (load) => secondsOf(load, opts));
}

/** True if all functions of a job can do no harm in this process. */
async function isInline(load: Record<string, unknown>, options: ExecutionOptions): Promise<boolean> {
  const { runtime, functions, modules, opts } = options;
  // A custom module may have taken the place of ours, and the table of this process not have looked since.
  const custom = customFiles(runtime.fs, opts, "modules");
  for (const fun of [load.fun].flat()) {
    if (typeof fun !== "string") return false;
    if (!opts.multiprocessing_inline && !isJobFunction(fun)) return false;
    // A name that nobody knows makes the table open every module: that is for a process that ends afterwards.
    const module = fun.slice(0, Math.max(0, fun.indexOf(".")));
    if (!Object.hasOwn(modules, module) || (custom.get(module)?.form ?? "foreign") !== "foreign") return false;
    const found = await functions.find(fun);
    if ("message" in found || found.function.inline !== true) return false;
  }
  return true;
}

/** How long a job may take; undefined for as long as it likes. */
function secondsOf(load: Record<string, unknown>, opts: MinionOpts): number | undefined {
  const { delivery } = load;
  const own = typeof delivery === "object" && delivery !== null && "timeout" in delivery
    ? Number(delivery.timeout)
    : undefined;
  const seconds = own !== undefined && own > 0 ? own : opts.job_timeout;
  return seconds > 0 ? seconds : undefined;
}

/** The return code of a job that took too long: that of the program `timeout`. */
const TIMED_OUT = 124;

/** Ends jobs that take too long. */
export function limited(
  execution: Execution,
  { clock }: Pick<Runtime, "clock">,
  secondsOf: (load: Record<string, unknown>) => number | undefined,
): Execution {
  return {
    async run(request) {
      const seconds = secondsOf(request.load);
      if (seconds === undefined) return await execution.run(request);
      const late = new AbortController();
      const text = `The job was ended after ${seconds} seconds (job_timeout)`;
      const cancel = clock.after(seconds * 1000, () => late.abort(new Error(text)));
      try {
        return await execution.run({ ...request, signal: AbortSignal.any([request.signal, late.signal]) });
      } catch (error) {
        if (!late.signal.aborted || request.signal.aborted) throw error;
        return { ...failure(text), retcode: TIMED_OUT, ended: "timed out" };
      } finally {
        cancel();
      }
    },
    renew: () => execution.renew(),
    close: () => execution.close(),
  };
}
