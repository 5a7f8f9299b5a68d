import { isInteger, isMap, str, Tuple } from "./values.ts";
import { dictGet, MISSING } from "./dict.ts";

/** The default separator between the keys of a path. */
export const DEFAULT_DELIMITER = ":";

const WORDS: Record<string, boolean | null> = {
  ...Object.fromEntries(["true", "yes", "on"].map((word) => [word, true])),
  ...Object.fromEntries(["false", "no", "off"].map((word) => [word, false])),
  null: null,
  none: null,
  "~": null,
};

/** A key of a path as YAML reads it, such as a number, since maps from YAML may have such keys; undefined if that is the text itself. */
function keyOfYaml(text: string): unknown {
  if (/^[-+]?(?:0|[1-9]\d*|\d+\.\d*|\.\d+)$/.test(text)) return Number(text);
  const word = text.toLowerCase();
  const isWord = text === word || text === word.toUpperCase() || text === text[0]!.toUpperCase() + word.slice(1);
  return text !== "" && isWord && Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
}

/** A key as an index, by Python's `int`; undefined if it is not a number. */
function indexOf(key: unknown): number | undefined {
  if (isInteger(key) || typeof key === "boolean") return Number(key);
  if (typeof key !== "string" || !/^\s*[-+]?\d+(?:_\d+)*\s*$/.test(key)) return undefined;
  return Number(key.replaceAll("_", ""));
}

/** The step into a list: a key of the first map in the list that has it, otherwise an index. */
function stepInList(list: readonly unknown[], key: unknown): unknown {
  const index = indexOf(key);
  for (const item of list) {
    const value = isMap(item) ? dictGet(item, index ?? key) : MISSING;
    if (value !== MISSING) return value;
  }
  return index === undefined ? undefined : list.at(index);
}

function stepInMap(map: Parameters<typeof dictGet>[0], key: unknown): unknown {
  const value = dictGet(map, key);
  if (value !== MISSING) return value;
  const other = typeof key === "string" ? keyOfYaml(key) : undefined;
  const found = other === undefined ? MISSING : dictGet(map, other);
  return found === MISSING ? undefined : found;
}

/**
 * The value at the end of a path such as `site:rack`, or undefined. A path may be a list of keys. A step into a list is a key of the
 * first map in the list that has that key, or an index.
 *
 * @see salt/utils/data.py traverse_dict_and_list
 */
export function traverse(data: unknown, path: unknown, delimiter: string = DEFAULT_DELIMITER): unknown {
  const keys = Array.isArray(path)
    ? path
    : isInteger(path) || typeof path === "boolean"
    ? [path]
    : delimiter === ""
    ? [str(path)]
    : str(path).split(delimiter);
  let here = data;
  for (const key of keys) {
    if (Array.isArray(here) && !(here instanceof Tuple)) here = stepInList(here, key);
    else if (isMap(here)) here = stepInMap(here, key);
    else if ((here instanceof Tuple || typeof here === "string") && isInteger(key)) here = here.at(Number(key));
    else return undefined;
    if (here === undefined) return undefined;
  }
  return here;
}

/** The value at a path; `otherwise` if there is none. An existing null counts as a value. */
export function traverseOr(data: unknown, path: unknown, otherwise: unknown, delimiter?: string): unknown {
  const found = traverse(data, path as never, delimiter);
  return found === undefined ? otherwise : found;
}
