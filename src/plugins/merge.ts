import { InvalidArgumentsError } from "../loader/family.ts";
import { type AnyMap, entriesOf, isMap, mapOf } from "../python/containers.ts";
import { repr } from "../python/repr.ts";

/** A copy of a value, maps and lists in it copied too. */
export function deepCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepCopy);
  return isMap(value) ? mapOf(entriesOf(value).map(([key, item]) => [key, deepCopy(item)])) : value;
}

/**
 * A map with another laid over it: maps in both are merged, lists joined without doubles if that is wanted, and anything
 * else is replaced.
 *
 * @throws {InvalidArgumentsError} if one of them is no map
 * @see salt/utils/dictupdate.py update
 */
export function updateMap(under: unknown, over: unknown, options: { mergeLists?: boolean } = {}): AnyMap {
  if (!isMap(under) || !isMap(over)) {
    throw new InvalidArgumentsError("Cannot update using non-dict types in dictupdate.update()");
  }
  const merged = new Map(entriesOf(under));
  for (const [key, value] of entriesOf(over)) merged.set(key, mergeValues(merged.get(key), value, options));
  return mapOf(merged);
}

function mergeValues(under: unknown, over: unknown, options: { mergeLists?: boolean }): unknown {
  if (isMap(under) && isMap(over)) return updateMap(under, over, options);
  if (!Array.isArray(under) || !Array.isArray(over) || options.mergeLists !== true) return over;
  const known = new Set(under.map(repr));
  return [...under, ...over.filter((item) => !known.has(repr(item)))];
}
