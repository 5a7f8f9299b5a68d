import type { JobContext } from "../../../model/loader/family.ts";
import type { StateTable } from "../../../model/loader/state_table.ts";
import type { LowChunk } from "../../../model/loader/states.ts";
import { truthy } from "../../../language/python/values.ts";
import { functionOf, type StateEntry, tagOf } from "./chunk.ts";
import { beaconChunks, listeningChunks } from "./listeners.ts";
import { refreshed, type Reloads } from "./refresh.ts";
import { type ChunkHost, ChunkRunner } from "./run_chunks.ts";
import { RunRecord } from "./run_record.ts";
import { compileGlob } from "../../../language/python/glob.ts";

/**
 * Returns a function that makes the entry of a chunk whose function is disabled by `state.disable`, as the grain
 * `state_runs_disabled` says. It returns undefined for a chunk to run.
 */
function disabledEntry(
  { state_runs_disabled: patterns }: Record<string, unknown>,
): (low: LowChunk, number: number) => StateEntry | undefined {
  const globs = (Array.isArray(patterns) ? patterns : []).map(String).map((text) => ({ text, is: compileGlob(text) }));
  return (low, number) => {
    const name = functionOf(low);
    const pattern = globs.find(({ is }) => is(name))?.text;
    if (pattern === undefined) return undefined;
    const comment =
      `The state function "${name}" is currently disabled by "${pattern}", to re-enable, run state.enable ${pattern}.`;
    return { changes: {}, result: false, comment, __run_num__: number, __sls__: low.__sls__ ?? null };
  };
}

export interface RunStatesOptions {
  /** The job that runs the states. Its options are those of the run, except `test`. */
  context: JobContext;
  /** The chunks in the order to run. They are not changed. */
  chunks: readonly LowChunk[];
  states: StateTable;
  /** True for a dry run, which changes nothing. @default the option `test` */
  test?: boolean;
  /** True if functions are not called: each state succeeds without changes. @default false */
  mock?: boolean;
  /** Names of the SLS files that were read, so that one without states can be required. @default none */
  files?: readonly string[];
  /** True for a chunk that was asked for; other chunks run only if such a chunk requires them. @default all are asked for */
  wanted?: ((low: LowChunk) => boolean) | undefined;
  /** See {@link ChunkHost}. @default at once */
  mayRun?(low: LowChunk): boolean | Promise<boolean>;
  /** Functions that `reload_grains` and `reload_pillar` of a state call. @default nothing is read again */
  reloads?: Reloads;
  /** Called with the complete entry of each state, in the order in which the states end. @param total number of chunks */
  onState?: ((entry: StateEntry, low: LowChunk, total: number) => void | Promise<void>) | undefined;
}

interface RunStatesResult {
  /** Entries by tag `state_|-id_|-name_|-fun`, in the order of the run; the entries of listeners and beacons come last. */
  returns: Map<string, StateEntry>;
}

/**
 * Runs states: each chunk after its requisites, then the listeners, then the beacons. Meanwhile {@link unfinishedRuns} lists
 * the run with the states that have run, even after a kill of this process.
 *
 * @throws the reason of the context's signal if the job is killed; `onState` has received the entries made until then
 * @throws {RequisiteError} for a requisite that cannot be read
 * @see salt/state.py State.call_high
 */
export async function runStates(options: RunStatesOptions): Promise<RunStatesResult> {
  const record = new RunRecord(options.context, options.chunks.length);
  try {
    const returns = await runAll(options, hostOf(options, record));
    record.end();
    return { returns };
  } catch (error) {
    record.killed();
    throw error;
  }
}

async function runAll({ chunks: given }: RunStatesOptions, host: ChunkHost): Promise<Map<string, StateEntry>> {
  const { disabled, chunks } = withoutDisabled(given, host);
  const returns = new Map([...disabled, ...await runChunks(host, chunks)]);
  // Listeners run whichever chunks were asked for.
  host.wanted = () => true;
  const { chunks: listening, errors } = listeningChunks(chunks, returns, host.dry);
  for (const [tag, entry] of await runChunks(host, listening)) returns.set(tag, entry);
  for (const [tag, entry] of errors) returns.set(tag, { ...entry, __run_num__: host.nextNumber() });
  for (const [tag, entry] of await runChunks(host, beaconChunks(chunks))) returns.set(tag, entry);
  return returns;
}

/** Runs chunks; their requisites find only chunks of the same list. */
async function runChunks(host: ChunkHost, chunks: readonly LowChunk[]): Promise<Map<string, StateEntry>> {
  host.chunks = chunks;
  host.running = new Map();
  if (chunks.length > 0) await new ChunkRunner(host).run();
  return host.running;
}

function withoutDisabled(given: readonly LowChunk[], host: ChunkHost) {
  const disabled = new Map<string, StateEntry>();
  const chunks: LowChunk[] = [];
  const { grains } = host.context;
  if (grains.state_runs_disabled === undefined) return { disabled, chunks: given.map((chunk) => ({ ...chunk })) };
  const entryOf = disabledEntry(grains);
  for (const chunk of given) {
    const entry = entryOf(chunk, disabled.size);
    if (entry === undefined) chunks.push({ ...chunk });
    else disabled.set(tagOf(chunk), { ...entry, __run_num__: host.nextNumber() });
  }
  return { disabled, chunks };
}

function hostOf(options: RunStatesOptions, record: RunRecord): ChunkHost {
  const { chunks, states, mock = false, files = [], reloads = {}, wanted = () => true, mayRun, onState } = options;
  const { opts } = options.context;
  const test = options.test ?? truthy(opts.test ?? null);
  let number = 0;
  const host: ChunkHost = {
    context: options.context.with({ opts: { ...opts, test } }),
    test,
    states,
    chunks: [],
    running: new Map(),
    pre: new Map(),
    dry: new Set(),
    shared: new Map(),
    initialised: new Set(),
    mock,
    nextNumber: () => number++,
    failhard: truthy(opts.failhard ?? null),
    disabledRequisites: new Set([opts.disabled_requisites ?? []].flat().map(String)),
    files,
    refresh: async (low, ret) => {
      host.context = await refreshed(host.context, states, reloads, low, ret);
    },
    wanted,
    mayRun: (low) => mayRun?.(low) ?? true,
    report: (low, entry) => {
      record.done(tagOf(low), entry);
      return onState?.(entry, low, chunks.length);
    },
  };
  return host;
}
