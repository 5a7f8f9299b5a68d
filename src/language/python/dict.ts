import { type AnyMap, equal, isFloat, isInteger, isMap, Tuple, typeName } from "./values.ts";
import { typeError } from "./python_error.ts";

/** The result of looking up a missing key. */
export const MISSING: unique symbol = Symbol("missing");

/** Checks that a value can be a key. @throws {PythonError} for a list, map or set */
function checkHashable(key: unknown): void {
  const isMutable = Array.isArray(key) && !(key instanceof Tuple) || isMap(key) || key instanceof Set;
  if (isMutable) throw typeError(`unhashable type: '${typeName(key)}'`);
  if (key instanceof Tuple) { for (const item of key) checkHashable(item); }
}

/** True for a key that JavaScript may distinguish from an equal key of Python: 1, 1.0 and True, and tuples and bytes of the same content. */
function isLoose(key: unknown): boolean {
  return typeof key === "boolean" || isInteger(key) || isFloat(key) || Array.isArray(key) || key instanceof Uint8Array;
}

/** The key of a map or the member of a set that equals a value by Python's rules. */
function sameKey(keys: Iterable<unknown>, key: unknown): unknown {
  for (const one of keys) if (isLoose(one) && equal(one, key)) return one;
  return MISSING;
}

/** The value under a key, by Python's equality; {@link MISSING} if there is none. */
export function dictGet(map: AnyMap, key: unknown): unknown {
  if (!(map instanceof Map)) return typeof key === "string" && Object.hasOwn(map, key) ? map[key] : MISSING;
  const value = map.get(key);
  if (value !== undefined || map.has(key)) return value;
  if (typeof key === "string" || !isLoose(key)) {
    if (key !== null && typeof key === "object") checkHashable(key);
    return MISSING;
  }
  checkHashable(key);
  const same = sameKey(map.keys(), key);
  return same === MISSING ? MISSING : map.get(same);
}

/** Sets the value under a key; an existing key keeps the form in which it was written first. */
export function dictSet(map: AnyMap, key: unknown, value: unknown): void {
  if (map instanceof Map) {
    if (typeof key === "string" || map.has(key)) return void map.set(key, value);
    checkHashable(key);
    const same = isLoose(key) ? sameKey(map.keys(), key) : MISSING;
    return void map.set(same === MISSING ? key : same, value);
  }
  if (typeof key !== "string" || key === "__proto__") {
    checkHashable(key);
    throw typeError(
      `Cannot add the key ${String(key)} to this map, which has text keys alone: copy it by dict(…) first`,
    );
  }
  map[key] = value;
}

/** Removes a key. @returns the value of the key, or {@link MISSING} */
export function dictDelete(map: AnyMap, key: unknown): unknown {
  const value = dictGet(map, key);
  if (value === MISSING) return MISSING;
  if (!(map instanceof Map)) delete map[key as string];
  else if (!map.delete(key)) map.delete(sameKey(map.keys(), key));
  return value;
}

/** True if a set has a member that equals the value. */
export function setHas(set: ReadonlySet<unknown>, value: unknown): boolean {
  if (set.has(value)) return true;
  checkHashable(value);
  return isLoose(value) && sameKey(set, value) !== MISSING;
}

/** Adds a value to a set, unless the set has an equal member. */
export function setAdd(set: Set<unknown>, value: unknown): void {
  if (!setHas(set, value)) set.add(value);
}
