import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { applyRequisitesIn } from "../../../content/state/compile/requisites_in.ts";
import { lowChunksOf } from "../../../content/state/compile/low_chunks.ts";
import { type OpenHigh, openHigh } from "../../../content/state/compile/high.ts";
import { TopFileError } from "../../../content/state/compile/top_files.ts";
import { verifyHigh } from "../../../content/state/compile/verify_high.ts";
import { conflict } from "./conflict.ts";
import { disabledBy } from "./disabled.ts";
import { cacheFile, keepPacked, packedFor, readPacked } from "./packed_files.ts";
import { runHigh, runLow, setCode, terse } from "./run_high.ts";
import { CODES, openCall, PillarFailure, splitSls, type StateCall } from "./state_call.ts";

/** What a call returns in the place of states if the pillar has errors. */
const PILLAR_FAILED = "Pillar failed to render with the following messages:";

/** Runs `use` with a call, unless other states run, or the pillar does not render. @param extra options of the call's own */
export async function withCall(
  context: JobContext,
  { queue = null, test = null, state_events = null, kwargs = {} }: Args,
  use: (call: StateCall) => Promise<unknown>,
  extra: Args = {},
  anyPillar = false,
): Promise<unknown> {
  const given = kwargs as Args;
  const others = await conflict(context, queue, given);
  if (others !== undefined) return others;
  let call: StateCall;
  try {
    const events = state_events === null ? {} : { state_events };
    call = await openCall(context, given, { test, ...events, ...extra }, anyPillar);
  } catch (error) {
    if (error instanceof PillarFailure) return [PILLAR_FAILED, ...error.errors];
    throw error;
  }
  const ret = await use(call);
  context.retcode = call.context.retcode;
  return ret;
}

/** The same for functions that run also if the pillar has errors. */
export const withAnyPillar = (context: JobContext, args: Args, use: (call: StateCall) => Promise<unknown>) =>
  withCall(context, args, use, {}, true);

/** The same for functions that show what would be done. @throws {CommandExecutionError} if the pillar does not render */
export async function withView(
  context: JobContext,
  args: Args,
  use: (call: StateCall) => Promise<unknown>,
): Promise<unknown> {
  const shown = await withCall(context, args, use);
  if (Array.isArray(shown) && shown[0] === PILLAR_FAILED) {
    throw new CommandExecutionError("Pillar failed to render", { info: shown.slice(1) });
  }
  return shown;
}

function failedToCompile(call: StateCall, errors: string[]): string[] {
  call.context.retcode = CODES.compiler;
  return errors;
}

/** High data of some SLS files. */
export async function renderMods(call: StateCall, mods: unknown, exclude: unknown = null) {
  const names = splitSls(typeof mods === "number" ? str(mods) : mods);
  const excluded = truthy(exclude) ? splitSls(exclude) : [];
  return await call.compiler.renderHighstate(new Map([[call.saltenv, names]]), excluded);
}

/** Syncs custom modules of some kinds: `all`, `modules`, … */
async function syncMods(context: JobContext, wanted: unknown, saltenv: string): Promise<void> {
  if (wanted === null || wanted === undefined) return;
  const kinds = wanted === true ? ["all"] : splitSls(wanted).map(str);
  for (const kind of kinds.includes("all") ? ["all"] : kinds) {
    const fun = `saltutil.sync_${kind}`;
    if ("message" in await context.functions.find(fun)) {
      context.log.warning("Invalid custom module type, ignoring", { kind });
    } else await context.call(fun, [], { saltenv });
  }
}

/** The name of the file that keeps high data for `cache=True`. */
const cacheName = ({ cache_name = "highstate" }: Args) => `${str(cache_name)}.cache.p`;

/** High data that an earlier call has kept, for `cache=True`. */
function keptHigh(call: StateCall): OpenHigh | undefined {
  if (!truthy(call.kwargs.cache ?? false)) return undefined;
  const data = readPacked(call.context, cacheFile(call.context, cacheName(call.kwargs)));
  return isMap(data) ? openHigh(data) : undefined;
}

export async function sls(context: JobContext, args: Args): Promise<unknown> {
  const { mods, sync_mods, exclude } = args;
  const disabled = await disabledBy(context, Array.isArray(mods) ? mods : [mods]);
  if (disabled.length > 0) {
    context.retcode = CODES.compiler;
    return disabled;
  }
  return await withCall(context, args, async (call) => {
    await syncMods(call.context, sync_mods, call.saltenv);
    const kept = keptHigh(call);
    if (kept !== undefined) return await runHigh(call, kept);
    const { high, errors } = await renderMods(call, mods, exclude);
    if (errors.length > 0) return failedToCompile(call, errors);
    const keepHigh = packedFor(call.context, cacheName(call.kwargs), high);
    const ret = terse(call, await runHigh(call, high));
    keepPacked(call.context, "sls.p", ret);
    setCode(call.context, ret, high);
    keepHigh();
    return ret;
  });
}

/** The return of a highstate that has nothing to run. */
function noStates(comment: string): Map<unknown, unknown> {
  const entry = { result: false, comment, name: "No States", changes: {}, __run_num__: 0 };
  return new Map<unknown, unknown>([["no_|-states_|-states_|-None", entry]]);
}

/** Syncs custom modules of the environments that are used, so that the states of the run can be theirs. */
async function loadDynamic(context: JobContext, saltenvs: string[]): Promise<void> {
  if (!truthy(context.opts.autoload_dynamic_modules ?? true)) return;
  const changed = await context.call("saltutil.sync_all", [saltenvs], { refresh: false });
  if (isMap(changed) && truthy(lookup(changed, "grains"))) await context.call("saltutil.refresh_grains");
  context.functions.reload();
}

function onlyOf(matches: ReadonlyMap<string, readonly unknown[]>, whitelist: unknown) {
  if (!truthy(whitelist ?? null)) return matches;
  const wanted = new Set(splitSls(whitelist));
  const kept = [...matches].map(([env, names]) => [env, names.filter((name) => wanted.has(name))] as const);
  return new Map(kept.filter(([, names]) => names.length > 0));
}

/** Runs the states that top files have for this minion. */
async function runTop(call: StateCall): Promise<unknown> {
  const { context, compiler, kwargs } = call;
  const kept = keptHigh(call);
  if (kept !== undefined) return await runHigh(call, kept);
  let errors: string[];
  let matches: Awaited<ReturnType<typeof compiler.topMatches>>;
  try {
    const top = await compiler.top();
    errors = compiler.verifyTop(top);
    matches = await compiler.topMatches(top);
  } catch (error) {
    if (!(error instanceof TopFileError)) throw error;
    return error.isRender ? noStates(`Unable to render top file: ${error.message}`) : [error.message];
  }
  if (matches.size === 0) {
    return noStates("No Top file or master_tops data matches found. Please see master log for details.");
  }
  const wanted = onlyOf(matches, kwargs.whitelist);
  await loadDynamic(context, [...wanted.keys()]);
  const exclude = truthy(kwargs.exclude ?? null) ? splitSls(kwargs.exclude) : [];
  const rendered = await compiler.renderHighstate(wanted, exclude);
  errors = [...errors, ...rendered.errors];
  if (errors.length > 0) return errors;
  if (rendered.high.size === 0) return noStates("No states found for this minion");
  keepPacked(context, cacheName(kwargs), rendered.high);
  const ret = await runHigh(call, rendered.high);
  setCode(context, terse(call, ret), rendered.high);
  return terse(call, ret);
}

async function runTopAndCount(call: StateCall): Promise<unknown> {
  call.context.retcode = null;
  const ret = await runTop(call);
  // Who has run high data has counted with it.
  if (call.context.retcode === null) setCode(call.context, ret);
  return ret;
}

export async function stateHighstate(context: JobContext, args: Args): Promise<unknown> {
  if ((await disabledBy(context, ["highstate"])).length > 0) {
    return {
      name: "Salt highstate run is disabled. To re-enable, run state.enable highstate",
      result: "False",
      comment: "Disabled",
    };
  }
  // With `localconfig`, they count here alone, as in Salt.
  const { localconfig = null, saltenv, pillarenv } = (args.kwargs ?? {}) as Args;
  const environments = {
    ...(saltenv === undefined ? {} : { saltenv }),
    ...(pillarenv === undefined ? {} : { pillarenv }),
  };
  return await withCall(context, args, runTopAndCount, localconfig === null ? {} : environments);
}

export async function stateTop(context: JobContext, args: Args): Promise<unknown> {
  const { saltenv } = args.kwargs as Args;
  const own = saltenv === undefined ? {} : { state_top_saltenv: saltenv };
  return await withCall(context, args, runTopAndCount, { state_top: str(args.topfn), ...own });
}

/** The function `state.sls_id`: states of one id, with what they require. */
export async function slsId(context: JobContext, args: Args): Promise<unknown> {
  const { id_: id, mods } = args;
  return await withCall(context, args, async (call) => {
    const { high, errors } = await renderMods(call, mods);
    const wrong = [...errors, ...verifyHigh(high), ...applyRequisitesIn(high)];
    if (wrong.length > 0) return failedToCompile(call, wrong);
    const chunks = lowChunksOf(high);
    const isMeant = (low: { __id__?: unknown }) => low.__id__ === id;
    const ret = await runLow(call, chunks, isMeant);
    setCode(call.context, ret);
    if (ret.size > 0) return ret;
    context.retcode = call.context.retcode;
    throw new SaltInvocationError(
      `No matches for ID '${str(id)}' found in SLS '${str(mods)}' within saltenv '${call.saltenv}'`,
    );
  });
}
