/** The host of an engine: it gives access to the master, with the rights of the master's user, and to execution functions. */
import { callRunner, callWheel, LocalClient, startRunner } from "../../client/mod.ts";
import { hasReturn } from "../../client/outcome.ts";
import type { PublishRequest } from "../../client/publish_request.ts";
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { messageOf, SaltError } from "../../base/errors.ts";
import { openFiles } from "../../content/fileserver/client.ts";
import { KeyDirectories } from "../master/keys/key_directories.ts";
import { CommandExecutionError, type Context, type MasterLink } from "../../model/loader/family.ts";
import type { EngineContext, EngineMaster } from "../../model/loader/engines.ts";
import { hostContext, hostFunctions } from "../../model/loader/host_context.ts";
import type { Logger } from "../../base/log.ts";
import { callFunction } from "../minion/processes/execute_job.ts";
import { repr, str } from "../../language/python/values.ts";
import { jobPublisher } from "./job_publisher.ts";
import { openOwnMinion, type OwnMinion } from "./call_execution_function.ts";
import { RunnerHost } from "./runner_host.ts";
import type { RunnerPlugins } from "./runner_plugins.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** Milliseconds that a runner of an engine may take: an orchestration takes hours. */
const RUNNER_MS = 24 * 3600 * 1000;

export interface EngineHost {
  runtime: Runtime;
  log: Logger;
  opts: Record<string, unknown>;
  role: "master" | "minion";
  id: string;
  plugins: RunnerPlugins;
  /** How functions fire events. @default they do not */
  fire?: EngineContext["fire"];
}

/** What functions of a minion's engine have of its master: events alone reach it. */
function eventsOnly(fire: EngineContext["fire"], log: Logger): MasterLink {
  return {
    async fireEvent(tag, data) {
      await fire(tag, data);
      return true;
    },
    fireLocal: (tag, data) =>
      void fire(tag, data, { here: true }).catch((error) =>
        log.warning("event not fired", { tag, error: messageOf(error) })
      ),
    request: ({ cmd }) =>
      Promise.reject(
        new CommandExecutionError(`An engine of a minion sends no "${str(cmd)}" to the master: it only fires events`),
      ),
  };
}

/** The master beside which an engine runs. It connects only when the engine asks for something. */
export function masterOf({ runtime, log, opts: values }: EngineHost): EngineMaster {
  const opts = values as MasterOpts;
  let opened: Promise<LocalClient> | undefined;
  const client = () => opened ??= LocalClient.open({ runtime, log, opts, checked: false });
  return {
    jobPublisher: jobPublisher(client, { gatherMs: opts.gather_job_timeout * 1000 }),
    async command(request, { timeoutMs = opts.timeout * 1000 } = {}) {
      const returns: Record<string, unknown> = {};
      let matched = false;
      const collect = { timeoutMs, gatherMs: opts.gather_job_timeout * 1000 };
      for await (const outcome of (await client()).run(request as PublishRequest, collect)) {
        matched = true;
        if (hasReturn(outcome)) returns[outcome.id] = outcome.return;
      }
      return matched ? returns : undefined;
    },
    async runner(fun, arg = [], kwarg = {}) {
      const own = await client();
      return (await startRunner(own, { fun, arg, kwarg, credentials: own.ownCredentials })).jid;
    },
    async runnerReturn(fun, arg = [], kwarg = {}) {
      const own = await client();
      const request = { fun, arg, kwarg, credentials: own.ownCredentials };
      const { data } = await callRunner(own, request, { timeoutMs: RUNNER_MS, clock: runtime.clock });
      if (data.success === false) throw new SaltError("FAILED", str(data.return));
      return data.return;
    },
    async wheel(fun, arg = [], kwarg = {}) {
      const own = await client();
      const { data } = await callWheel(own, { fun, kwarg: { arg, kwarg }, credentials: own.ownCredentials });
      if (data.success === false) throw new SaltError("WHEEL", `Wheel function ${fun} failed: ${repr(data.return)}`);
      return data.return;
    },
    accepted: () => Promise.resolve(new KeyDirectories(runtime.fs, runtime.crypto, opts.pki_dir).list("accepted")),
    async connected() {
      const { connected } = await (await client()).ask("connected", {}) as { connected: Record<string, string> };
      return Object.keys(connected);
    },
  };
}

export function callerOf(host: EngineHost): EngineContext["call"] {
  let opened: Promise<OwnMinion> | undefined;
  return async (fun, positional = [], keyword = {}) => {
    const { functions, context } = await (opened ??= host.role === "master" ? ofMaster(host) : ofMinion(host));
    const named = Object.keys(keyword).length === 0 ? [] : [{ __kwarg__: true, ...keyword }];
    const load = { fun, arg: [...positional, ...named] };
    return (await callFunction({ functions, context: () => context, load, published: {} })).return;
  };
}

function ofMaster({ runtime, log, opts, plugins }: EngineHost): Promise<OwnMinion> {
  return openOwnMinion({
    runtime,
    log,
    opts: opts as MasterOpts,
    plugins,
    openRunner: RunnerHost.open,
    screen: { line: (text) => log.info("output of a function", { text }) },
  });
}

/** Loads the functions of the minion's host, without its masters and its pillar. */
export async function ofMinion({ runtime, log, opts, plugins, fire }: EngineHost): Promise<OwnMinion> {
  const { modules, gatherGrains } = await plugins.execution();
  const grains = await gatherGrains({ runtime, log, opts });
  const functions = hostFunctions(modules, opts, () => context);
  const context: Context = hostContext(functions, {
    runtime,
    log,
    opts,
    grains,
    pillar: {},
    jobs: { running: () => [], signal: () => undefined },
    master: fire && eventsOnly(fire, log),
    files: openFiles({ runtime, log, opts: { ...opts, file_client: "local" }, request: undefined }),
  });
  return { functions, context };
}
