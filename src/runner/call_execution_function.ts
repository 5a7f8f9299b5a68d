import type { MasterOpts } from "../config/master_opts.ts";
import { openFiles } from "../fileserver/mod.ts";
import type { Context } from "../loader/context.ts";
import type { Logger } from "../log.ts";
import type { Runtime } from "../runtime/mod.ts";
import type { RunnerPlugins } from "./runner_plugins.ts";

/** Calls an execution function on this host, with the master's configuration as its options and without a minion. */
export async function callExecutionFunction(
  { runtime, log, opts, plugins }: { runtime: Runtime; log: Logger; opts: MasterOpts; plugins: RunnerPlugins },
  fun: string,
  positional: unknown[],
  keyword: Record<string, unknown>,
): Promise<unknown> {
  const [{ callFunction, MissingFunctionError }, { hostContext, hostFunctions }, { modules, gatherGrains }] =
    await Promise.all([
      import("../minion/processes/executor.ts"),
      import("../loader/host_context.ts"),
      plugins.execution(),
    ]);
  const values: Record<string, unknown> = { ...opts, file_client: "local" };
  const grains = await gatherGrains({ runtime, log, opts: values });
  const functions = hostFunctions(modules, {}, () => base);
  const base: Context = hostContext(functions, {
    runtime,
    log: log.child("module"),
    opts: values,
    grains,
    pillar: {},
    jobs: { running: () => [], signal: () => undefined },
    master: undefined,
    files: openFiles({ runtime, log: log.child("files"), opts: values, request: undefined }),
  });
  const named = Object.keys(keyword).length === 0 ? [] : [{ __kwarg__: true, ...keyword }];
  try {
    const load = { fun, arg: [...positional, ...named] };
    return (await callFunction({ functions, context: () => base, load, published: {} })).return;
  } catch (error) {
    if (!(error instanceof MissingFunctionError)) throw error;
    return `'${fun}' is not available.`;
  }
}
