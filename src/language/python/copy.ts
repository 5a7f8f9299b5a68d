import { entriesOf, isMap, OrderedMap, Tuple } from "./values.ts";

/** Python's `copy.deepcopy` for data: lists, maps and sets are copied; a value that occurs twice becomes one copy. */
export function deepCopy<T>(value: T): T {
  return copy(value, new Map(), false) as T;
}

/** A deep copy in which every plain object is a `Map`: templates write keys into maps that an object cannot hold, or not in order. */
export function copyAsDicts(value: unknown): unknown {
  return copy(value, new Map(), true);
}

/**
 * The same data, with a `Map` for each plain object. A value without plain objects is returned itself.
 *
 * @param done the maps and lists that were made before, so that an object is the same map wherever it comes from
 */
export function asDicts(value: unknown, done: WeakMap<object, unknown>, inside = new Set<unknown>()): unknown {
  if (typeof value !== "object" || value === null || inside.has(value)) return value;
  const known = done.get(value);
  if (known !== undefined) return known;
  const each = (item: unknown) => asDicts(item, done, inside);
  inside.add(value);
  let same = value;
  if (Array.isArray(value)) {
    const list = value.map(each);
    if (list.some((item, at) => item !== value[at])) same = list;
  } else if (isMap(value)) {
    const entries = entriesOf(value).map(([key, item]): [unknown, unknown] => [key, each(item)]);
    if (!(value instanceof Map)) same = new Map(entries);
    else if (entries.some(([key, item]) => item !== value.get(key))) {
      same = value instanceof OrderedMap ? new OrderedMap(entries) : new Map(entries);
    }
  }
  inside.delete(value);
  if (same !== value) done.set(value, same);
  return same;
}

function copy(value: unknown, done: Map<unknown, unknown>, asMaps: boolean): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = done.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = value instanceof Tuple ? new Tuple() : [];
    done.set(value, list);
    for (const item of value) list.push(copy(item, done, asMaps));
    return list;
  }
  if (value instanceof Set) return new Set(Array.from(value, (item) => copy(item, done, asMaps)));
  if (!isMap(value)) return value;
  if (value instanceof Map || asMaps) {
    const map: Map<unknown, unknown> = value instanceof OrderedMap ? new OrderedMap() : new Map();
    done.set(value, map);
    for (const [key, item] of entriesOf(value)) map.set(copy(key, done, asMaps), copy(item, done, asMaps));
    return map;
  }
  const record: Record<string, unknown> = {};
  done.set(value, record);
  for (const [key, item] of Object.entries(value)) {
    // defineProperty() and not an assignment: a key called __proto__ is a key like any other.
    Object.defineProperty(record, key, {
      value: copy(item, done, asMaps),
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
