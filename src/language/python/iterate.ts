import { isMap, PythonObject, typeName } from "./values.ts";
import { DictView } from "./dict_view.ts";
import { PythonIterator } from "./iterator.ts";
import { typeError } from "./python_error.ts";
import { PythonRange } from "./range.ts";

/** The number of characters of a text: Python counts code points. */
export function textLength(text: string): number {
  // deno-lint-ignore no-control-regex
  return /^[\u0000-\ud7ff]*$/.test(text) ? text.length : Array.from(text).length;
}

/**
 * The values that a Python `for` would see; undefined if the value cannot be iterated.
 *
 * Lists are followed as they grow; texts give characters, maps their keys.
 */
export function tryIterate(value: unknown): Iterable<unknown> | undefined {
  if (Array.isArray(value) || typeof value === "string" || value instanceof Set || value instanceof Uint8Array) {
    return value;
  }
  if (value instanceof Map) return value.keys();
  if (value instanceof PythonObject) {
    const iterable = value as unknown as Iterable<unknown>;
    return typeof iterable[Symbol.iterator] === "function" ? iterable : undefined;
  }
  return isMap(value) ? Object.keys(value) : undefined;
}

/** As {@link tryIterate}. @throws {PythonError} if the value cannot be iterated */
export function iterate(value: unknown): Iterable<unknown> {
  const values = tryIterate(value);
  if (values !== undefined) return values;
  if (value instanceof PythonObject) value.truth();
  throw typeError(`'${typeName(value)}' object is not iterable`);
}

/** Python's `len()`. @throws {PythonError} if the value has none */
export function lengthOf(value: unknown): number {
  if (typeof value === "string") return textLength(value);
  if (
    Array.isArray(value) || value instanceof Uint8Array || value instanceof PythonRange || value instanceof DictView
  ) {
    return value.length;
  }
  if (value instanceof Map || value instanceof Set) return value.size;
  if (value instanceof PythonObject && !(value instanceof PythonIterator)) {
    const own = (value as { length?: unknown }).length;
    if (typeof own === "number") return own;
  } else if (isMap(value)) return Object.keys(value).length;
  throw typeError(`object of type '${typeName(value)}' has no len()`);
}
