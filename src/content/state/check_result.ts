import { type AnyMap, entriesOf, isMap, lookup, str } from "../../language/python/values.ts";

/**
 * True if no return of a run failed. A value that is not a map of returns, or is an empty map, counts as failed: the errors of
 * a compilation have that form.
 *
 * @param recurse also search entries that are not returns themselves, and skip entries that are not maps. @default false
 * @param high the high data that was run: a failure does not count if a state with `onfail_stop: False` has handled it
 * @see salt/utils/state.py check_result
 */
export function checkResult(running: unknown, recurse = false, high?: unknown): boolean {
  if (!isMap(running)) return false;
  const entries = entriesOf(running);
  const isFine = (id: unknown, entry: unknown): boolean => {
    if (id === "__extend__") return recurse || Array.isArray(entry);
    if (!isMap(entry)) return recurse;
    const result = lookup(entry, "result");
    return result === undefined ? checkResult(entry, true, high) : result !== false;
  };
  return entries.length > 0 &&
    entries.every(([id, entry]) => isFine(id, entry) || isMap(high) && isHandled(str(id), running, high));
}

/** True if a state with `onfail_stop: False` that requires the failure of this state has run and succeeded. */
function isHandled(tag: string, running: AnyMap, high: AnyMap): boolean {
  const [module, id] = tag.split("_|-");
  const handlers = new Set<string>();
  for (const [name, body] of entriesOf(high)) {
    if (name === id || !isMap(body)) continue;
    for (const [state, declared] of entriesOf(body)) {
      if (Array.isArray(declared) && handles(declared, module, id)) handlers.add(`${str(state)}_|-${str(name)}_|-`);
    }
  }
  const results = entriesOf(running).filter(([key]) => [...handlers].some((start) => str(key).startsWith(start)))
    .map(([, entry]) => isMap(entry) ? lookup(entry, "result") : undefined);
  return results.includes(true) && !results.includes(false);
}

/** True if the arguments of a state have `onfail_stop: False` and name the other state in `onfail`. */
function handles(declared: readonly unknown[], module: string | undefined, id: string | undefined): boolean {
  const args = declared.filter(isMap).flatMap((one) => entriesOf(one));
  if (!args.some(([key, value]) => key === "onfail_stop" && value === false)) return false;
  return args.some(([key, value]) =>
    key === "onfail" && Array.isArray(value) &&
    value.filter(isMap).some((one) => entriesOf(one).some(([state, name]) => state === module && name === id))
  );
}
