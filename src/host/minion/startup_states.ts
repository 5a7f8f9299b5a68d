import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { messageOf } from "../../base/errors.ts";
import { newJid } from "../../model/job/jid.ts";
import type { MasterLink } from "../../model/loader/family.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { returnLoad } from "./jobs/return_load.ts";
import type { RunningJobs } from "./jobs/running_jobs.ts";
import { packReturn } from "./processes/execute_job.ts";
import type { Execution } from "./processes/execution.ts";

interface StartupStatesOptions {
  runtime: Runtime;
  opts: MinionOpts;
  log: Logger;
  runningJobs: RunningJobs;
  execution: Execution;
  /** Sends a request to the master; undefined without a master. */
  request: MasterLink["request"] | undefined;
}

/** The function that the option `startup_states` asks for, and its arguments; undefined for none. */
function startupFunction(
  { startup_states, sls_list, top_file }: Pick<MinionOpts, "startup_states" | "sls_list" | "top_file">,
): { fun: string; arg: unknown[] } | undefined {
  if (startup_states === "") return undefined;
  if (startup_states === "sls") return { fun: "state.sls", arg: [sls_list] };
  if (startup_states === "top") return { fun: "state.top", arg: [top_file] };
  return { fun: "state.highstate", arg: [] };
}

/**
 * Runs the states of `startup_states`, once the minion is served. Their return goes to the master as that of a job which nobody has
 * published; never rejects.
 */
export async function runStartupStates(options: StartupStatesOptions): Promise<void> {
  const { runtime: { clock }, opts, log, runningJobs, execution, request } = options;
  const called = startupFunction(opts);
  if (called === undefined) return;
  const load = { ...called, jid: newJid(clock), tgt: opts.id, tgt_type: "glob", ret: "", user: "root" };
  const running = runningJobs.begin(load.jid, load);
  log.info("running startup states (startup_states)", { fun: load.fun });
  try {
    const { signal, ownProcess } = running;
    const outcome = await execution.run({ load, signal, ownProcess, output: undefined });
    log.info("startup states have run", { fun: load.fun, retcode: outcome.retcode });
    // The master finds a jid for it.
    await request?.(returnLoad(opts.id, { ...load, jid: "req" }, packReturn(outcome)));
  } catch (error) {
    if (!running.signal.aborted) log.error("startup states failed", { fun: load.fun, error: messageOf(error) });
  } finally {
    running.end();
  }
}
