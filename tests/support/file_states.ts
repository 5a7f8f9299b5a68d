/** States on this host's own files, without a runner: a context over a test's minion, and one function called at a time. */
import { bindArguments, parseSignature } from "../../src/model/loader/signature.ts";
import type { StateContext, StateModule, StateReturn } from "../../src/model/loader/states.ts";
import { STATES } from "../../src/plugins/states/mod.ts";
import type { TestMinionOptions } from "./context.ts";
import { testJob } from "./job_context.ts";

export interface StateHost {
  context: StateContext;
  /** Runs `module.function` with arguments by name. */
  run(fun: string, keyword: Record<string, unknown>, more?: Partial<StateContext>): Promise<StateReturn>;
  /** The same as a dry run. */
  test(fun: string, keyword: Record<string, unknown>, more?: Partial<StateContext>): Promise<StateReturn>;
}

const moduleOf = async (name: string): Promise<StateModule> => (await STATES[name]!()).states;

/** A host for states of files, whose minion is that of a test. */
export async function stateHost(options: TestMinionOptions = {}): Promise<StateHost> {
  const hosts = await Promise.all(
    [false, true].map((test) => testJob({ ...options, opts: { ...options.opts, test } })),
  );
  const shared = new Map<string, unknown>();
  const contextOf = (test: boolean): StateContext => {
    const { context } = hosts[Number(test)]!;
    const low = {};
    return Object.assign(Object.create(context), {
      test,
      saltenv: "base",
      low,
      lowstate: [],
      running: new Map(),
      shared,
      callState: (fun: string, keyword: Record<string, unknown>) => call(contextOf(test), fun, keyword),
    });
  };
  const call = async (context: StateContext, fun: string, keyword: Record<string, unknown>) => {
    const [module = "", name = ""] = fun.split(".");
    const found = (await moduleOf(module)).functions[name];
    if (found === undefined) throw new Error(`There is no state function "${fun}"`);
    const bound = bindArguments(name, parseSignature(found.signature), [], new Map(Object.entries(keyword)));
    return await found.run(context, bound);
  };
  return {
    context: contextOf(false),
    run: (fun, keyword, more = {}) => call(Object.assign(contextOf(false), more), fun, keyword),
    test: (fun, keyword, more = {}) => call(Object.assign(contextOf(true), more), fun, keyword),
  };
}
