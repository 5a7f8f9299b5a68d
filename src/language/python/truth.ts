import { isMap, sizeOf } from "./containers.ts";
import { Float } from "./float.ts";
import { PythonObject } from "./object.ts";

/** Python's `bool(value)`: null, false, zero and everything empty are false. */
export function truthy(value: unknown): boolean {
  if (value instanceof Float) return value.valueOf() !== 0;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length > 0;
  if (value instanceof PythonObject) return value.truth();
  if (value instanceof Set) return value.size > 0;
  if (isMap(value)) return sizeOf(value) > 0;
  // NaN is true in Python and false in JavaScript.
  return typeof value === "number" && Number.isNaN(value) ? true : Boolean(value);
}
