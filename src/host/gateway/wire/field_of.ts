import { isMap, lookup } from "../../../language/python/containers.ts";

/** A field of a value that may not be a map at all; undefined if it is not there. */
export function fieldOf(value: unknown, name: string): unknown {
  return isMap(value) ? lookup(value, name) : undefined;
}
