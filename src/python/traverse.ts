import { isMap, lookup } from "./containers.ts";
import { str } from "./repr.ts";

/** What separates the keys of a path, unless a caller says otherwise. */
export const DEFAULT_DELIMITER = ":";

/**
 * The value at the end of a path such as `site:rack`, or undefined. A step into a list is an index, or a key of the
 * first map in it that has that key.
 *
 * @see salt/utils/data.py traverse_dict_and_list
 */
export function traverse(data: unknown, path: unknown, delimiter: string = DEFAULT_DELIMITER): unknown {
  const text = str(path);
  const keys = delimiter === "" ? [text] : text.split(delimiter);
  let here = data;
  for (const key of keys) {
    if (Array.isArray(here)) {
      here = /^-?\d+$/.test(key)
        ? here.at(Number(key))
        : here.filter(isMap).map((item) => lookup(item, key)).find((value) => value !== undefined);
    } else if (isMap(here)) {
      const value = lookup(here, key);
      // Maps read from YAML may have numbers for keys.
      here = value === undefined && /^-?\d+$/.test(key) ? lookup(here, Number(key)) : value;
    } else return undefined;
    if (here === undefined) return undefined;
  }
  return here;
}
