import { entriesOf, isMap, str, Tuple } from "../../language/python/values.ts";

/** The values without the ids, one per line; the items of a list count as values. */
export function newlineValuesOnly(data: unknown): string {
  if (!isMap(data)) throw new TypeError("Cannot show values: expected a map");
  return entriesOf(data)
    .flatMap(([, value]) => Array.isArray(value) && !(value instanceof Tuple) ? value : [value])
    .map(str).join("\n");
}
