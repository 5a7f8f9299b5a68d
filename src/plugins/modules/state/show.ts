import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, isMap, mapOf, str } from "../../../language/python/values.ts";
import { lowChunksOf } from "../../../content/state/compile/low_chunks.ts";
import { verifyHigh } from "../../../content/state/compile/verify_high.ts";
import { renderMods, withAnyPillar, withView } from "./sls.ts";
import { CODES, splitSls, type StateCall } from "./state_call.ts";
import { setCode } from "./run_high.ts";

/** High data of what top files have for this minion. */
async function topHigh({ compiler }: StateCall) {
  const top = await compiler.top();
  const wrong = compiler.verifyTop(top);
  const { high, errors } = await compiler.renderHighstate(await compiler.topMatches(top));
  return { high, errors: [...wrong, ...errors] };
}

async function topLow(call: StateCall) {
  const { high, errors } = await topHigh(call);
  return call.compiler.compile(high, { found: errors });
}

const failed = (call: StateCall, errors: string[]): string[] => {
  call.context.retcode = CODES.compiler;
  return errors;
};

export const showHighstate = (context: JobContext, args: Args): Promise<unknown> =>
  withView(context, args, async (call) => {
    const { high, errors } = await topHigh(call);
    const shown = errors.length > 0 ? errors : high;
    setCode(call.context, shown);
    return shown;
  });

export const showLowstate = (context: JobContext, args: Args): Promise<unknown> =>
  withView(context, args, async (call) => {
    const { chunks, errors } = await topLow(call);
    return errors.length > 0 ? errors : chunks;
  });

/** The function `state.show_states`: names of the SLS files. */
export const showStates = (context: JobContext, args: Args): Promise<unknown> =>
  withView(context, args, async (call) => {
    const { chunks, errors } = await topLow(call);
    return errors.length > 0 ? failed(call, errors) : [...new Set(chunks.map((chunk) => str(chunk.__sls__)))];
  });

/** The function `state.show_state_usage`. */
export const showUsage = (context: JobContext, args: Args): Promise<unknown> =>
  withAnyPillar(context, args, async ({ compiler }) => mapOf([...await compiler.usage(await matchesOf(compiler))]));

async function matchesOf(compiler: StateCall["compiler"]) {
  return await compiler.topMatches(await compiler.top());
}

export const showTop = (context: JobContext, args: Args): Promise<unknown> =>
  withView(context, args, async (call) => {
    const top = await call.compiler.top();
    const errors = call.compiler.verifyTop(top);
    return errors.length > 0 ? failed(call, errors) : await call.compiler.topMatches(top);
  });

export const showSls = (context: JobContext, args: Args): Promise<unknown> =>
  withView(context, args, async (call) => {
    const { high, errors } = await renderMods(call, args.mods);
    const wrong = [...errors, ...verifyHigh(high)];
    return wrong.length > 0 ? failed(call, wrong) : high;
  });

export const showLowSls = (context: JobContext, args: Args): Promise<unknown> =>
  withView(context, args, async (call) => {
    const { high, errors } = await renderMods(call, args.mods);
    const wrong = [...errors, ...verifyHigh(high)];
    return wrong.length > 0 ? failed(call, wrong) : lowChunksOf(high);
  });

export async function slsExists(context: JobContext, args: Args): Promise<boolean> {
  return isMap(await showSls(context, args));
}

export async function idExists(context: JobContext, args: Args): Promise<boolean> {
  const chunks = await showLowSls(context, args) as unknown[];
  const ids = new Set(chunks.filter(isMap).map((chunk) => (chunk as Args).__id__));
  return splitSls(args.ids).every((id) => ids.has(id));
}
