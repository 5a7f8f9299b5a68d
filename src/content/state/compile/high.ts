import { type AnyMap, isMap, OrderedMap, Tuple } from "../../../language/python/containers.ts";
import { repr } from "../../../language/python/repr.ts";
import { typeName } from "../../../language/python/type_name.ts";
import { isRecord } from "../../../base/record.ts";

/** High data that is being compiled: every map in it is a `Map`, and belongs to this compilation. */
export type OpenHigh = Map<unknown, unknown>;

/** What one id declares: `{module: [arguments…, function, {order: n}], __sls__, __env__}`. */
export type Body = Map<unknown, unknown>;

/** Rendered data as maps that may be changed. What was one list or map at two places is one again, as YAML's aliases are. */
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
  // Not by pairs: a tree of states has tens of thousands of them, and nothing is compiled to machine code yet.
  if (value instanceof Map) value.forEach((item, key) => map.set(key, opened(item, done)));
  else for (const key of Object.keys(value)) map.set(key, opened(value[key], done));
  return map;
}

/** A copy of high data that compiling may change. */
export function openHigh(high: AnyMap): OpenHigh {
  return opened(high) as OpenHigh;
}

/** True for the keys that hold what is no state: `__sls__`, `__env__`, `__extend__`. */
export const isInternal = (key: unknown): boolean => typeof key === "string" && key.startsWith("__");

/** The key that decides what an argument is; undefined of an empty map. */
export const firstKey = (map: AnyMap): unknown => map instanceof Map ? map.keys().next().value : Object.keys(map)[0];

/** True for a map of one entry, which is what an argument should be. */
export const isArgument = (value: unknown): value is Map<unknown, unknown> => value instanceof Map && value.size === 1;

/** The ids and what they declare, without `__extend__` and `__exclude__`. */
export function* bodiesOf(high: OpenHigh): Generator<[unknown, Body]> {
  for (const [id, body] of high) if (!isInternal(id) && body instanceof Map) yield [id, body];
}

/** The modules of an id and their lists, without what is no list. */
export function* runsOf(body: Body): Generator<[string, unknown[]]> {
  for (const [state, run] of body) {
    if (typeof state === "string" && !isInternal(state) && Array.isArray(run)) yield [state, run];
  }
}

/** Splits `module.function`; what is behind a second dot counts for nothing. */
export function splitFunction(name: string): [module: string, fun: string] {
  const [module = "", fun = ""] = name.split(".");
  return [module, fun];
}

/** What is said of a key that should have been a text. */
export function notText(key: unknown, id: unknown, sls: unknown): string {
  return `The key ${repr(key)} of ID '${String(id)}' in SLS '${String(sls)}' is not formed as a string, but is a ${
    typeName(key)
  }. It may need to be quoted.`;
}

/** The file that an id is from, as messages show it. */
export const slsOf = (body: unknown): string =>
  isMap(body) && body instanceof Map ? String(body.get("__sls__") ?? "None") : "None";
