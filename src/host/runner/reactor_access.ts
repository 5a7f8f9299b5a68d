/** How runners reach the reactor of the master on this host, and try what it would do. */
import { OwnKey } from "../../client/own_key.ts";
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { joinPath } from "../../base/paths.ts";
import { messageOf } from "../../base/errors.ts";
import { askBus } from "../../model/event/ask_bus.ts";
import { listenBus } from "../../model/event/bus_client.ts";
import { subscribeBus } from "../../model/event/bus_subscription.ts";
import { OWN_BUS } from "../../model/event/bus.ts";
import { requestedReactor } from "../../model/config/requested_reactor.ts";
import type { ReactorAccess } from "../../model/loader/family.ts";
import { Rendering } from "../../model/loader/rendering.ts";
import { callContext } from "../../model/loader/template_functions.ts";
import type { Logger } from "../../base/log.ts";
import { ANSWERS, requestProof, requestTag } from "../../feature/reactor/manage_requests.ts";
import { compileReactions, type Reaction } from "../../feature/reactor/compile_reactions.ts";
import { reactionCall } from "../../feature/reactor/reaction_call.ts";
import { ReactorRules } from "../../feature/reactor/reactor_rules.ts";
import { str } from "../../language/python/values.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { parseYaml } from "../../language/yaml/document.ts";
import { openOwnMinion } from "./call_execution_function.ts";
import type { OpenRunner } from "./runner_host_options.ts";
import type { RunnerPlugins } from "./runner_plugins.ts";
import { parseSignature, type Signature } from "../../model/loader/signature.ts";
import { withCustomWheels } from "../../model/loader/wheel.ts";
import { findRunner, runnersOf } from "./runner_registry.ts";

/** Finds signatures of runners and wheel functions, also custom ones; undefined for unknown functions. */
export function signatureOnMaster(
  host: { runtime: Runtime; log: Logger; opts: MasterOpts; plugins: RunnerPlugins },
): (type: "runner" | "wheel", name: string) => Promise<Signature | undefined> {
  return async (type, name) => {
    if (type === "runner") {
      const found = await findRunner(runnersOf(host), name);
      return found === undefined ? undefined : parseSignature(found.signature);
    }
    const [module = "", fun = ""] = name.split(".");
    const wheels = withCustomWheels(await host.plugins.wheels(), host);
    if (!Object.hasOwn(wheels, module)) return undefined;
    const { functions } = (await wheels[module]!()).wheel;
    return Object.hasOwn(functions, fun) ? parseSignature(functions[fun]!.signature) : undefined;
  };
}

/** How long a runner waits for the reactor's answer, as in Salt. */
const ANSWER_MS = 30_000;

export interface ReactorAccessOptions {
  runtime: Runtime;
  log: Logger;
  opts: MasterOpts;
  plugins: RunnerPlugins;
  openRunner: OpenRunner;
  /** The job of the runner itself. */
  jid: string;
  fire(tag: string, data: Record<string, unknown>): void;
}

export function reactorAccess(options: ReactorAccessOptions): ReactorAccess {
  const { opts } = options;
  return {
    isConfigured: requestedReactor(opts),
    ask: (operation, fields) => askReactor(options, operation, fields),
    test: (tag, data, reactors) => testReactions(options, tag, data, reactors),
  };
}

/** Fires a request, and waits for the answer; undefined if none comes. */
async function askReactor(
  { runtime, opts, jid, fire }: ReactorAccessOptions,
  operation: keyof typeof ANSWERS,
  fields: Record<string, unknown>,
): Promise<Record<string, unknown> | undefined> {
  const { net, fs, clock, crypto } = runtime;
  const own = joinPath(opts.sock_dir, OWN_BUS);
  const isBrine = fs.stat(own) !== undefined;
  const key = new OwnKey(runtime, opts.cachedir, opts.user).value;
  const tag = `salt/run/${jid}/${requestTag(operation)}`;
  // A Salt reactor requires the key in the event; no other listener may see it.
  const request = isBrine ? { ...fields, at: clock.now() } : { ...fields, key };
  return await askBus({
    clock,
    listen: (onEvent, onClose) =>
      isBrine
        ? subscribeBus(net, { kind: "unix", path: own }, { onEvent, onMissed: () => {}, onClose })
        : listenBus(net, { kind: "unix", path: joinPath(opts.sock_dir, "master_event_pub.ipc") }, onEvent, onClose),
    fire(of, data) {
      fire(of, data);
      return Promise.resolve(true);
    },
    ...(isBrine ? {} : { probe: `salt/run/${jid}/probe` }),
  }, {
    tag,
    data: isBrine ? { ...request, proof: requestProof(crypto, key, tag, request) } : request,
    answer: ANSWERS[operation],
    timeoutMs: ANSWER_MS,
  });
}

/** Returns what would react to an event; nothing is called except by the templates themselves. */
async function testReactions(
  options: ReactorAccessOptions,
  tag: string,
  data: Record<string, unknown>,
  reactors: readonly string[] | undefined,
): Promise<unknown> {
  const { runtime, log, opts } = options;
  const references = reactors ?? (await rulesInUse(options)).for(tag);
  const { functions, context } = await openOwnMinion({ ...options, screen: { line: () => {} } });
  const rendering = new Rendering(callContext({ functions, context: () => context }));
  const host = { fs: runtime.fs, files: context.files, rendering };
  const { reactions, problems } = await compileReactions(host, { tag, data }, references);
  const errors = problems.map(({ sls, line, message }) => ({
    sls,
    ...line === undefined ? {} : { line },
    error: message,
  }));
  const shown = [];
  for (const reaction of reactions) {
    try {
      shown.push(
        shownReaction(
          reaction,
          await reactionCall(reaction.chunk, signatureOnMaster({ runtime, log, opts, plugins: options.plugins })),
        ),
      );
    } catch (error) {
      const { sls, line, id } = reaction;
      errors.push({ sls, ...line === undefined ? {} : { line }, error: `${id}: ${messageOf(error)}` });
    }
  }
  return { tag, sls: [...references], reactions: shown, errors };
}

function shownReaction(
  { id, sls, line, chunk }: Reaction,
  { type, fun, arg, kwarg, job }: Awaited<ReturnType<typeof reactionCall>>,
): Record<string, unknown> {
  return {
    id,
    sls,
    ...line === undefined ? {} : { line },
    type,
    fun: str(fun),
    ...job === undefined ? {} : { tgt: job.tgt, tgt_type: job.tgt_type ?? "glob" },
    arg,
    kwarg,
    order: chunk.order,
  };
}

/** Returns the reactions of the running reactor, or those of the configuration if none runs. */
async function rulesInUse(options: ReactorAccessOptions): Promise<ReactorRules> {
  const { runtime: { fs }, log, opts } = options;
  let reactor = opts.reactor;
  if (typeof reactor !== "string" && requestedReactor(opts)) {
    const answer = await askReactor(options, "list", {}).catch(() => undefined);
    reactor = answer?.reactors ?? reactor;
  }
  return new ReactorRules({ fs, log, parse: (text) => parseYaml(text).value, reactor });
}
