import { isFloat, isInteger } from "./values.ts";

/** Order of two texts by code point, as Python compares them; JavaScript's `<` compares UTF-16 units. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    const surrogates = Number(left >= 0xd800 && left < 0xe000) - Number(right >= 0xd800 && right < 0xe000);
    // A surrogate is half of a code point above every other unit.
    return surrogates !== 0 ? surrogates : left - right;
  }
  return a.length - b.length;
}

function isNumeric(value: unknown): boolean {
  return typeof value === "boolean" || isInteger(value) || isFloat(value);
}

/**
 * Sorts as Python's `sorted()` does.
 *
 * @returns the sorted list, or `undefined` where Python raises because two of the values cannot be compared
 */
export function sorted<T>(items: Iterable<T>, key: (item: T) => unknown = (item) => item): T[] | undefined {
  const keyed = Array.from(items, (item) => ({ item, key: key(item) }));
  if (keyed.length < 2) return keyed.map(({ item }) => item);
  if (keyed.every(({ key }) => typeof key === "string")) {
    return keyed.sort((a, b) => compareText(a.key as string, b.key as string)).map(({ item }) => item);
  }
  if (keyed.every(({ key }) => isNumeric(key))) {
    const order = (value: unknown) => (typeof value === "bigint" ? value : Number(value));
    return keyed.sort((a, b) => {
      const left = order(a.key);
      const right = order(b.key);
      return left < right ? -1 : left > right ? 1 : 0;
    }).map(({ item }) => item);
  }
  return undefined;
}
