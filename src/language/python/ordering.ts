import { compareText } from "./text.ts";
import { comparable, equal, isNumeric, PythonObject, Tuple, typeName } from "./values.ts";
import { typeError } from "./python_error.ts";
import { DateTime } from "../../protocol/wire/msgpack_values.ts";

/**
 * Python's order of two values: negative, zero or positive; NaN if neither is before the other.
 *
 * @param operator the operator, for the message
 * @throws {PythonError} if the two cannot be compared
 */
export function compare(a: unknown, b: unknown, operator = "<"): number {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (isNumeric(a) && isNumeric(b)) {
    const [x, y] = [comparable(a), comparable(b)];
    // deno-lint-ignore eqeqeq
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : NaN;
  }
  if (Array.isArray(a) && Array.isArray(b) && a instanceof Tuple === b instanceof Tuple) {
    for (let at = 0; at < Math.min(a.length, b.length); at++) {
      if (!equal(a[at], b[at])) return compare(a[at], b[at], operator);
    }
    return a.length - b.length;
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    for (let at = 0; at < Math.min(a.length, b.length); at++) if (a[at] !== b[at]) return a[at]! - b[at]!;
    return a.length - b.length;
  }
  if (a instanceof DateTime && b instanceof DateTime) return a.epochMs - b.epochMs || a.micros - b.micros;
  // An undefined value throws its own error.
  for (const one of [a, b]) if (one instanceof PythonObject) one.truth();
  throw typeError(`'${operator}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}

/** Sorts as Python's `sorted()` does; the order of equal items stays. @throws {PythonError} if two cannot be compared */
export function sortedBy<T>(items: Iterable<T>, key: (item: T) => unknown, reverse = false): T[] {
  const keyed = Array.from(items, (item) => ({ item, key: key(item) }));
  // Python sorts the reversed list and reverses it again, so that equal items keep their order.
  if (reverse) keyed.reverse();
  const sorted = mergeSorted(keyed);
  if (reverse) sorted.reverse();
  return sorted.map(({ item }) => item);
}

/** Sorts by merging. As in Python, the later item is compared with the earlier one, which the message of a failure shows. */
function mergeSorted<T extends { key: unknown }>(list: readonly T[]): T[] {
  if (list.length < 2) return [...list];
  const middle = list.length >> 1;
  const [left, right] = [mergeSorted(list.slice(0, middle)), mergeSorted(list.slice(middle))];
  const merged: T[] = [];
  let at = 0;
  for (const item of left) {
    while (at < right.length && compare(right[at]!.key, item.key) < 0) merged.push(right[at++]!);
    merged.push(item);
  }
  while (at < right.length) merged.push(right[at++]!);
  return merged;
}
