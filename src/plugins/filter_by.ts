import { type AnyMap, entriesOf, isMap, str, truthy } from "../language/python/values.ts";
import { deepCopy } from "../language/python/copy.ts";
import { dictGet, MISSING } from "../language/python/dict.ts";
import { compileGlob } from "../language/python/glob.ts";
import { traverse } from "../language/python/traverse.ts";
import { update } from "../language/python/update.ts";
import { pythonError } from "./python_errors.ts";

/** The signature of `filter_by` after the name of what is looked at. */
export const FILTER_BY = "merge=None, default='default', base=None";

const inTable = (table: AnyMap, key: unknown): unknown => {
  const value = dictGet(table, key);
  return value === MISSING ? null : value;
};

/** The value of the first key, itself a glob, that one of the values matches. */
function choose(table: AnyMap, values: readonly unknown[]): unknown {
  const entries = entriesOf(table).map(([key, value]): [string, unknown] => [str(key), value]);
  for (const text of values.map(str)) {
    const found = entries.find(([key]) => key === text || compileGlob(key)(text))?.[1] ?? null;
    if (found !== null) return found;
  }
  return null;
}

/**
 * Chooses from a table by a grain or a pillar value. What `merge` holds is written into the table itself, as templates know it from Salt.
 *
 * @param data the grains or the pillar
 * @param path where the value stands in it
 * @see salt/utils/data.py filter_by
 */
export function filterBy(data: unknown, path: unknown, args: Record<string, unknown>): unknown {
  const { lookup_dict: table, merge, base } = args;
  if (!isMap(table)) throw pythonError("TypeError", "lookup_dict must be a map");
  const value = traverse(data, path);
  let chosen = choose(table, Array.isArray(value) ? value : value === undefined ? [] : [value]);
  if (chosen === null) chosen = inTable(table, args.default);
  const under = truthy(base) ? dictGet(table, base) : MISSING;
  if (under !== MISSING && chosen === null) chosen = under;
  else if (isMap(under)) {
    if (!isMap(chosen)) {
      throw pythonError("SaltException", "filter_by default and look-up values must both be dictionaries.");
    }
    chosen = update(deepCopy(under), chosen);
  }
  if (!truthy(merge)) return chosen;
  if (!isMap(merge)) throw pythonError("SaltException", "filter_by merge argument must be a dictionary.");
  if (chosen === null) return merge;
  if (!isMap(chosen)) throw pythonError("TypeError", "Cannot update using non-dict types in dictupdate.update()");
  update(chosen, deepCopy(merge));
  return chosen;
}
