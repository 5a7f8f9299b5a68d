import { type AnyMap, entriesOf, isMap, OrderedMap } from "./containers.ts";
import { equal } from "./equal.ts";

export interface UpdateOptions {
  /** Lists under one key are joined rather than replaced. @default false */
  mergeLists?: boolean;
}

/** One map laid over another, and so their maps under the same key, at every level; neither is changed. */
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

/** A list, and what of another it does not have yet. */
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
