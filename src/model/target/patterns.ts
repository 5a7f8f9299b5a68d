import type { LinearMatch } from "../../language/python/linear.ts";
import { compilePattern } from "../../language/python/regexp.ts";
import { Steps } from "../../language/python/steps.ts";
import { globWithin, type Predicate } from "../../language/python/glob.ts";

/** Maximum characters of a glob; longer ones are refused. */
const MAX_GLOB = 65_536;
/** Maximum states of all kept regular expressions together: some megabytes. */
const MAX_STATES = 200_000;

/** A compiled pattern, or its error, so that an invalid pattern is not compiled again for each text. */
interface Compiled {
  match: Predicate | undefined;
  error: unknown;
  states: number;
}

/**
 * Keeps compiled globs and regular expressions, at most `limit` of each and at most some megabytes; the least recently used is
 * dropped first. A master owns one cache, so that expanding a target over ten thousand ids compiles its patterns once.
 */
export class PatternCache {
  readonly #limit: number;
  readonly #globs = new Map<string, Compiled>();
  readonly #regexps = new Map<string, Compiled>();
  #states = 0;
  /** Counts the cost of matching: {@link Steps.within} limits it for many texts together. */
  readonly steps = new Steps();

  constructor(limit = 512) {
    this.#limit = limit;
  }

  /** Matches a whole text against a shell glob. @throws {SyntaxError} if the glob is longer than {@link MAX_GLOB} */
  glob(pattern: string): Predicate {
    return this.#get(this.#globs, pattern, (pattern) => {
      if (pattern.length > MAX_GLOB) throw new SyntaxError(`Cannot use a glob of more than ${MAX_GLOB} characters`);
      return globWithin(pattern, this.steps);
    });
  }

  /**
   * Matches a text from its start against a Python regular expression.
   *
   * @throws {SyntaxError} if the pattern is invalid, or cannot be matched in bounded time
   */
  regexp(pattern: string): Predicate {
    return this.#get(this.#regexps, pattern, (pattern) => compilePattern(pattern, {}, this.steps));
  }

  #get(cache: Map<string, Compiled>, pattern: string, compile: (pattern: string) => Predicate): Predicate {
    let compiled = cache.get(pattern);
    if (compiled === undefined) {
      compiled = { match: undefined, error: undefined, states: Math.ceil(pattern.length / 10) };
      // Compilation costs steps, like matching.
      this.steps.spend(pattern.length * 10);
      try {
        compiled.match = compile(pattern);
        compiled.states += (compiled.match as Partial<LinearMatch>).states ?? 0;
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        compiled.error = error;
      }
      this.#states += compiled.states;
    } else cache.delete(pattern);
    cache.set(pattern, compiled);
    for (const [oldest, { states }] of cache) {
      if (oldest === pattern || (cache.size <= this.#limit && this.#states <= MAX_STATES)) break;
      cache.delete(oldest);
      this.#states -= states;
    }
    if (compiled.match === undefined) throw compiled.error;
    return compiled.match;
  }
}
