import { type AnyMap, isMap, OrderedMap, repr, Tuple, typeName } from "../../../language/python/values.ts";
import { isRecord } from "../../../base/record.ts";

/** High data that is being compiled: all its maps are of class `Map`, and are private to this compilation. */
export type OpenHigh = Map<unknown, unknown>;

/** The declaration of one id: `{module: [arguments…, function, {order: n}], __sls__, __env__}`. */
export type Body = Map<unknown, unknown>;

/**
 * Copies rendered data to maps that may be changed. A list or map that stands at two places stays one object, like aliases in
 * YAML.
 */
export function opened(value: unknown, done = new Map<object, unknown>()): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = done.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = value instanceof Tuple ? new Tuple() : [];
    done.set(value, list);
    for (const item of value) list.push(opened(item, done));
    return list;
  }
  if (!(value instanceof Map) && !isRecord(value)) return value;
  const map: Map<unknown, unknown> = value instanceof OrderedMap ? new OrderedMap() : new Map();
  done.set(value, map);
  // `forEach` instead of pairs: a tree of states has tens of thousands of pairs, and this code is not compiled by the runtime
  // yet.
  if (value instanceof Map) value.forEach((item, key) => map.set(key, opened(item, done)));
  else for (const key of Object.keys(value)) map.set(key, opened(value[key], done));
  return map;
}

/** A copy of high data for the compilation to change. */
export function openHigh(high: AnyMap): OpenHigh {
  return opened(high) as OpenHigh;
}

/** True for the keys that are not modules or ids: `__sls__`, `__env__`, `__extend__`. */
export const isInternal = (key: unknown): boolean => typeof key === "string" && key.startsWith("__");

/** The first key of a map, which says what the argument is; undefined for an empty map. */
export const firstKey = (map: AnyMap): unknown => map instanceof Map ? map.keys().next().value : Object.keys(map)[0];

export const isArgument = (value: unknown): value is Map<unknown, unknown> => value instanceof Map && value.size === 1;

/** Each id with its declaration, without `__extend__` and `__exclude__`. */
export function* bodiesOf(high: OpenHigh): Generator<[unknown, Body]> {
  for (const [id, body] of high) if (!isInternal(id) && body instanceof Map) yield [id, body];
}

/** Each module of an id with its list of arguments; modules without a list are skipped. */
export function* runsOf(body: Body): Generator<[string, unknown[]]> {
  for (const [state, run] of body) {
    if (typeof state === "string" && !isInternal(state) && Array.isArray(run)) yield [state, run];
  }
}

/** Splits `module.function`; text after a second dot is dropped. */
export function splitFunction(name: string): [module: string, fun: string] {
  const [module = "", fun = ""] = name.split(".");
  return [module, fun];
}

/** The error for a key that is not a text. */
export function notText(key: unknown, id: unknown, sls: unknown): string {
  return `The key ${repr(key)} of ID '${String(id)}' in SLS '${String(sls)}' is not formed as a string, but is a ${
    typeName(key)
  }. It may need to be quoted.`;
}

/** The SLS file of an id, for messages. */
export const slsOf = (body: unknown): string =>
  isMap(body) && body instanceof Map ? String(body.get("__sls__") ?? "None") : "None";
