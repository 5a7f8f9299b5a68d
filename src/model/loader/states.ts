/** State modules: what a file under `plugins/states/` exports, what its functions are given and what they return. */
import type { Context, JobContext } from "./context.ts";
import type { Virtual } from "./loaded_file.ts";
import {
  type Args,
  type Declare,
  type DeclareAll,
  declareFunction,
  declareFunctions,
  type Signature,
} from "./signature.ts";

/**
 * One state as it is run: `{state, name, __sls__, __env__, __id__, …arguments, order, fun}`, in this order of keys. A `name` may be
 * of any type until it was verified.
 */
export type LowChunk = Record<string, unknown>;

/** What a state function returns. The runner adds `__sls__`, `__run_num__`, `start_time`, `duration` and `__id__`. */
export interface StateReturn {
  name: unknown;
  /** What was changed, or would be in a dry run; empty if nothing. Usually `{what: {old, new}}`. */
  changes: Record<string, unknown>;
  /** Null: it would change something, and this is a dry run. */
  result: boolean | null;
  /** Lines of a list are joined. */
  comment: string | string[];
  /** Further keys: `warnings`, `skip_watch`, `sub_state_run`, `__state_ran__`, `data`. */
  [key: string]: unknown;
}

/** What a state function is given beside its arguments. Execution functions are called with its `call`. */
export interface StateContext extends JobContext {
  /** A dry run: say what would change, and change nothing (`__opts__["test"]`). The same as `opts.test`. */
  readonly test: boolean;
  /** The environment of the SLS that the state is from (`__env__`). */
  readonly saltenv: string;
  /** The chunk that is run (`__low__`). */
  readonly low: LowChunk;
  /** All chunks of this run (`__lowstate__`). */
  readonly lowstate: readonly LowChunk[];
  /** What has run so far, by tag `state_|-id_|-name_|-fun` (`__running__`). */
  readonly running: ReadonlyMap<string, StateReturn>;
  /** Shared by all states of one run, under names that begin with the module's: `file.accumulators` (`__context__`). */
  readonly shared: Map<string, unknown>;
  /** Runs another state function of this host with the same context: `__states__["file.managed"](…)`. */
  callState(fun: string, keyword: Record<string, unknown>): Promise<StateReturn>;
}

/** One state function. */
export interface StateFunction {
  /** In Python's notation. With `**kwargs` it gets every argument of the chunk that is not the runner's own. */
  signature: string | Signature;
  doc: string;
  run(context: StateContext, args: Args): StateReturn | Promise<StateReturn>;
}

/** Declares a state: its arguments have the names and types that its signature says. */
export const stateFunction: Declare<StateFunction> = declareFunction;

/** Declares all functions of a module: `"name(arguments)": { doc, run }`. */
export const stateFunctions: DeclareAll<StateFunction> = declareFunctions as DeclareAll<StateFunction>;

/** What a file under `plugins/states/` exports as `states`. */
export interface StateModule {
  /** True, another name to go by, or why it is not available on this host: often the execution functions that it calls are not. */
  virtual?(context: Context): Virtual | Promise<Virtual>;
  /**
   * The functions by name, without the module's name. `mod_watch` is called with `sfun`, the function that the chunk asked for, when
   * a state that the chunk watches had changes and the chunk itself had none.
   */
  functions: Record<string, StateFunction>;
  /** Called once in a run, before the first state of the module: true if that state's function shall not be asked again. */
  modInit?(context: StateContext, low: LowChunk): boolean | Promise<boolean>;
  /** Folds later chunks into this one. @returns the chunk that is run in its place */
  modAggregate?(
    context: StateContext,
    low: LowChunk,
    chunks: readonly LowChunk[],
    running: ReadonlyMap<string, StateReturn>,
  ): LowChunk | Promise<LowChunk>;
  /** Called after the run for a chunk with `beacon: true`. */
  modBeacon?(context: StateContext, args: Record<string, unknown>): StateReturn | Promise<StateReturn>;
}

/** State modules by name → how to load them. */
export type StateRegistry = Record<string, () => Promise<{ states: StateModule }>>;
