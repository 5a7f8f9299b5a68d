import type { LowChunk } from "../../../model/loader/states.ts";
import { compileGlob } from "../../../language/python/glob.ts";
import { functionOf, type StateEntry } from "./chunk.ts";

/**
 * Returns a function that makes the entry of a chunk whose function is disabled by `state.disable`, as the grain
 * `state_runs_disabled` says. It returns undefined for a chunk to run.
 */
export function disabledEntry(
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
