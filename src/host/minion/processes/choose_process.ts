import type { MinionOpts } from "../../../model/config/minion_opts.ts";
import { customFiles } from "../../../model/loader/custom_files.ts";
import type { FunctionTable, ModuleRegistry } from "../../../model/loader/loader.ts";
import type { Logger } from "../../../base/log.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { SocketAddress } from "../../../runtime/net.ts";
import { isJobFunction } from "../jobs/dispatcher.ts";
import type { Execution } from "./execution.ts";
import { jobTimeout, withJobTimeout } from "./job_timeout.ts";
import type { JobCommand, PooledJobOwner } from "./pooled_process.ts";
import { ProcessPool } from "./process_pool.ts";
import type { Context } from "../../../model/loader/family.ts";
import { executeJob } from "./execute_job.ts";

interface InProcessOptions {
  functions: FunctionTable;
  /** The state of the minion as a job begins. @param master address of the master that sent the job */
  context(master?: string): Context;
  /** Formats the information of a command's failure: the nested outputter. */
  formatInfo?: ((info: unknown) => string) | undefined;
}

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

interface ExecutionOptions extends InProcessOptions {
  runtime: Runtime;
  log: Logger;
  opts: MinionOpts;
  modules: ModuleRegistry;
  /** Starts the process of a job; undefined = all jobs run in this process. */
  jobCommand: JobCommand | undefined;
  /** The socket that the processes of jobs report to. */
  socket: SocketAddress;
  session?: PooledJobOwner["session"];
}

/**
 * Runs jobs as the minion's options say: each in a process of its own (`multiprocessing`), those of harmless functions in this
 * one (`multiprocessing_inline`), and none for longer than `job_timeout`.
 */
export function openExecution(options: ExecutionOptions): Execution {
  const { runtime, log, opts, jobCommand, socket, context, session } = options;
  const here = inProcess(options);
  let execution = here;
  if (opts.multiprocessing && jobCommand !== undefined) {
    const pool = new ProcessPool({
      runtime,
      log: log.child("job"),
      command: jobCommand,
      socket,
      context,
      session,
      maxMemory: opts.job_max_memory || Infinity,
      spares: Math.max(0, opts.process_pool_size),
      idleMs: Math.max(0, opts.process_pool_idle) * 1000,
    });
    execution = {
      run: async (request) => await (await isInline(request.load, options) ? here : pool).run(request),
      renew: () => pool.renew(),
      close: () => pool.close(),
    };
  }
  return withJobTimeout(execution, runtime, (load) => jobTimeout(load, opts));
}

/** True if every function of a job can run in this process without harm. */
async function isInline(load: Record<string, unknown>, options: ExecutionOptions): Promise<boolean> {
  const { runtime, functions, modules, opts } = options;
  // A custom module may have replaced a module of Brine since the function table of this process was built.
  const custom = customFiles(runtime, opts, "modules");
  for (const fun of [load.fun].flat()) {
    if (typeof fun !== "string") return false;
    if (!opts.multiprocessing_inline && !isJobFunction(fun)) return false;
    // An unknown name would make the table load every module: leave that to the process of the job, which ends afterwards.
    const module = fun.slice(0, Math.max(0, fun.indexOf(".")));
    if (!Object.hasOwn(modules, module) || (custom.get(module)?.form ?? "foreign") !== "foreign") return false;
    const found = await functions.find(fun);
    if ("message" in found || found.function.inline !== true) return false;
  }
  return true;
}
