/** State modules: what a file under `plugins/states/` exports, what its functions are given and what they return. */
import type { Context, JobContext } from "./family.ts";
import type { Virtual } from "./loaded_file.ts";
import type { Args } from "../../language/python/values.ts";
import { type Declare, type DeclareAll, declareFunction, declareFunctions, type Signature } from "./signature.ts";

/**
 * One state in the form to run: `{state, name, __sls__, __env__, __id__, …arguments, order, fun}`, with the keys in this order.
 * Before the check of the form, `name` may be of any type.
 */
export type LowChunk = Record<string, unknown>;

/** The return of a state function. The runner adds `__sls__`, `__run_num__`, `start_time`, `duration` and `__id__`. */
export interface StateReturn {
  name: unknown;
  /** Changes that were made, or that a dry run would make; empty if there are none. Usually `{what: {old, new}}`. */
  changes: Record<string, unknown>;
  /** Success. Null in a dry run that would change something. */
  result: boolean | null;
  /** Text for the user; a list has one line per item. */
  comment: string | string[];
  /** Further keys: `warnings`, `skip_watch`, `sub_state_run`, `__state_ran__`, `data`. */
  [key: string]: unknown;
}

/** What a state function receives in addition to its arguments. Its `call` calls execution functions. */
export interface StateContext extends JobContext {
  /**
   * True in a dry run: the function must report what would change, and change nothing. Same as `opts.test`
   * (`__opts__["test"]`).
   */
  readonly test: boolean;
  /** The environment of the state's SLS (`__env__`). */
  readonly saltenv: string;
  readonly low: LowChunk;
  readonly lowstate: readonly LowChunk[];
  /** Entries so far, by tag `state_|-id_|-name_|-fun` (`__running__`). */
  readonly running: ReadonlyMap<string, StateReturn>;
  /** Values that all states of a run share; each name begins with the module's: `file.accumulators` (`__context__`). */
  readonly shared: Map<string, unknown>;
  /** Runs another state function of this host with the same context: `__states__["file.managed"](…)`. */
  callState(fun: string, keyword: Record<string, unknown>): Promise<StateReturn>;
}

export interface StateFunction {
  /** Signature in Python's notation. `**kwargs` receives every other argument of the chunk that is not for the runner. */
  signature: string | Signature;
  doc: string;
  run(context: StateContext, args: Args): StateReturn | Promise<StateReturn>;
}

/** Ends a state from however deep in its code: the state returns this. */
export class StateEnd extends Error {
  readonly ret: Partial<StateReturn>;

  constructor(ret: Partial<StateReturn>) {
    super(String(ret.comment ?? ""));
    this.name = "StateEnd";
    this.ret = ret;
  }
}

/** The same function, which returns what a {@link StateEnd} has: a failure under the name of the state, unless that says more. */
const ending = (fun: StateFunction): StateFunction => ({
  ...fun,
  async run(context, args) {
    try {
      return await fun.run(context, args);
    } catch (error) {
      if (!(error instanceof StateEnd)) throw error;
      return { name: args.name, changes: {}, result: false, comment: "", ...error.ret };
    }
  },
});

/** Declares a state function, with arguments typed by its signature. It may end with {@link StateEnd}. */
export const stateFunction = ((fun: StateFunction) => ending(declareFunction(fun))) as unknown as Declare<
  StateFunction
>;

/** Declares all functions of a module: `"name(arguments)": { doc, run }`. They may end with {@link StateEnd}. */
export const stateFunctions = ((table: Record<string, Omit<StateFunction, "signature">>) =>
  Object.fromEntries(
    Object.entries<StateFunction>(declareFunctions(table)).map(([name, fun]) => [name, ending(fun)]),
  )) as unknown as DeclareAll<StateFunction>;

/** The export `states` of a file under `plugins/states/`. */
export interface StateModule {
  /** True, another name to go by, or why it is not available on this host: often the execution functions that it calls are not. */
  virtual?(context: Context): Virtual | Promise<Virtual>;
  /**
   * Functions by name, without the module's name. `mod_watch` is called if a watched state has changed something and the chunk
   * itself has not; its argument `sfun` is the chunk's function.
   */
  functions: Record<string, StateFunction>;
  /** Called before the first state of the module in a run. @returns true if it must not be called again in this run */
  modInit?(context: StateContext, low: LowChunk): boolean | Promise<boolean>;
  /** Folds later chunks into this chunk. @returns the chunk to run instead */
  modAggregate?(
    context: StateContext,
    low: LowChunk,
    chunks: readonly LowChunk[],
    running: ReadonlyMap<string, StateReturn>,
  ): LowChunk | Promise<LowChunk>;
  /** Called after the run for a chunk with `beacon: true`. */
  modBeacon?(context: StateContext, args: Record<string, unknown>): StateReturn | Promise<StateReturn>;
}

/** State modules: name → function that loads the module. */
export type StateRegistry = Record<string, () => Promise<{ states: StateModule }>>;

/** The return of a state; without `changes`, nothing was changed. */
export function outcome(
  name: unknown,
  result: boolean | null,
  comment: string,
  changes: Record<string, unknown> = {},
): StateReturn {
  return { name, changes, result, comment };
}

/** Ends the state. @param more other parts of its return, such as changes that were made */
export function end(result: boolean | null, comment: string, more: Partial<StateReturn> = {}): never {
  throw new StateEnd({ ...more, result, comment });
}

export function fail(comment: string, more: Partial<StateReturn> = {}): never {
  end(false, comment, more);
}

/** True if this host has an execution function of that name (`"mod.fun" in __salt__`). */
export async function hasFunction(context: Pick<Context, "functions">, name: string): Promise<boolean> {
  return "signature" in await context.functions.find(name);
}

/** For state modules that are there only where an execution function is. @param why they are not, otherwise */
export const needs = (fun: string, why = ""): NonNullable<StateModule["virtual"]> => async (context) =>
  await hasFunction(context, fun) || { unavailable: why };
