import type { JobContext } from "../../../model/loader/context.ts";
import type { StateTable } from "../../../model/loader/state_table.ts";
import type { LowChunk } from "../../../model/loader/states.ts";
import { truthy } from "../../../language/python/truth.ts";
import { type StateEntry, tagOf } from "./chunk.ts";
import { disabledEntry } from "./disabled.ts";
import { beaconChunks, listeningChunks } from "./listeners.ts";
import { refreshed, type Reloads } from "./refresh.ts";
import { type ChunkHost, ChunkRunner } from "./run_chunks.ts";
import { RunRecord } from "./run_record.ts";

export interface RunStatesOptions {
  /** The job that the states are run for; its options are those of the run, but for `test`. */
  context: JobContext;
  /** In the order in which they are to run. They are not changed. */
  chunks: readonly LowChunk[];
  states: StateTable;
  /** A dry run: nothing is changed. @default the option `test` */
  test?: boolean;
  /** Functions are not called: each succeeds without changes. @default false */
  mock?: boolean;
  /** Names of the SLS files that were read, so that one without states can be required. @default none */
  files?: readonly string[];
  /** Tells which chunks are asked for: others run if these require them. @default all */
  wanted?: ((low: LowChunk) => boolean) | undefined;
  /** Resolves when the run may go on with this chunk: false if it is to end. @default at once */
  mayRun?(low: LowChunk): Promise<boolean>;
  /** What `reload_grains` and `reload_pillar` of a state call. @default nothing happens */
  reloads?: Reloads;
  /**
   * Called with the entry of each state once it is complete, in the order in which they end.
   *
   * @param total number of chunks
   */
  onState?(entry: StateEntry, low: LowChunk, total: number): void | Promise<void>;
}

export interface RunStatesResult {
  /** Entries by tag `state_|-id_|-name_|-fun`, in the order in which the states were run; those of listeners and beacons come last. */
  returns: Map<string, StateEntry>;
}

/**
 * Runs states: each chunk in its turn, and before it what it requires; then those that listen, and those with a beacon. While it goes on,
 * {@link unfinishedRuns} names it and the states that are done, also if this process is killed.
 *
 * @throws the reason of the context's signal when the job is killed; what was done by then was told to `onState`
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
  // What listens is run whatever was asked for.
  host.wanted = () => true;
  const { chunks: listening, errors } = listeningChunks(chunks, returns, host.dry);
  for (const [tag, entry] of await runChunks(host, listening)) returns.set(tag, entry);
  for (const [tag, entry] of errors) returns.set(tag, { ...entry, __run_num__: host.nextNumber() });
  for (const [tag, entry] of await runChunks(host, beaconChunks(chunks))) returns.set(tag, entry);
  return returns;
}

/** Runs chunks that may require each other, and no others. */
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
    mayRun: async (low) => await mayRun?.(low) ?? true,
    report: async (low, entry) => {
      record.done(tagOf(low), entry);
      await onState?.(entry, low, chunks.length);
    },
  };
  return host;
}
