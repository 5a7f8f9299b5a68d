import { PythonError } from "../../../language/python/python_error.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import type { MissingFunction } from "../../../model/loader/function_catalog.ts";
import { bindArguments, parametersOf, parseSignature } from "../../../model/loader/signature.ts";
import { shortName } from "../../../model/loader/job_context.ts";
import type { LoadedState, StateTable } from "../../../model/loader/state_table.ts";
import type { LowChunk, StateContext, StateReturn } from "../../../model/loader/states.ts";
import { traceback } from "../../../model/loader/traceback.ts";
import { type Args, entriesOf, isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { bindState } from "./bind.ts";
import { functionOf, type StateEntry } from "./chunk.ts";
import { checkCommands, hasConditions, skippedBy } from "./conditions.ts";
import { fillSlots, hasSlots } from "./slots.ts";
import { type UnifiedReturn, unify } from "./unify.ts";
import { umaskOf } from "./verify.ts";

/**
 * The return of a state that the option `global_state_conditions` skips: the option has targets for the function, its module or
 * `*`, and none of them matches this minion.
 *
 * @returns undefined if the state is to run
 */
async function globallySkipped(context: StateContext): Promise<StateReturn | undefined> {
  const { global_state_conditions: conditions } = context.opts;
  if (!isMap(conditions)) return undefined;
  const { low } = context;
  const names = ["*", functionOf(low), low.state];
  const targets = entriesOf(conditions).filter(([pattern]) => names.includes(pattern)).flatMap(([, one]) =>
    typeof one === "string" ? [one] : Array.isArray(one) ? one : []
  );
  for (const target of targets) {
    if (truthy(await context.call("match.compound", [str(target)]) ?? null)) return undefined;
  }
  if (targets.length === 0) return undefined;
  const comment = "Failed to meet global state conditions. State not called.";
  return { name: low.name, comment, changes: {}, result: null };
}

/** Data that all states of a run share. */
export interface CallHost {
  /** The job; its options, grains and pillar may change during a run. */
  context: JobContext;
  /** True for a dry run. */
  test: boolean;
  states: StateTable;
  chunks: readonly LowChunk[];
  running: ReadonlyMap<string, StateEntry>;
  shared: Map<string, unknown>;
  /** Modules whose `mod_init` was called. */
  initialised: Set<unknown>;
  /** True if functions are not called: each state succeeds without changes. */
  mock: boolean;
}

/**
 * Module → file, from `provider` of a chunk: a file for the chunk's own module, or a list of maps. As in Salt, any other value
 * is ignored.
 */
function providersOf({ state, provider }: LowChunk): Record<string, string> | undefined {
  if (typeof provider === "string" && provider !== "") return { [str(state)]: provider };
  if (!Array.isArray(provider)) return undefined;
  const pairs = provider.flatMap((part) => isMap(part) ? entriesOf(part) : []);
  return Object.fromEntries(pairs.map(([module, file]) => [str(module), str(file)]));
}

export function stateContext(host: CallHost, low: LowChunk, test: boolean): StateContext {
  const { states, chunks, running, shared } = host;
  const { opts } = host.context;
  const runas = truthy(low.runas ?? null) ? { runas: str(low.runas) } : {};
  const providers = providersOf(low);
  const job = host.context.with({
    opts: opts.test === test ? opts : { ...opts, test },
    ...runas,
    ...providers === undefined ? {} : { providers },
  });
  const saltenv = str(low.saltenv ?? low.__env__ ?? "base");
  const context: StateContext = {
    ...job,
    test,
    saltenv,
    low,
    lowstate: chunks,
    running: running as ReadonlyMap<string, StateReturn>,
    shared,
    async callState(fun, keyword) {
      const found = await states.find(fun);
      if ("message" in found) throw new PythonError("KeyError", `'${fun}'`);
      const args = bindArguments(shortName(fun), found.signature, [], new Map(Object.entries(keyword)));
      return await found.function.run(context, args);
    },
  };
  return context;
}

/**
 * Calls the function of one verified chunk: first its conditions, then the function, then its `check_cmd`. An exception becomes
 * a return like any other.
 *
 * @param dry only this chunk is run dry, because another one has it as `prereq`
 * @returns the return, and the result that the function gave, which `retry` asks even if the return is malformed
 */
export async function callState(
  host: CallHost,
  low: LowChunk,
  found: LoadedState,
  dry: boolean,
): Promise<{ ret: UnifiedReturn; result: unknown }> {
  const context = stateContext(host, low, dry || host.test);
  // What decides about a state is asked outside of it: as in Salt, it is told of the whole run, and not that this state is run dry.
  const around = dry ? stateContext(host, low, host.test) : context;
  try {
    const given = await unprotected(host, context, around, found);
    const ret = unify(given);
    return { ret, result: isMap(given) ? lookup(given, "result") : ret.result };
  } catch (error) {
    context.signal.throwIfAborted();
    context.log.debug("state failed", { state: functionOf(low), error: String(error) });
    const comment = `An exception occurred in this state: ${traceback(error)}`;
    return { ret: { result: false, name: low.name ?? low.__id__, changes: {}, comment }, result: false };
  }
}

async function unprotected(
  host: CallHost,
  context: StateContext,
  around: StateContext,
  found: LoadedState,
): Promise<unknown> {
  const { low } = context;
  const bound = bindState(found, low);
  const skipped = hasConditions(low) ? await skippedBy(around) : undefined;
  const ret = skipped ?? await called(host, context, around, found, bound);
  if (low.check_cmd === undefined || parametersOf(found.signature).has("check_cmd")) return ret;
  // A return that is not a map goes on unchanged: it is reported as malformed.
  if (typeof ret !== "object" || ret === null) return ret;
  return { ...ret, ...await checkCommands(around) };
}

async function called(
  { mock }: CallHost,
  context: StateContext,
  around: StateContext,
  found: LoadedState,
  bound: Args,
): Promise<unknown> {
  const { low, runtime: { process } } = context;
  if (mock) return { name: low.name, comment: "Not called, mocked", changes: {}, result: true };
  if (isMap(context.opts.global_state_conditions)) {
    const skipped = await globallySkipped(around);
    if (skipped !== undefined) return skipped;
  }
  if (hasSlots(low)) await fillSlots(around, bound);
  const umask = umaskOf(low);
  if (umask === undefined || truthy(low.parallel)) return await found.function.run(context, bound);
  const before = process.umask(umask);
  try {
    return await found.function.run(context, bound);
  } finally {
    process.umask(before);
  }
}

/** The function of a chunk. `mod_beacon` is found through the function that it stands for, because a chunk must not name it. */
export function findState(host: CallHost, low: LowChunk): Promise<LoadedState | MissingFunction> {
  return low.fun === "mod_beacon" ? findBeacon(host, low) : host.states.find(functionOf(low));
}

async function findBeacon({ states }: CallHost, low: LowChunk): Promise<LoadedState | MissingFunction> {
  const found = await states.find(functionOf({ ...low, fun: low.sfun }));
  if ("message" in found) return found;
  const { modBeacon } = found.module;
  const name = functionOf(low);
  if (modBeacon === undefined) return { message: `'${name}' is not available.` };
  const signature = parseSignature("name, **kwargs");
  return {
    ...found,
    name,
    signature,
    function: {
      signature,
      doc: "",
      run: (context, { name, kwargs }) => modBeacon(context, { name, ...kwargs as object }),
    },
  };
}
