import { entriesOf, isMap, OrderedMap, Tuple } from "./containers.ts";
import { isRecord } from "../record.ts";

/** Python's `copy.deepcopy` of data: lists, maps and sets are new ones, a value that occurs twice is one value again. */
export function deepCopy<T>(value: T): T {
  return copy(value, new Map()) as T;
}

function copy(value: unknown, done: Map<unknown, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = done.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = value instanceof Tuple ? new Tuple() : [];
    done.set(value, list);
    for (const item of value) list.push(copy(item, done));
    return list;
  }
  if (value instanceof Map) {
    const map: Map<unknown, unknown> = value instanceof OrderedMap ? new OrderedMap() : new Map();
    done.set(value, map);
    value.forEach((item, key) => map.set(copy(key, done), copy(item, done)));
    return map;
  }
  if (value instanceof Set) return new Set(Array.from(value, (item) => copy(item, done)));
  if (!isRecord(value)) return value;
  const record: Record<string, unknown> = {};
  done.set(value, record);
  for (const [key, item] of Object.entries(value)) {
    // Not by assignment: a key called __proto__ is a key like any other.
    Object.defineProperty(record, key, {
      value: copy(item, done),
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  return record;
}

/** A copy whose maps have no order of their own (Python's `dict`), as JSON and the data in templates have them. */
export function plainMaps(value: unknown, done = new Map<unknown, unknown>()): unknown {
  if (value === null || typeof value !== "object") return value;
  const known = done.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    done.set(value, list);
    for (const item of value) list.push(plainMaps(item, done));
    return list;
  }
  if (!isMap(value)) return value;
  const map = new Map<unknown, unknown>();
  done.set(value, map);
  for (const [key, item] of entriesOf(value)) map.set(key, plainMaps(item, done));
  return map;
}
