import { type AnyMap, entriesOf, isMap, lookup, sizeOf } from "../python/containers.ts";
import { str } from "../python/repr.ts";
import { parseLine } from "../yaml/line.ts";
import { DEFAULT_DELIMITER } from "./target.ts";
import type { PatternCache } from "./patterns.ts";

/** How the value at the end of a path is compared with the pattern; always without regard to case. */
export type DataMode = "glob" | "pcre" | "exact";

type ValueMatch = (value: unknown, pattern: string) => boolean;

/**
 * Matches `key:subkey:pattern` in grains or pillar: the longest key that exists is tried first, so that both values and
 * keys may contain the delimiter.
 *
 * @see salt/utils/data.py subdict_match
 */
export function matchData(
  data: unknown,
  expression: string,
  patterns: PatternCache,
  mode: DataMode = "glob",
  delimiter: string = DEFAULT_DELIMITER,
): boolean {
  return isMap(data) && matchPath(data, expression, delimiter, valueMatch(mode, patterns));
}

function valueMatch(mode: DataMode, patterns: PatternCache): ValueMatch {
  return (value, pattern) => {
    const text = str(value).toLowerCase();
    // Salt lower-cases the pattern too, even where that changes its meaning: `\D` becomes `\d`.
    const wanted = pattern.toLowerCase();
    if (mode === "exact") return text === wanted;
    if (mode === "glob") return patterns.glob(wanted)(text);
    try {
      return patterns.regexp(wanted)(text);
    } catch (error) {
      // A pattern that does not compile matches nothing.
      if (error instanceof SyntaxError) return false;
      throw error;
    }
  };
}

function matchPath(data: AnyMap, expression: string, delimiter: string, matches: ValueMatch): boolean {
  const parts = expression.split(delimiter);
  for (let length = parts.length - 1; length > 0; length--) {
    const key = parts.slice(0, length).join(delimiter);
    const everything = key === "*";
    const candidate = everything ? data : follow(data, parts.slice(0, length));
    if (candidate === undefined || (isMap(candidate) && sizeOf(candidate) === 0)) continue;
    const pattern = everything ? expression : parts.slice(length).join(delimiter);
    if (matchCandidate(candidate, pattern, matches)) return true;
  }
  return false;
}

function matchCandidate(candidate: unknown, pattern: string, matches: ValueMatch): boolean {
  if (isMap(candidate)) return matchMap(candidate, pattern, matches);
  if (!Array.isArray(candidate)) return matches(candidate, pattern);
  return candidate.some((member) => (isMap(member) && matchMap(member, pattern, matches)) || matches(member, pattern));
}

function matchMap(map: AnyMap, pattern: string, matches: ValueMatch): boolean {
  const anyKey = pattern.startsWith("*:");
  const rest = anyKey ? pattern.slice(2) : pattern;
  if (rest === "*" || lookup(map, rest) !== undefined) return true;
  // Below the first map the separator is the colon, whatever the target's delimiter was: Salt does not pass it on.
  if (matchPath(map, rest, DEFAULT_DELIMITER, matches)) return true;
  if (!anyKey) return false;
  return entriesOf(map).some(([, value]) =>
    isMap(value)
      ? matchMap(value, rest, matches)
      : Array.isArray(value)
      ? value.some((member) => matches(member, rest))
      : matches(value, rest)
  );
}

/** A map's value under a part of a path: as text, or as what the text is in YAML, so that `0` finds the integer. */
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

/** The value at the end of a path; undefined if it leads nowhere. */
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

/** Matches `key:pattern` in a minion's data store; only the part up to a second colon counts. */
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
