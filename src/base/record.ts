/**
 * True for a plain object, which stands for a map with text keys: not for arrays, bytes, a `Map`, or instances of a class such
 * as `Float`. A Python dict may also be a `Map`: `isMap()` of `src/language/python` accepts both.
 */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
