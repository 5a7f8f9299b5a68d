import { openFiles } from "../../../content/fileserver/client.ts";
import type { Context, MasterLink } from "../../../model/loader/context.ts";
import { hostContext, hostFunctions } from "../../../model/loader/host_context.ts";
import type { OpenHostMaster } from "../../../model/loader/host_master.ts";
import type { FunctionTable, ModuleRegistry } from "../../../model/loader/loader.ts";
import { createLogger, type LogFields, type Logger, type LogLevel } from "../../../base/log.ts";
import type { AnyMap } from "../../../language/python/containers.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { JobFiles } from "./job_files.ts";
import type { MinionLink } from "./minion_link.ts";
import { isPackable, unpackMinionState } from "./minion_state.ts";

export interface ProcessContextOptions {
  runtime: Runtime;
  modules: ModuleRegistry;
  /** See {@link Context.hostMaster}. */
  hostMaster?: (log: Logger) => OpenHostMaster;
}

/** What a job runs with in its own process. */
export interface ProcessContext {
  context: Context;
  functions: FunctionTable;
  /** The grains of the context, which a job may change. */
  grains: Record<string, unknown>;
}

/** Makes the {@link Context} of a job in its own process: the minion's state, and its services by way of the link. */
export function processContext(
  { runtime, modules, hostMaster }: ProcessContextOptions,
  link: MinionLink,
  packedState: Uint8Array,
): ProcessContext {
  const { opts, grains, pillar, level, master } = unpackMinionState(packedState);
  const log = loggerOver(link, level);
  const files = new JobFiles(runtime, log.child("files"), opts, link);
  const functions = hostFunctions(modules, opts, () => context);
  const context = hostContext(functions, {
    runtime,
    log,
    opts,
    grains,
    pillar,
    jobs: {
      running: () => link.request("running") as Promise<Record<string, unknown>[]>,
      signal: async (jid, signal) => await link.request("signal", jid, signal) as { pid: number } | null ?? undefined,
    },
    master: master ? masterOver(link) : undefined,
    compilePillar: async (call) => await link.request("pillar", call) as AnyMap,
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

function masterOver(link: MinionLink): MasterLink {
  return {
    fireEvent: async (tag, data) => await link.request("fireEvent", tag, data) === true,
    fireLocal: (tag, data) => link.send({ type: "fireLocal", tag, data }),
    request: (load, how = {}) => link.request("master", load, how),
    askLocal: async (...question) =>
      await link.request("askLocal", ...question) as Record<string, unknown> | null ?? undefined,
  };
}

/** A logger whose records the minion writes. */
function loggerOver(link: MinionLink, threshold: LogLevel): Logger {
  return createLogger(({ level, name, message, fields }) => {
    link.send({ type: "log", level, name, message, fields: packableFields(fields) });
  }, threshold);
}

function packableFields(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (value instanceof Error) return [name, value.message];
      return [name, isPackable(value) ? value : String(value)];
    }),
  );
}
