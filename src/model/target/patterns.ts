import type { LinearMatch } from "../../language/python/linear.ts";
import { compilePattern } from "../../language/python/regexp.ts";
import { Steps } from "../../language/python/steps.ts";
import { globWithin, type Predicate } from "../../language/python/glob.ts";

/** Longer globs are refused, in characters. */
export const MAX_GLOB = 65_536;
/** States of all regular expressions that are kept: some megabytes. */
const MAX_STATES = 200_000;

/** A compiled pattern, or its error: a pattern that cannot be used is not compiled again for each text. */
interface Compiled {
  match: Predicate | undefined;
  error: unknown;
  states: number;
}

/**
 * Globs and regular expressions that were compiled before, at most `limit` of each and no more than some megabytes; the least
 * recently used goes first. A master owns one, so that expanding a target over ten thousand ids compiles its patterns
 * once.
 */
export class PatternCache {
  readonly #limit: number;
  readonly #globs = new Map<string, Compiled>();
  readonly #regexps = new Map<string, Compiled>();
  #states = 0;
  /** What matching may cost: {@link Steps.within} sets a limit for many texts together. */
  readonly steps = new Steps();

  constructor(limit = 512) {
    this.#limit = limit;
  }

  /** Matches the whole text against a shell glob. @throws {SyntaxError} if it is longer than {@link MAX_GLOB} */
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
      // Compiling counts as steps, as matching does.
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
