import { type AnyMap, entriesOf, isMap, OrderedMap } from "./containers.ts";
import { equal } from "./equal.ts";

export interface UpdateOptions {
  /** Join lists under the same key instead of replacing them. @default false */
  mergeLists?: boolean;
}

/** Merges `over` into `under`, recursively for maps under the same key, and returns a new map; neither input is changed. */
export function updated(under: AnyMap, over: AnyMap, options: UpdateOptions = {}): OrderedMap {
  const merged = new OrderedMap(entriesOf(under));
  for (const [key, value] of entriesOf(over)) {
    const before = merged.get(key);
    if (isMap(before) && isMap(value)) merged.set(key, updated(before, value, options));
    else if (options.mergeLists && Array.isArray(before) && Array.isArray(value)) {
      merged.set(key, joinLists(before, value));
    } else merged.set(key, value);
  }
  return merged;
}

/** The items of the first list, then those of the second that it does not contain. */
export function joinLists(first: readonly unknown[], second: readonly unknown[]): unknown[] {
  const joined = [...first];
  const texts = new Set<unknown>(first.filter((item) => typeof item === "string"));
  for (const item of second) {
    if (typeof item === "string" ? texts.has(item) : joined.some((other) => equal(other, item))) continue;
    if (typeof item === "string") texts.add(item);
    joined.push(item);
  }
  return joined;
}
