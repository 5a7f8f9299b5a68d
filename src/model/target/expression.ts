import { CostError, RefusedPatternError } from "../../language/python/steps.ts";
import { PatternCache } from "./patterns.ts";

/**
 * True if a name fits an entry of a list of names (autosign, publisher ACL, white lists): as a glob of the whole name,
 * else as a Python regular expression for the whole name. An entry that does not compile matches nothing.
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

/** True if an entry of such a list is usable: any text is a glob, but a broken regular expression is a mistake. */
export function isExpression(expression: string, patterns: PatternCache = new PatternCache()): boolean {
  try {
    patterns.regexp(`\\A(?:${expression})\\Z`);
    return true;
  } catch (error) {
    if (error instanceof RefusedPatternError) return false;
    // `*.ping` is a glob, not a regular expression.
    if (error instanceof SyntaxError) return !/[()\\]/.test(expression);
    throw error;
  }
}
