import type { JobContext } from "../../loader/context.ts";
import type { StateTable } from "../../loader/state_table.ts";
import type { LowChunk } from "../../loader/states.ts";
import { truthy } from "../../python/truth.ts";
import type { StateEntry } from "./chunk.ts";
import { type ChunkHost, ChunkRunner } from "./run_chunks.ts";

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
  /**
   * Called with the entry of each state once it is complete, in the order in which they end.
   *
   * @param total number of chunks
   */
  onState?(entry: StateEntry, low: LowChunk, total: number): void | Promise<void>;
}

export interface RunStatesResult {
  /** Entries by tag `state_|-id_|-name_|-fun`, in the order in which the states were run. */
  returns: Map<string, StateEntry>;
}

/**
 * Runs states: each chunk in its turn, and before it what it requires.
 *
 * @throws the reason of the context's signal when the job is killed; what was done by then was told to `onState`
 * @throws {RequisiteError} for a requisite that cannot be read
 * @see salt/state.py State.call_chunks
 */
export async function runStates(options: RunStatesOptions): Promise<RunStatesResult> {
  const host = hostOf(options);
  await new ChunkRunner(host).run();
  return { returns: host.running };
}

function hostOf(options: RunStatesOptions): ChunkHost {
  const { chunks, states, mock = false, files = [], wanted = () => true, mayRun, onState } = options;
  const { opts } = options.context;
  const test = options.test ?? truthy(opts.test ?? null);
  return {
    context: options.context.with({ opts: { ...opts, test } }),
    test,
    states,
    chunks: chunks.map((chunk) => ({ ...chunk })),
    running: new Map(),
    pre: new Map(),
    shared: new Map(),
    mock,
    runNum: 0,
    failhard: truthy(opts.failhard ?? null),
    disabledRequisites: new Set([opts.disabled_requisites ?? []].flat().map(String)),
    files,
    refresh: () => Promise.resolve(),
    wanted,
    mayRun: async (low) => await mayRun?.(low) ?? true,
    report: (low, entry) => onState?.(entry, low, chunks.length),
  };
}
