import { entriesOf, isMap } from "../../src/language/python/values.ts";

/** A value with its maps as lists of entries: two of these are equal only if their keys are in the same order. */
export function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, ordered);
  if (isMap(value)) return { map: entriesOf(value).map(([key, item]) => [key, ordered(item)]) };
  return value;
}

/** A value with objects for its maps, as it reads in a test. */
export function asObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asObjects);
  return isMap(value)
    ? Object.fromEntries(entriesOf(value).map(([key, item]) => [String(key), asObjects(item)]))
    : value;
}
