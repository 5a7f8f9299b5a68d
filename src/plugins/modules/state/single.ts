import { baseName } from "../../../base/paths.ts";
import { InvalidArgumentsError, type JobContext } from "../../../model/loader/family.ts";
import { Rendering, templateText } from "../../../model/loader/rendering.ts";
import type { LowChunk } from "../../../model/loader/states.ts";
import { type AnyMap, type Args, entriesOf, isMap, repr, str } from "../../../language/python/values.ts";
import { RenderError } from "../../../language/render/render_error.ts";
import { highOfTemplate } from "../../../content/state/compile/single_template.ts";
import { openHigh } from "../../../content/state/compile/high.ts";
import { REQUISITES, REQUISITES_IN } from "../../../content/state/keywords.ts";
import { verifyChunk } from "../../../content/state/run/verify.ts";
import { runHigh, runLow, setCode } from "./run_high.ts";
import { withAnyPillar, withView } from "./sls.ts";
import { CODES, type StateCall } from "./state_call.ts";

/** Runs one chunk, whose requisites count for nothing since there are no others. */
async function runOne(call: StateCall, low: LowChunk): Promise<AnyMap | string[]> {
  const found = await call.states.find(`${str(low.state ?? null)}.${str(low.fun ?? null)}`);
  const errors = verifyChunk(low, found);
  if (errors.length > 0) {
    call.context.retcode = CODES.compiler;
    return errors;
  }
  const alone = Object.entries(low).filter(([key]) => ![...REQUISITES, ...REQUISITES_IN].includes(key));
  return await runLow(call, [Object.fromEntries(alone)]);
}

export async function stateSingle(context: JobContext, args: Args): Promise<unknown> {
  return await withAnyPillar(context, args, async (call) => {
    const [state, fun] = str(args.fun).split(".");
    if (fun === undefined) {
      call.context.retcode = CODES.compiler;
      return "Invalid function passed";
    }
    const name = args.name;
    const given = Object.entries(args.kwargs as Args).filter(([key]) => !key.startsWith("__pub_"));
    const ret = await runOne(call, { ...Object.fromEntries(given), state, fun, __id__: name, name });
    setCode(call.context, ret);
    return ret;
  });
}

/** The function `state.low`: the return is that of the state alone, and never a failure. */
export async function low(context: JobContext, args: Args): Promise<unknown> {
  const { data } = args;
  if (!isMap(data)) throw new InvalidArgumentsError(`data must be a map of one state, not ${repr(data)}`);
  const chunk = Object.fromEntries(entriesOf(data)) as LowChunk;
  if (!Object.hasOwn(chunk, "name")) throw Object.assign(new Error("'name'"), { name: "KeyError" });
  return await withAnyPillar(context, args, async (call) => {
    const ret = await runOne(call, chunk);
    if (Array.isArray(ret)) return ret;
    call.context.retcode = 0;
    return entriesOf(ret)[0]?.[1] ?? {};
  });
}

export async function stateHigh(context: JobContext, args: Args): Promise<unknown> {
  const { data } = args;
  if (!isMap(data)) throw new InvalidArgumentsError(`data must be a map of states, not ${repr(data)}`);
  return await withAnyPillar(context, args, async (call) => {
    const high = openHigh(data);
    const ret = await runHigh(call, high);
    setCode(call.context, ret, high);
    return ret;
  });
}

async function runTemplate(call: StateCall, data: unknown, name: string): Promise<unknown> {
  const { high, errors } = highOfTemplate(data, name);
  const ret = errors.length > 0 ? errors : high === undefined ? {} : await runHigh(call, high);
  setCode(call.context, ret, high);
  return ret;
}

export async function templateStr(context: JobContext, args: Args): Promise<unknown> {
  return await withAnyPillar(context, args, async (call) => {
    const source = str(args.tem);
    const file = { path: "<template-str>", name: "<template-str>", sls: "", saltenv: "base", source };
    return await runTemplate(call, await new Rendering(call.context).renderSls(file), "<template-str>");
  });
}

/** The function `state.template`: a file of this host. */
export async function template(context: JobContext, args: Args): Promise<unknown> {
  return await withView(context, args, async (call) => {
    const path = str(args.tem).replace(/(?:\.sls)?$/, ".sls");
    const { fs } = call.context.runtime;
    const failed = (text: string) => {
      call.context.retcode = CODES.compiler;
      return [text];
    };
    if (fs.stat(path)?.kind !== "file") return failed(`Specified SLS ${path} on local filesystem cannot be found.`);
    const saltenv = str((args.kwargs as Args).saltenv ?? "");
    try {
      const source = templateText(fs.read(path), path);
      const data = await new Rendering(call.context).renderSls({
        path,
        name: baseName(path),
        sls: path,
        saltenv,
        source,
      });
      return await runTemplate(call, data, path);
    } catch (error) {
      if (!(error instanceof RenderError)) throw error;
      return failed(`Rendering SLS '${saltenv}:${path}' failed: ${error.message}`);
    }
  });
}
