import type { LowChunk, StateReturn } from "../../../model/loader/states.ts";
import { str } from "../../../language/python/values.ts";

/** One entry of what a run returns: `{name, changes, result, comment, __sls__, __run_num__, start_time, duration, __id__, …}`. */
export type StateEntry = Record<string, unknown> & Pick<StateReturn, "changes" | "result"> & { comment: string };

/** Tags by chunk: each requisite on a chunk asks for its tag. */
const TAGS = new WeakMap<LowChunk, string>();

/** The tag of a chunk, `state_|-id_|-name_|-fun`: the key of its entry. It stays the same when the chunk changes later. */
export function tagOf(chunk: LowChunk): string {
  let tag = TAGS.get(chunk);
  if (tag === undefined) TAGS.set(chunk, tag = makeTag(chunk));
  return tag;
}

function makeTag({ state, __id__, name, fun }: LowChunk): string {
  return `${str(state ?? null)}_|-${str(__id__ ?? null)}_|-${str(name ?? null)}_|-${str(fun ?? null)}`;
}

export function functionOf({ state, fun }: LowChunk): string {
  return `${str(state)}.${str(fun)}`;
}

/** The keys that identify the state in an entry that was not called. */
export function identityOf(low: LowChunk): Record<"__sls__" | "__id__" | "name", unknown> {
  const { __sls__ = null, __id__ = null, name = null } = low;
  return { __sls__, __id__, name };
}
