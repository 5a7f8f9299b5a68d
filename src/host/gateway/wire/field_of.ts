import { isMap, lookup } from "../../../language/python/values.ts";

/** A field of a value; undefined if the field is missing, or if the value is not a map. */
export function fieldOf(value: unknown, name: string): unknown {
  return isMap(value) ? lookup(value, name) : undefined;
}
