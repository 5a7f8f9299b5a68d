/** Runs of low chunks with state functions of a test, on the runtime of the test. */
import { MissingFunctionError } from "../../src/host/minion/processes/execute_job.ts";
import { hostStates } from "../../src/model/loader/state_table.ts";
import { jobContext } from "../../src/model/loader/job_context.ts";
import type { JobContext } from "../../src/model/loader/family.ts";
import type { LowChunk, StateFunction, StateModule } from "../../src/model/loader/states.ts";
import { STATES } from "../../src/plugins/states/mod.ts";
import { runStates, type RunStatesOptions } from "../../src/content/state/run/run_states.ts";
import type { StateEntry } from "../../src/content/state/run/chunk.ts";
import { testMinion, type TestMinionOptions } from "./context.ts";

export interface StateRun {
  /** Makes a chunk of `id: module.function` and arguments. */
  chunk(id: string, fun: string, args?: LowChunk): LowChunk;
  run(chunks: readonly LowChunk[], more?: Partial<RunStatesOptions>): Promise<Map<string, StateEntry>>;
  context: JobContext;
  /** Messages that were logged as warnings. */
  warnings(): string[];
  /** Aborts as a job does that is killed. */
  abort: AbortController;
}

/** Makes a low chunk: `chunk("x", "test.nop", {require: [{test: "y"}]})`. */
export function chunk(id: string, fun: string, args: LowChunk = {}): LowChunk {
  const [state, name] = fun.split(".");
  return { state, name: id, __sls__: "a", __env__: "base", __id__: id, ...args, order: 10000, fun: name };
}

/** A minion that runs chunks; `own` is a state module `own` beside those of Brine. */
export async function stateRun(own: Partial<StateModule> = {}, options: TestMinionOptions = {}): Promise<StateRun> {
  const minion = await testMinion(options);
  const abort = new AbortController();
  const context = jobContext(minion.functions, {
    ...minion.context,
    retcode: 0,
    load: { fun: "state.apply" },
    jid: "20240101000000000000",
    signal: abort.signal,
    ownProcess: () => {},
    output: undefined,
  }, (fun, message) => new MissingFunctionError(fun, message));
  const registry = { ...STATES, own: () => Promise.resolve({ states: { functions: {}, ...own } }) };
  return {
    chunk,
    context,
    abort,
    warnings: () => minion.records.filter(({ level }) => level === "warning").map(({ message }) => message),
    run: async (chunks, more = {}) => {
      const states = hostStates(registry, context.opts, () => minion.context);
      return (await runStates({ context, chunks, states, ...more })).returns;
    },
  };
}

/** A state function that does what a test says. */
export function stateFunction(run: StateFunction["run"], signature = "name, **kwargs"): StateFunction {
  return { signature, doc: "", run };
}
