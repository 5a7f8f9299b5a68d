import { type AnyMap, entriesOf, isMap, repr, tupleOf, typeName } from "../../python/values.ts";
import { dictDelete, dictGet, dictSet, MISSING } from "../../python/dict.ts";
import { DictView } from "../../python/dict_view.ts";
import { iterate } from "../../python/iterate.ts";
import { PythonError, typeError, valueError } from "../../python/python_error.ts";
import type { Keywords } from "../callable.ts";
import { type MethodTable, positional } from "./method.ts";
import { copyOf } from "../../python/update.ts";

/** Python's `dict.update`: updates a map with another map or pairs, and with keywords. */
export function updateDict(map: AnyMap, args: readonly unknown[], keywords: Keywords, name = "update"): void {
  if (args.length > 1) throw typeError(`${name} expected at most 1 argument, got ${args.length}`);
  const [source] = args;
  if (isMap(source)) { for (const [key, value] of entriesOf(source)) dictSet(map, key, value); }
  else if (source !== undefined) {
    let at = 0;
    for (const pair of iterate(source)) {
      const items = pairOf(pair, at);
      dictSet(map, items[0], items[1]);
      at++;
    }
  }
  for (const [key, value] of keywords) dictSet(map, key, value);
}

function pairOf(pair: unknown, at: number): unknown[] {
  let items: unknown[];
  try {
    items = Array.from(iterate(pair));
  } catch (error) {
    if (!(error instanceof PythonError)) throw error;
    throw typeError(`cannot convert dictionary update sequence element #${at} to a sequence`);
  }
  if (items.length !== 2) {
    throw valueError(`dictionary update sequence element #${at} has length ${items.length}; 2 is required`);
  }
  return items;
}

function fromKeys([keys, value = null]: readonly unknown[]): Map<unknown, unknown> {
  const map = new Map<unknown, unknown>();
  for (const key of iterate(keys)) dictSet(map, key, value);
  return map;
}

function popItem(map: AnyMap): unknown {
  const last = entriesOf(map).at(-1);
  if (last === undefined) throw new PythonError("KeyError", "'popitem(): dictionary is empty'");
  dictDelete(map, last[0]);
  return tupleOf(last);
}

export const DICT_METHODS: MethodTable = {
  clear: positional<AnyMap>("dict.clear", 0, 0, (map) => {
    for (const [key] of entriesOf(map)) dictDelete(map, key);
    return null;
  }),
  copy: positional<AnyMap>("dict.copy", 0, 0, copyOf),
  fromkeys: positional<AnyMap>("dict.fromkeys", 1, 2, (_map, args) => fromKeys(args)),
  get: positional<AnyMap>("dict.get", 1, 2, (map, [key, otherwise = null]) => {
    const value = dictGet(map, key);
    return value === MISSING ? otherwise : value;
  }),
  items: positional<AnyMap>("dict.items", 0, 0, (map) => new DictView("items", map)),
  keys: positional<AnyMap>("dict.keys", 0, 0, (map) => new DictView("keys", map)),
  pop: positional<AnyMap>("dict.pop", 1, 2, (map, [key, otherwise]) => {
    const value = dictDelete(map, key);
    if (value !== MISSING) return value;
    if (otherwise === undefined) throw new PythonError("KeyError", repr(key));
    return otherwise;
  }),
  popitem: positional<AnyMap>("dict.popitem", 0, 0, popItem),
  setdefault: positional<AnyMap>("dict.setdefault", 1, 2, (map, [key, otherwise = null]) => {
    const value = dictGet(map, key);
    if (value !== MISSING) return value;
    dictSet(map, key, otherwise);
    return otherwise;
  }),
  update: {
    call(self: never, args: readonly unknown[], keywords: Keywords) {
      updateDict(self, args, keywords);
      return null;
    },
  },
  values: positional<AnyMap>("dict.values", 0, 0, (map) => new DictView("values", map)),
};

/** Returns a map. @throws {PythonError} if the value is not a map */
export function mapOnly(value: unknown): AnyMap {
  if (isMap(value)) return value;
  throw typeError(`'${typeName(value)}' object is not a mapping`);
}
