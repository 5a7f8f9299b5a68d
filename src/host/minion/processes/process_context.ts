import { openFiles } from "../../../content/fileserver/client.ts";
import type { Context, MasterLink } from "../../../model/loader/family.ts";
import { hostContext, hostFunctions } from "../../../model/loader/host_context.ts";
import type { OpenHostMaster } from "../../../model/loader/host_master.ts";
import type { FunctionTable, ModuleRegistry } from "../../../model/loader/loader.ts";
import type { Logger } from "../../../base/log.ts";
import type { AnyMap } from "../../../language/python/values.ts";
import type { PartHost } from "../../../feature/supervise/serve_part.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { JobFiles } from "./job_files.ts";
import { unpackMinionState } from "./minion_state.ts";

export interface ProcessContextOptions {
  runtime: Runtime;
  modules: ModuleRegistry;
  /** See {@link Context.hostMaster}. */
  hostMaster?: (log: Logger) => OpenHostMaster;
}

/** The context that a job runs with in its own process. */
export interface ProcessContext {
  context: Context;
  functions: FunctionTable;
  /** The grains of the context, which a job may change. */
  grains: Record<string, unknown>;
}

/** Makes the {@link Context} of a job in its own process: the minion's state and log, and its services, which are asked for. */
export function processContext(
  { runtime, modules, hostMaster }: ProcessContextOptions,
  minion: PartHost,
  log: Logger,
  packedState: Uint8Array,
): ProcessContext {
  const { opts, grains, pillar, master } = unpackMinionState(packedState);
  const files = new JobFiles(runtime, log.child("files"), opts, minion);
  const functions = hostFunctions(modules, opts, () => context);
  const context = hostContext(functions, {
    runtime,
    log,
    opts,
    grains,
    pillar,
    jobs: {
      running: () => minion.ask("running") as Promise<Record<string, unknown>[]>,
      signal: async (jid, signal) => await minion.ask("signal", jid, signal) as { pid: number } | null ?? undefined,
    },
    master: master ? masterOver(minion) : undefined,
    compilePillar: async (call) => await minion.ask("pillar", call) as AnyMap,
    hostMaster: hostMaster?.(log)(opts),
    files: openFiles({
      runtime,
      log: log.child("files"),
      opts,
      request: master ? files.request : undefined,
      done: files.done,
    }),
  });
  return { context, functions, grains };
}

function masterOver(minion: PartHost): MasterLink {
  return {
    fireEvent: async (tag, data) => await minion.ask("fireEvent", tag, data) === true,
    fireLocal: (tag, data) => minion.tell("fireLocal", tag, data),
    request: (load, how = {}) => minion.ask("master", load, how),
    askLocal: async (...question) =>
      await minion.ask("askLocal", ...question) as Record<string, unknown> | null ?? undefined,
  };
}
