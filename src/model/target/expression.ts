import { CostError, RefusedPatternError } from "../../language/python/steps.ts";
import { PatternCache } from "./patterns.ts";

/**
 * True if a name matches an entry of a list of names (autosign, publisher ACL, whitelists): as a glob of the whole name, or
 * else as a Python regular expression for the whole name. An invalid entry matches nothing.
 *
 * @see salt/utils/stringutils.py expr_match
 */
export function matchExpression(
  name: string,
  expression: string,
  patterns: PatternCache = new PatternCache(),
): boolean {
  try {
    if (patterns.glob(expression)(name)) return true;
    return patterns.regexp(`\\A(?:${expression})\\Z`)(name);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof CostError) return false;
    throw error;
  }
}

/** False for an entry of such a list that is a broken regular expression; any other text is a valid glob. */
export function isExpression(expression: string, patterns: PatternCache = new PatternCache()): boolean {
  try {
    patterns.regexp(`\\A(?:${expression})\\Z`);
    return true;
  } catch (error) {
    if (error instanceof RefusedPatternError) return false;
    // `*.ping` is a valid glob, though not a regular expression.
    if (error instanceof SyntaxError) return !/[()\\]/.test(expression);
    throw error;
  }
}
