import { compilePattern } from "../python/regexp.ts";
import { compileGlob, type Predicate } from "./glob.ts";

/**
 * Globs and regular expressions that were compiled before, at most `limit` of each; the one unused for longest goes
 * first. A master owns one, so that expanding a target over ten thousand ids compiles its patterns once.
 */
export class PatternCache {
  readonly #limit: number;
  readonly #globs = new Map<string, Predicate>();
  readonly #regexps = new Map<string, Predicate>();

  constructor(limit = 512) {
    this.#limit = limit;
  }

  /** Matches the whole text against a shell glob. */
  glob(pattern: string): Predicate {
    return this.#get(this.#globs, pattern, compileGlob);
  }

  /**
   * Matches a text from its start against a Python regular expression.
   *
   * @throws {SyntaxError} if the pattern is invalid, or has no counterpart here
   */
  regexp(pattern: string): Predicate {
    return this.#get(this.#regexps, pattern, compilePattern);
  }

  #get(cache: Map<string, Predicate>, pattern: string, compile: (pattern: string) => Predicate): Predicate {
    const known = cache.get(pattern);
    if (known !== undefined) cache.delete(pattern);
    const predicate = known ?? compile(pattern);
    cache.set(pattern, predicate);
    if (cache.size > this.#limit) {
      for (const oldest of cache.keys()) {
        cache.delete(oldest);
        break;
      }
    }
    return predicate;
  }
}
