/** Matches event tags as listeners ask for it: apart from the tags, because regular expressions are a large part of a start. */
import { compilePattern } from "../../language/python/regexp.ts";
import { fnmatch } from "./tag.ts";

/** How a listener matches tags: Salt's `event_match_type`. */
export type TagMatchType = "startswith" | "endswith" | "find" | "regex" | "fnmatch";

/** Type of match → function that makes the test of a tag from a search text. */
const TAG_MATCHERS: Record<TagMatchType, (search: string) => (tag: string) => boolean> = {
  startswith: (search) => (tag) => tag.startsWith(search),
  endswith: (search) => (tag) => tag.endsWith(search),
  find: (search) => (tag) => tag.includes(search),
  regex: (search) => {
    const matches = compilePattern(search);
    return (tag) => matches(tag);
  },
  fnmatch,
};

/**
 * Makes the test of a tag from a search text.
 *
 * @example
 * ```ts
 * const matches = tagMatcher("salt/job/*", "fnmatch");
 * console.log(matches("salt/job/20261121101500000000/ret/web1")); // true
 * ```
 * @throws {TypeError} if the type is not one of Salt's
 * @throws {SyntaxError} if `search` must be a regular expression and is not
 */
export function tagMatcher(search: string, type: string = "startswith"): (tag: string) => boolean {
  if (Object.hasOwn(TAG_MATCHERS, type)) return TAG_MATCHERS[type as TagMatchType](search);
  throw new TypeError(`Cannot match tags by "${type}": expected one of ${Object.keys(TAG_MATCHERS).join(", ")}`);
}
