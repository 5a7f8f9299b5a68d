import type { LowChunk, StateReturn } from "../../loader/states.ts";
import { str } from "../../python/repr.ts";

/** One entry of what a run returns: `{name, changes, result, comment, __sls__, __run_num__, start_time, duration, __id__, …}`. */
export type StateEntry = Record<string, unknown> & Pick<StateReturn, "changes" | "result"> & { comment: string };

/** `state_|-id_|-name_|-fun`: the key of an entry. */
export function tagOf({ state, __id__, name, fun }: LowChunk): string {
  return `${str(state ?? null)}_|-${str(__id__ ?? null)}_|-${str(name ?? null)}_|-${str(fun ?? null)}`;
}

/** `module.function` of a chunk. */
export function functionOf({ state, fun }: LowChunk): string {
  return `${str(state)}.${str(fun)}`;
}

/** The last keys of an entry of a state that was not called. */
export function identityOf(low: LowChunk): Record<"__sls__" | "__id__" | "name", unknown> {
  const { __sls__ = null, __id__ = null, name = null } = low;
  return { __sls__, __id__, name };
}
