import { add, asNumber, divide } from "../../../python/arithmetic.ts";
import {
  type AnyMap,
  entriesOf,
  equal,
  isInteger,
  isMap,
  OrderedMap,
  repr,
  str,
  toFloat,
  truthy,
  Tuple,
  tupleOf,
  typeName,
} from "../../../python/values.ts";
import { dictGet, dictSet, MISSING, setAdd, setHas } from "../../../python/dict.ts";
import { DictView } from "../../../python/dict_view.ts";
import { iterate, PythonIterator, tryIterate } from "../../../python/iterate.ts";
import { compare, sortedBy } from "../../../python/ordering.ts";
import { PythonError, typeError, valueError } from "../../../python/python_error.ts";
import { traverse } from "../../../python/traverse.ts";
import { Callable, contains, type Filter, filter, type Run, Undefined, updateDict } from "../../../jinja/mod.ts";
import { SaltFunctionError } from "../salt_functions.ts";
import { toNumber } from "./convert.ts";
import { definedOnly } from "./serialize.ts";
import { isList } from "../../../python/update.ts";
import { parseQuery } from "../../jmespath/parse.ts";

/** The most items of combinations and products. */
const MAX_ITEMS = 100_000;

const isHashable = (value: unknown) =>
  !(Array.isArray(value) && !(value instanceof Tuple)) && !isMap(value) && !(value instanceof Set) &&
  !(value instanceof DictView);

function distinct(values: Iterable<unknown>): unknown[] {
  const kept: unknown[] = [];
  const seen = new Set<unknown>();
  for (const value of values) {
    if (typeof value === "string" ? seen.has(value) : kept.some((one) => equal(one, value))) continue;
    if (typeof value === "string") seen.add(value);
    kept.push(value);
  }
  return kept;
}

function setOf(values: Iterable<unknown>): Set<unknown> {
  const set = new Set<unknown>();
  for (const value of values) setAdd(set, value);
  return set;
}

const has = (values: readonly unknown[], value: unknown) => values.some((one) => equal(one, value));

type Joined = { sets: (a: Set<unknown>, b: Set<unknown>) => unknown[]; lists: (a: unknown, b: unknown) => unknown };

/** A filter of two collections: works on sets if all items can be members of sets, otherwise on lists. */
function ofTwo(name: string, { sets, lists }: Joined): Filter {
  return definedOnly(filter(name, ["lst1", "lst2"], ({ lst1, lst2 }) => {
    if (isHashable(lst1) && isHashable(lst2)) return setOf(sets(setOf(iterate(lst1)), setOf(iterate(lst2))));
    return lists(lst1, lst2);
  }));
}

const items = (value: unknown) => Array.from(iterate(value));

function within(value: unknown): (item: unknown) => boolean {
  const texts = Array.isArray(value) ? new Set(value.filter((one) => typeof one === "string")) : undefined;
  return (item) => typeof item === "string" && texts !== undefined ? texts.has(item) : contains(value, item) as boolean;
}

const union = (a: unknown, b: unknown) => distinct(items(add(a, b)));
const intersect = (a: unknown, b: unknown) => distinct(items(a).filter(within(b)));

function difference(a: unknown, b: unknown): unknown[] {
  const has = within(b);
  return distinct(items(a).filter((item) => !has(item)));
}

function flatten(value: unknown, levels: number | undefined, keepNulls: boolean): unknown[] {
  const flat: unknown[] = [];
  for (const item of iterate(value)) {
    if (!keepNulls && (item === null || item === "None" || item === "null")) continue;
    const goesDeeper = typeof item !== "string" && !(item instanceof Uint8Array) && tryIterate(item) !== undefined;
    if (!goesDeeper || levels === 0) flat.push(item);
    else flat.push(...flatten(item, levels === undefined ? undefined : levels - 1, keepNulls));
    if (flat.length > MAX_ITEMS) throw valueError(`flatten makes lists of ${MAX_ITEMS} items at most`);
  }
  return flat;
}

function* combinations(pool: readonly unknown[], size: number, repeats: boolean, from = 0): Generator<unknown[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let at = from; at < pool.length; at++) {
    for (const rest of combinations(pool, size - 1, repeats, repeats ? at : at + 1)) yield [pool[at], ...rest];
  }
}

/** Permutations in the order of Python's `itertools`: the last place changes first. */
function* permutations(pool: readonly unknown[], size: number): Generator<unknown[]> {
  if (size > pool.length) return;
  const places = pool.map((_item, at) => at);
  const cycles = Array.from({ length: size }, (_, at) => pool.length - at);
  yield places.slice(0, size).map((at) => pool[at]);
  for (let at = size - 1; at >= 0;) {
    cycles[at]!--;
    if (cycles[at] === 0) {
      places.push(...places.splice(at, 1));
      cycles[at] = pool.length - at;
      at--;
      continue;
    }
    const other = places.length - cycles[at]!;
    [places[at], places[other]] = [places[other]!, places[at]!];
    yield places.slice(0, size).map((place) => pool[place]);
    at = size - 1;
  }
}

function* product(pools: readonly (readonly unknown[])[]): Generator<unknown[]> {
  if (pools.length === 0) {
    yield [];
    return;
  }
  for (const first of pools[0]!) for (const rest of product(pools.slice(1))) yield [first, ...rest];
}

function* zipped(lists: readonly (readonly unknown[])[], length: number, fill: unknown): Generator<unknown[]> {
  for (let at = 0; at < length; at++) yield lists.map((list) => at < list.length ? list[at] : fill);
}

function* bounded(values: Iterable<unknown[]>): Generator<unknown> {
  let count = 0;
  for (const value of values) {
    if (++count > MAX_ITEMS) throw valueError(`at most ${MAX_ITEMS} combinations are made`);
    yield tupleOf(value);
  }
}

const tuples = (type: string, values: Iterable<unknown[]>) => new PythonIterator(type, bounded(values));

function wholeOf(value: unknown): number {
  if (!isInteger(value)) throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
  if (value < 0) throw valueError("r must be non-negative");
  return Number(value);
}

/** The map with the last key of a path, and that key; missing maps are added. */
function placeOf(map: unknown, path: unknown, delimiter: string, fresh: () => AnyMap): [AnyMap, unknown] {
  if (typeof path !== "string") {
    if (tryIterate(path) === undefined) throw typeError(`argument of type '${typeName(path)}' is not iterable`);
    if (map instanceof Undefined) map.fail();
    if (!isMap(map)) throw typeError(`'${typeName(map)}' object is not a mapping`);
    return [map, path];
  }
  if (map instanceof Undefined) map.fail();
  const keys = path.split(delimiter);
  const last = keys.pop()!;
  let here = map;
  for (const key of keys) {
    if (!isMap(here)) throw typeError(`'${typeName(here)}' object is not a mapping`);
    const inner = dictGet(here, key);
    if (isMap(inner)) here = inner;
    else dictSet(here, key, here = fresh());
  }
  if (!isMap(here)) throw typeError(`'${typeName(here)}' object is not a mapping`);
  return [here, last];
}

const PATH_PARAMETERS = ["in_dict", "keys", "value", ["delimiter", ":"], ["ordered_dict", false]] satisfies Parameters<
  typeof filter
>[1];

const mapMaker = (ordered: unknown) => (): AnyMap => truthy(ordered) ? new OrderedMap() : new Map();

/** A filter that changes the value at the end of a path, and returns the map. */
function changing(
  name: string,
  verb: string,
  fresh: (ordered: unknown) => unknown,
  change: (at: unknown, value: unknown) => boolean,
): Filter {
  return filter(name, PATH_PARAMETERS, ({ in_dict, keys, value, delimiter, ordered_dict }) => {
    const [holder, key] = placeOf(in_dict, keys, str(delimiter), mapMaker(ordered_dict));
    let at = dictGet(holder, key);
    if (at === MISSING || at === null) dictSet(holder, key, at = fresh(ordered_dict));
    let known: boolean;
    try {
      known = change(at, value);
    } catch (error) {
      if (!(error instanceof PythonError)) throw error;
      throw new SaltFunctionError(`Cannot ${verb} <class '${typeName(at)}'> with a <class '${typeName(value)}'>.`);
    }
    if (!known) throw new SaltFunctionError(`The last key contains a <class '${typeName(at)}'>, which cannot ${verb}.`);
    return in_dict;
  });
}

function compareDicts(before: unknown, after: unknown): Map<unknown, unknown> {
  const [old, now] = [before, after].map((map) => {
    if (map instanceof Undefined) map.fail();
    if (truthy(map) && !isMap(map)) throw typeError(`'${typeName(map)}' object is not a mapping`);
    return isMap(map) ? map : {};
  }) as [AnyMap, AnyMap];
  const keys = distinct([...entriesOf(old), ...entriesOf(now)].map(([key]) => key));
  const changes = new Map<unknown, unknown>();
  for (const key of keys) {
    const [was, is] = [dictGet(old, key), dictGet(now, key)];
    if (is === MISSING) changes.set(key, new Map([["new", ""], ["old", was]]));
    else if (was === MISSING) changes.set(key, new Map([["old", ""], ["new", is]]));
    else if (!equal(was, is)) changes.set(key, new Map([["old", was], ["new", is]]));
  }
  return changes;
}

function compareLists(before: unknown, after: unknown): Map<unknown, unknown> {
  const changes = new Map<unknown, unknown>();
  const [old, now] = [items(before), items(after)];
  const added = now.filter((item) => !has(old, item));
  const removed = old.filter((item) => !has(now, item));
  if (added.length > 0) changes.set("new", added);
  if (removed.length > 0) changes.set("old", removed);
  return changes;
}

function most(value: unknown, wanted: "min" | "max"): unknown {
  const all = items(value);
  if (all.length === 0) throw valueError(`${wanted}() arg is an empty sequence`);
  const sign = wanted === "min" ? 1 : -1;
  return all.reduce((best, item) => compare(item, best) * sign < 0 ? item : best);
}

const textually = (name: string, change: (item: string) => unknown) =>
  filter(name, ["lst"], ({ lst }) => change(str(lst)));

/** Salt's filters of lists and maps. */
export const LIST_FILTERS: Readonly<Record<string, Filter>> = {
  unique: definedOnly(
    filter(
      "unique",
      ["values"],
      ({ values }) => isHashable(values) ? setOf(iterate(values)) : distinct(iterate(values)),
    ),
  ),
  min: definedOnly(filter("lst_min", ["obj"], ({ obj }) => most(obj, "min"))),
  max: definedOnly(filter("lst_max", ["obj"], ({ obj }) => most(obj, "max"))),
  avg: definedOnly(filter("lst_avg", ["lst"], ({ lst }) => {
    if (isHashable(lst)) {
      const number = asNumber(lst);
      if (number === undefined) {
        throw typeError(`float() argument must be a string or a real number, not '${typeName(lst)}'`);
      }
      return toFloat(number);
    }
    const all = items(lst);
    return divide(all.reduce(add, 0), all.length);
  })),
  union: ofTwo("union", {
    sets: (a, b) => [...a, ...b],
    lists: union,
  }),
  intersect: ofTwo("intersect", {
    sets: (a, b) => [...a].filter((item) => setHas(b, item)),
    lists: intersect,
  }),
  difference: ofTwo("difference", {
    sets: (a, b) => [...a].filter((item) => !setHas(b, item)),
    lists: difference,
  }),
  symmetric_difference: ofTwo("symmetric_difference", {
    sets: (a, b) => [...[...a].filter((item) => !setHas(b, item)), ...[...b].filter((item) => !setHas(a, item))],
    lists: (a, b) => difference(union(a, b), intersect(a, b)),
  }),
  flatten: filter(
    "flatten",
    ["data", ["levels", null], ["preserve_nulls", false], ["_ids", null]],
    (bound) =>
      flatten(bound.data, bound.levels === null ? undefined : wholeOf(bound.levels), truthy(bound.preserve_nulls)),
  ),
  combinations: definedOnly(filter(
    "combinations",
    ["iterable", "r"],
    ({ iterable, r }) => tuples("itertools.combinations", combinations(items(iterable), wholeOf(r), false)),
  )),
  combinations_with_replacement: definedOnly(filter(
    "combinations_with_replacement",
    ["iterable", "r"],
    ({ iterable, r }) =>
      tuples("itertools.combinations_with_replacement", combinations(items(iterable), wholeOf(r), true)),
  )),
  compress: definedOnly(filter("compress", ["data", "selectors"], ({ data, selectors }) => {
    const chosen = items(selectors);
    return new PythonIterator("itertools.compress", items(data).filter((_item, at) => truthy(chosen[at] ?? null)));
  })),
  permutations: definedOnly(filter("permutations", ["iterable", ["r", null]], ({ iterable, r }) => {
    const pool = items(iterable);
    return tuples("itertools.permutations", permutations(pool, r === null ? pool.length : wholeOf(r)));
  })),
  product: definedOnly((_run, value, args, keywords) => {
    const pools = [value, ...args].map(items);
    const repeat = wholeOf(keywords.get("repeat") ?? 1);
    return tuples("itertools.product", product(Array.from({ length: repeat }, () => pools).flat(1)));
  }),
  zip: definedOnly((_run, value, args) => {
    const lists = [value, ...args].map(items);
    return tuples("zip", zipped(lists, Math.min(...lists.map(({ length }) => length)), null));
  }),
  zip_longest: definedOnly((_run, value, args, keywords) => {
    const lists = [value, ...args].map(items);
    const length = Math.max(...lists.map((list) => list.length));
    return tuples("itertools.zip_longest", zipped(lists, length, keywords.get("fillvalue") ?? null));
  }),
  method_call: (run, value, [name, ...args], keywords) => {
    const method = run.environment.attributes.ownAttribute(value, str(name));
    if (method instanceof Undefined) return null;
    if (!(method instanceof Callable)) throw typeError(`'${typeName(method)}' object is not callable`);
    return method.call(args, keywords);
  },
  sorted_ignorecase: filter(
    "sorted_ignorecase",
    ["to_sort"],
    ({ to_sort }) =>
      sortedBy(iterate(to_sort), (item) => {
        if (typeof item === "string") return item.toLowerCase();
        throw new PythonError("AttributeError", `'${typeName(item)}' object has no attribute 'lower'`);
      }),
  ),
  is_list: filter("is_list", ["value"], ({ value }) => isList(value)),
  is_iter: filter(
    "is_iter",
    ["thing", ["ignore", undefined]],
    ({ thing, ignore }) =>
      (thing instanceof Undefined ? thing.fail() : tryIterate(thing)) !== undefined &&
      (ignore !== undefined || typeof thing !== "string" && !(thing instanceof Uint8Array)),
  ),
  exactly_n_true: filter(
    "exactly_n",
    ["iterable", ["amount", 1]],
    ({ iterable, amount }) => items(iterable).filter(truthy).length === Number(amount),
  ),
  exactly_one_true: filter("exactly_one", ["iterable"], ({ iterable }) => items(iterable).filter(truthy).length === 1),
  compare_dicts: filter("compare_dicts", ["old", "new"], ({ old, new: now }) => compareDicts(old, now)),
  compare_lists: filter("compare_lists", ["old", "new"], ({ old, new: now }) => compareLists(old, now)),
  traverse: filter(
    "traverse",
    ["data", "key", ["default", null], ["delimiter", ":"]],
    (bound) => {
      if (bound.data instanceof Undefined) bound.data.fail();
      const found = traverse(bound.data, bound.key, str(bound.delimiter));
      return found === undefined ? bound.default : found;
    },
  ),
  set_dict_key_value: filter(
    "set_dict_key_value",
    PATH_PARAMETERS,
    ({ in_dict, keys, value, delimiter, ordered_dict }) => {
      const [holder, key] = placeOf(in_dict, keys, str(delimiter), mapMaker(ordered_dict));
      dictSet(holder, key, value);
      return in_dict;
    },
  ),
  update_dict_key_value: changing("update_dict_key_value", "update", (ordered) => mapMaker(ordered)(), (at, value) => {
    if (!isMap(at)) return false;
    updateDict(at, [value], new Map());
    return true;
  }),
  append_dict_key_value: changing("append_dict_key_value", "append", () => [], (at, value) => {
    if (!isList(at)) return false;
    at.push(value);
    return true;
  }),
  extend_dict_key_value: changing("extend_dict_key_value", "extend", () => [], (at, value) => {
    if (!isList(at)) return false;
    for (const item of items(value)) at.push(item);
    return true;
  }),
  sequence: definedOnly(
    filter(
      "ensure_sequence_filter",
      ["data"],
      ({ data }) => Array.isArray(data) || isMap(data) || data instanceof Set ? data : [data],
    ),
  ),
  mysql_to_dict: filter(
    "mysql_to_dict",
    ["data", "key"],
    ({ data, key }) => mysqlTable(items(data).map(str), str(key)),
  ),
  skip: textually("skip_filter", () => ""),
};

/** The output of the client `mysql` as a map of rows by one of their columns. */
function mysqlTable(lines: readonly string[], key: string): Map<unknown, unknown> {
  const rows = lines.filter((line) => line.startsWith("|")).map((line) =>
    line.split("|").slice(1, -1).map((cell) => cell.trim())
  );
  const [heads = [], ...body] = rows;
  const table = new Map<unknown, unknown>();
  for (const row of body) {
    const values = new Map(heads.map((head, at) => [head, toNumber(row[at] ?? "")]));
    if (!values.has(key)) throw new PythonError("KeyError", repr(key));
    dictSet(table, values.get(key), values);
  }
  return table;
}

function query(data: unknown, expression: string, { budget }: Run): unknown {
  if (data instanceof Undefined) data.fail();
  return parseQuery(expression)(data ?? null, budget) ?? null;
}

/** Salt's filter of JMESPath. */
export const QUERY_FILTERS: Readonly<Record<string, Filter>> = {
  json_query: filter("json_query", ["data", "expr"], ({ data, expr }, run) => query(data, str(expr), run)),
};
