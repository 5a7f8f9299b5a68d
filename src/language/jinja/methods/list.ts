import { indexValue } from "../../python/arithmetic.ts";
import { equal, repr, truthy, Tuple } from "../../python/values.ts";
import { iterate } from "../../python/iterate.ts";
import { sortedBy } from "../../python/ordering.ts";
import { PythonError, typeError, valueError } from "../../python/python_error.ts";
import { Callable, type Keywords, NO_KEYWORDS } from "../callable.ts";
import { type MethodTable, positional } from "./method.ts";

type List = unknown[];

/** The most items of a list: a template must not fill the memory by appending a list to itself. */
const MAX_ITEMS = 10_000_000;

function indexOf(list: List, value: unknown): number {
  return list.findIndex((item) => item === value || equal(item, value));
}

function pop(list: List, [at = -1]: readonly unknown[]): unknown {
  if (list.length === 0) throw new PythonError("IndexError", "pop from empty list");
  const index = indexValue(at);
  const place = index < 0 ? index + list.length : index;
  if (place < 0 || place >= list.length) throw new PythonError("IndexError", "pop index out of range");
  return list.splice(place, 1)[0];
}

function place(list: List, [value, start, stop]: readonly unknown[]): number {
  const bound = (at: unknown, otherwise: number) => {
    const index = at === undefined ? otherwise : indexValue(at);
    return Math.max(0, index < 0 ? index + list.length : index);
  };
  const [first, last] = [bound(start, 0), bound(stop, list.length)];
  const found = list.slice(first, last).findIndex((item) => equal(item, value));
  if (found < 0) {
    throw valueError(list instanceof Tuple ? "tuple.index(x): x not in tuple" : `${repr(value)} is not in list`);
  }
  return first + found;
}

function sort(list: List, args: readonly unknown[], keywords: Keywords): null {
  if (args.length > 0) throw typeError("sort() takes no positional arguments");
  for (const name of keywords.keys()) {
    if (name !== "key" && name !== "reverse") throw typeError(`'${name}' is an invalid keyword argument for sort()`);
  }
  const key = keywords.get("key");
  const by = key instanceof Callable ? (item: unknown) => key.call([item], NO_KEYWORDS) : (item: unknown) => item;
  list.splice(0, list.length, ...sortedBy(list, by, truthy(keywords.get("reverse") ?? false)));
  return null;
}

const count = positional<List>("list.count", 1, 1, (list, [value]) => list.filter((item) => equal(item, value)).length);
const index = positional<List>("list.index", 1, 3, place);

export const LIST_METHODS: MethodTable = {
  append: positional<List>("list.append", 1, 1, (list, [value]) => {
    list.push(value);
    return null;
  }),
  clear: positional<List>("list.clear", 0, 0, (list) => {
    list.length = 0;
    return null;
  }),
  copy: positional<List>("list.copy", 0, 0, (list) => [...list]),
  count,
  extend: positional<List>("list.extend", 1, 1, (list, [values]) => {
    // The items are copied first, so that extending a list by itself ends.
    const items = Array.from(iterate(values));
    if (list.length + items.length > MAX_ITEMS) {
      throw new PythonError("MemoryError", `a list may have ${MAX_ITEMS} items at most`);
    }
    for (const item of items) list.push(item);
    return null;
  }),
  index,
  insert: positional<List>("list.insert", 2, 2, (list, [at, value]) => {
    list.splice(indexValue(at), 0, value);
    return null;
  }),
  pop: positional<List>("list.pop", 0, 1, pop),
  remove: positional<List>("list.remove", 1, 1, (list, [value]) => {
    const at = indexOf(list, value);
    if (at < 0) throw valueError("list.remove(x): x not in list");
    list.splice(at, 1);
    return null;
  }),
  reverse: positional<List>("list.reverse", 0, 0, (list) => {
    list.reverse();
    return null;
  }),
  sort: { call: (self: never, args, keywords) => sort(self, args, keywords) },
};

export const TUPLE_METHODS: MethodTable = { count, index };
