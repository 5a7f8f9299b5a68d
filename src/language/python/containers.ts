import { isRecord } from "../../base/record.ts";

/** A map whose order is part of its value (Python's `OrderedDict`): outputters keep the order of its keys. */
export class OrderedMap<K = unknown, V = unknown> extends Map<K, V> {}

/** A Python tuple. Values from the wire are never tuples; values made in this process may be. */
export class Tuple<T = unknown> extends Array<T> {}

/**
 * A map of any kind: plain objects have text keys only, a `Map` may have any.
 *
 * @internal
 */
export type AnyMap = Map<unknown, unknown> | Record<string, unknown>;

/** True for what Python would call a dict: a `Map`, or an object that is not an array, number, date or byte string. */
export function isMap(value: unknown): value is AnyMap {
  return value instanceof Map || isRecord(value);
}

/** The entries of a map of either kind, in its order. */
export function entriesOf(map: AnyMap): [unknown, unknown][] {
  return map instanceof Map ? [...map] : Object.entries(map);
}

/** The number of entries of a map of either kind. */
export function sizeOf(map: AnyMap): number {
  return map instanceof Map ? map.size : Object.keys(map).length;
}

/** The value under a key, or `undefined` if there is none. */
export function lookup(map: AnyMap, key: unknown): unknown {
  if (map instanceof Map) return map.get(key);
  return typeof key === "string" && Object.hasOwn(map, key) ? map[key] : undefined;
}

// An object lists integer keys first, whatever order they were set in; and `__proto__` would set the prototype.
const UNFAITHFUL = /^(?:0|[1-9]\d{0,9}|__proto__)$/;

/** A map of the given entries: a plain object if that loses nothing, otherwise a `Map`. The last entry of a key wins. */
export function mapOf(entries: Iterable<readonly [unknown, unknown]>): AnyMap {
  const list = [...entries];
  if (list.every(([key]) => typeof key === "string" && !UNFAITHFUL.test(key))) {
    return Object.fromEntries(list as [string, unknown][]);
  }
  return new Map(list);
}
