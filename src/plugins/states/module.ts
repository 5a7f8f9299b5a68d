import { type StateContext, stateFunctions, type StateModule, type StateReturn } from "../../model/loader/states.ts";
import { truthy } from "../../language/python/values.ts";
import { runNamed } from "./module/named.ts";
import { runSeveral } from "./module/several.ts";

/** Keys of a chunk that are no arguments of either form. */
const NEITHER = ["name", "__reqs__", "sfun"];

/**
 * Functions are the arguments whose names have a dot: `- test.echo: [hi]`. Any argument without one makes it the old form, where `name` is
 * the function.
 */
async function run(context: StateContext, kwargs: Record<string, unknown>): Promise<StateReturn> {
  const keys = Object.keys(kwargs).filter((key) => !NEITHER.includes(key));
  const old = keys.length === 0 || keys.some((key) => !key.includes("."));
  const ret = old ? await runNamed(context, kwargs) : await runSeveral(context, kwargs);
  if (!truthy(kwargs.returner ?? null) || context.test) return ret;
  const warning =
    `The return was not sent to the returner ${String(kwargs.returner)}: states cannot reach returners. ` +
    "Use the option `return`, or --return";
  return { ...ret, warnings: [warning] };
}

const wait = (_context: StateContext, { name }: Record<string, unknown>): StateReturn => ({
  name,
  changes: {},
  result: true,
  comment: "",
});

/** Execution functions as states. */
export const states: StateModule = {
  functions: stateFunctions({
    "run(**kwargs)": {
      doc: "Calls execution functions.",
      run: (context, { kwargs }) => run(context, kwargs),
    },
    "mod_watch(**kwargs)": {
      doc: "Calls them, since something that the state watches has changed.",
      run: (context, { kwargs }) => run(context, kwargs),
    },
    "wait(name, **kwargs)": {
      doc: "Calls a function if something that it watches has changed.",
      run: wait,
    },
    "watch(name, **kwargs)": { doc: "The same as module.wait.", run: wait },
  }),
};
