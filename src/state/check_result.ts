import { entriesOf, isMap, lookup } from "../python/containers.ts";

/**
 * True if nothing in the returns of a run failed. What is no map of returns, or an empty one, is a failure: that is how errors of
 * compiling come.
 *
 * @param recurse also look into entries that are not returns themselves, and pass over those that are no maps. @default false
 * @see salt/utils/state.py check_result
 */
export function checkResult(running: unknown, recurse = false): boolean {
  if (!isMap(running)) return false;
  const entries = entriesOf(running);
  return entries.length > 0 && entries.every(([id, entry]) => {
    if (id === "__extend__") return recurse || Array.isArray(entry);
    if (!isMap(entry)) return recurse;
    const result = lookup(entry, "result");
    return result === undefined ? checkResult(entry, true) : result !== false;
  });
}
