import { type AnyMap, entriesOf, equal, isMap, OrderedMap, Tuple } from "./values.ts";
import { deepCopy } from "./copy.ts";
import { dictGet, dictSet } from "./dict.ts";

interface UpdateOptions {
  /** Join lists under the same key instead of replacing them. @default false */
  mergeLists?: boolean;
  /** Merge maps under the same key instead of replacing them. @default true */
  recursive?: boolean;
}

export const isList = (value: unknown): value is unknown[] => Array.isArray(value) && !(value instanceof Tuple);

/**
 * Merges `over` into `dest`, recursively for maps under the same key.
 *
 * @returns `dest`, which is changed; a copy if `dest` is a plain object, since plain objects cannot hold every key
 * @see salt/utils/dictupdate.py update
 */
export function update(dest: AnyMap, over: AnyMap, options: UpdateOptions = {}): Map<unknown, unknown> {
  const { mergeLists = false, recursive = true } = options;
  const target = dest instanceof Map ? dest : new Map(entriesOf(dest));
  for (const [key, value] of entriesOf(over)) {
    const before = recursive ? dictGet(target, key) : undefined;
    if (isMap(before) && isMap(value)) dictSet(target, key, update(before, value, { mergeLists }));
    else if (mergeLists && isList(before) && isList(value)) dictSet(target, key, joinLists(deepCopy(before), value));
    else dictSet(target, key, value);
  }
  return target;
}

/**
 * Merges `over` over `under` as {@link update} does, and changes neither: maps that are in both are copied, as the kind of the first,
 * and all other values are shared.
 */
export function updated(under: AnyMap, over: AnyMap, { mergeLists = false } = {}): Map<unknown, unknown> {
  const merged = copyOf(under);
  for (const [key, value] of entriesOf(over)) {
    const before = dictGet(merged, key);
    if (isMap(before) && isMap(value)) dictSet(merged, key, updated(before, value, { mergeLists }));
    else if (mergeLists && isList(before) && isList(value)) dictSet(merged, key, joinLists(before, value));
    else dictSet(merged, key, value);
  }
  return merged;
}

/** A shallow copy of a map: an `OrderedMap` stays one. */
export function copyOf(map: AnyMap): Map<unknown, unknown> {
  return map instanceof OrderedMap ? new OrderedMap(map) : new Map(entriesOf(map));
}

/** The items of the first list, then the items of the second that the first does not contain. */
export function joinLists(first: readonly unknown[], second: readonly unknown[]): unknown[] {
  const texts = new Set<unknown>(first.filter((item) => typeof item === "string"));
  const isNew = (item: unknown) =>
    typeof item === "string" ? !texts.has(item) : !first.some((other) => equal(other, item));
  return [...first, ...second.filter(isNew)];
}
