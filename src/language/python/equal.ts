import { entriesOf, isMap, sizeOf } from "./containers.ts";
import { Tuple } from "./containers.ts";
import { comparable, isNumeric } from "./float.ts";
import { PythonObject } from "./object.ts";

/** Python's `a == b`: numbers and booleans are compared by value, lists in order, maps in any order. */
export function equal(a: unknown, b: unknown): boolean {
  if (isNumeric(a) && isNumeric(b)) {
    // Large integers stay exact: a bigint is never converted to a number.
    // deno-lint-ignore eqeqeq
    return typeof a === "bigint" || typeof b === "bigint" ? comparable(a) == comparable(b) : Number(a) === Number(b);
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    // A list never equals a tuple.
    return a instanceof Tuple === b instanceof Tuple && a.length === b.length &&
      a.every((item, at) => equal(item, b[at]));
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return a.length === b.length && a.every((byte, at) => byte === b[at]);
  }
  if (isMap(a) && isMap(b)) {
    if (sizeOf(a) !== sizeOf(b)) return false;
    const others = new Map(entriesOf(b));
    return entriesOf(a).every(([key, value]) => others.has(key) && equal(value, others.get(key)));
  }
  if (a instanceof Set && b instanceof Set) {
    return a.size === b.size && [...a].every((item) => b.has(item) || [...b].some((other) => equal(item, other)));
  }
  if (a instanceof PythonObject && a !== b) return a.equals(b);
  if (b instanceof PythonObject && a !== b) return b.equals(a);
  return a === b;
}
