import type { MasterOpts } from "../../model/config/master_opts.ts";
import { completeOptions } from "../../model/config/load.ts";
import { MINION_OPTIONS } from "../../model/config/minion_opts.ts";
import { openFiles } from "../../content/fileserver/client.ts";
import { masterId } from "../master/master_id.ts";
import type { Context } from "../../model/loader/family.ts";
import type { FunctionTable } from "../../model/loader/loader.ts";
import type { CompilePillar } from "../../model/loader/pillar_link.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { ownHostMaster } from "./host_master.ts";
import type { OpenRunner, RunnerScreen } from "./runner_host_options.ts";
import type { RunnerPlugins } from "./runner_plugins.ts";

/**
 * Returns the options of the minion that a master is for itself: the defaults of minions, overridden by the master's configuration.
 *
 * @see salt/config/__init__.py mminion_config
 */
function ownMinionOpts(opts: MasterOpts, hostname: string): Record<string, unknown> {
  const own = { id: masterId(opts, hostname), file_client: "local", __role: "master" };
  return { ...completeOptions(MINION_OPTIONS, {}).opts, ...opts, ...own };
}

interface CallHost {
  runtime: Runtime;
  log: Logger;
  opts: MasterOpts;
  plugins: RunnerPlugins;
  openRunner: OpenRunner;
  /** Where lines for the caller are shown. */
  screen: Pick<RunnerScreen, "line">;
  /** The runner that calls, if one does. */
  jid?: string;
  user?: string;
}

/** The minion that a master is for itself: its functions, and the context that they get. */
export interface OwnMinion {
  functions: FunctionTable;
  context: Context;
}

/** Opens the execution functions of this host, with the master's configuration as their options and without a minion. */
export async function openOwnMinion(
  { runtime, log, opts, plugins, openRunner, screen, jid, user }: CallHost,
): Promise<OwnMinion> {
  const [{ hostContext, hostFunctions }, { modules, gatherGrains }] = await Promise.all([
    import("../../model/loader/host_context.ts"),
    plugins.execution(),
  ]);
  const values = ownMinionOpts(opts, runtime.host.hostname());
  const grains = await gatherGrains({ runtime, log, opts: values });
  const compilePillar: CompilePillar = ({ override, ...call }) => {
    const overridden = override === undefined ? {} : { override };
    return plugins.openPillar(runtime, opts, log).compile({ id: String(values.id), grains, ...call, ...overridden });
  };
  const functions = hostFunctions(modules, {}, () => context);
  const calling = { ...(jid === undefined ? {} : { cause: jid }), ...(user === undefined ? {} : { user }) };
  const context: Context = hostContext(functions, {
    runtime,
    log: log.child("module"),
    opts: values,
    grains,
    pillar: {},
    compilePillar,
    hostMaster: ownHostMaster({ runtime, log, plugins, opts, openRunner, line: screen.line, ...calling }),
    jobs: { running: () => [], signal: () => undefined },
    master: undefined,
    files: openFiles({ runtime, log: log.child("files"), opts: values, request: undefined }),
  });
  return { functions, context };
}

/**
 * Calls an execution function on this host, with the master's configuration as its options and without a minion.
 *
 * @param keyword its keyword arguments; `__pub_jid` is the id of its job
 */
export async function callExecutionFunction(
  host: CallHost,
  fun: string,
  positional: unknown[],
  keyword: Record<string, unknown>,
): Promise<unknown> {
  const [{ callFunction, MissingFunctionError }, { functions, context }] = await Promise.all([
    import("../minion/processes/execute_job.ts"),
    openOwnMinion(host),
  ]);
  const { __pub_jid: jid, ...keywords } = keyword;
  const named = Object.keys(keywords).length === 0 ? [] : [{ __kwarg__: true, ...keywords }];
  try {
    const load = { fun, arg: [...positional, ...named], ...(jid === undefined ? {} : { jid }) };
    return (await callFunction({ functions, context: () => context, load, published: {} })).return;
  } catch (error) {
    if (!(error instanceof MissingFunctionError)) throw error;
    return `'${fun}' is not available.`;
  }
}
