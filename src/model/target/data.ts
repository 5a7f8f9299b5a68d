import { type AnyMap, entriesOf, isMap, lookup, sizeOf, str } from "../../language/python/values.ts";
import { parseLine } from "../../language/yaml/line.ts";
import { CostError, type Steps } from "../../language/python/steps.ts";
import type { PatternCache } from "./patterns.ts";
import { DEFAULT_DELIMITER } from "../../language/python/traverse.ts";

/** How to compare the value at the end of a path with the pattern; case never matters. */
export type DataMode = "glob" | "pcre" | "exact";

/** Maximum of levels, because the longest key is tried first, then each shorter one. */
const MAX_LEVELS = 64;

/** One search for `key:subkey:pattern`. */
interface Search {
  matches(value: unknown, pattern: string): boolean;
  steps: Steps;
  /** Results by map and rest of the expression, because `*:*:*` reaches each of them in many ways. */
  known: Map<AnyMap, Map<string, boolean>>;
}

/**
 * Matches `key:subkey:pattern` in grains or pillar: the longest key that exists is tried first, so that both values and
 * keys may contain the delimiter.
 *
 * @throws {CostError} if the expression has more than 64 levels, or the search takes more steps than the cache of patterns is given
 * @see salt/utils/data.py subdict_match
 */
export function matchData(
  data: unknown,
  expression: string,
  patterns: PatternCache,
  mode: DataMode = "glob",
  delimiter: string = DEFAULT_DELIMITER,
): boolean {
  if (!isMap(data)) return false;
  const { steps } = patterns;
  return matchPath(data, expression, delimiter, { matches: valueMatch(mode, patterns), steps, known: new Map() });
}

function valueMatch(mode: DataMode, patterns: PatternCache): Search["matches"] {
  return (value, pattern) => {
    const text = str(value).toLowerCase();
    patterns.steps.spend(text.length + pattern.length);
    // As in Salt, the pattern is lower-cased, too, even if that changes its meaning: `\D` becomes `\d`.
    const wanted = pattern.toLowerCase();
    if (mode === "exact") return text === wanted;
    if (mode === "glob") return patterns.glob(wanted)(text);
    try {
      return patterns.regexp(wanted)(text);
    } catch (error) {
      // An invalid pattern matches nothing.
      if (error instanceof SyntaxError) return false;
      throw error;
    }
  };
}

function matchPath(data: AnyMap, expression: string, delimiter: string, search: Search): boolean {
  const parts = expression.split(delimiter, MAX_LEVELS + 1);
  if (parts.length > MAX_LEVELS) {
    throw new CostError(`Cannot search more than ${MAX_LEVELS} levels of grains or pillar`);
  }
  search.steps.spend(parts.length * (expression.length + 10));
  for (let length = parts.length - 1; length > 0; length--) {
    const key = parts.slice(0, length).join(delimiter);
    const everything = key === "*";
    const candidate = everything ? data : follow(data, parts.slice(0, length));
    if (candidate === undefined || (isMap(candidate) && sizeOf(candidate) === 0)) continue;
    const pattern = everything ? expression : parts.slice(length).join(delimiter);
    if (matchCandidate(candidate, pattern, search)) return true;
  }
  return false;
}

function matchCandidate(candidate: unknown, pattern: string, search: Search): boolean {
  if (isMap(candidate)) return matchMap(candidate, pattern, search);
  if (!Array.isArray(candidate)) return search.matches(candidate, pattern);
  return candidate.some((member) =>
    (isMap(member) && matchMap(member, pattern, search)) || search.matches(member, pattern)
  );
}

function matchMap(map: AnyMap, pattern: string, search: Search): boolean {
  const { known } = search;
  let answers = known.get(map);
  if (answers === undefined) known.set(map, answers = new Map());
  let answer = answers.get(pattern);
  if (answer === undefined) answers.set(pattern, answer = searchMap(map, pattern, search));
  return answer;
}

function searchMap(map: AnyMap, pattern: string, search: Search): boolean {
  search.steps.spend(pattern.length + 10);
  const anyKey = pattern.startsWith("*:");
  const rest = anyKey ? pattern.slice(2) : pattern;
  if (rest === "*" || lookup(map, rest) !== undefined) return true;
  // As in Salt, below the first map the separator is the colon, whatever the target's delimiter is.
  if (matchPath(map, rest, DEFAULT_DELIMITER, search)) return true;
  if (!anyKey) return false;
  return entriesOf(map).some(([, value]) =>
    isMap(value)
      ? matchMap(value, rest, search)
      : Array.isArray(value)
      ? value.some((member) => search.matches(member, rest))
      : search.matches(value, rest)
  );
}

/** The value of a key in a map: the key as text, or as YAML, so that `0` finds an integer key. */
function entry(map: AnyMap, part: string): unknown {
  const direct = lookup(map, part);
  if (direct !== undefined || !(map instanceof Map)) return direct;
  try {
    const key = parseLine(part);
    return typeof key === "object" && key !== null ? undefined : map.get(key);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The value at the end of a path; undefined if it is missing. */
function follow(data: AnyMap, path: readonly string[]): unknown {
  let at: unknown = data;
  for (const part of path) {
    if (isMap(at)) at = entry(at, part);
    else if (Array.isArray(at)) at = member(at, part);
    else return undefined;
    if (at === undefined) return undefined;
  }
  return at;
}

function member(list: unknown[], part: string): unknown {
  const index = /^-?\d+$/.test(part) ? Number(part) : undefined;
  for (const item of list) {
    if (!isMap(item)) continue;
    const value = index === undefined ? lookup(item, part) : item instanceof Map ? item.get(index) : undefined;
    if (value !== undefined) return value;
  }
  return index === undefined ? undefined : list.at(index);
}

/** Matches `key:pattern` in a minion's data store; text after a second colon is ignored. */
export function matchDatastore(store: Record<string, unknown>, expression: string, patterns: PatternCache): boolean {
  const [key = "", pattern] = expression.split(":");
  if (pattern === undefined) return false;
  const value = lookup(store, key);
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) {
    const lower = patterns.glob(pattern.toLowerCase());
    return value.some((item) => lower(str(item).toLowerCase()));
  }
  if (isMap(value)) return lookup(value, pattern) !== undefined;
  return patterns.glob(pattern)(str(value));
}
