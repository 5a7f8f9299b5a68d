import { PatternCache } from "./patterns.ts";

/**
 * True if a name fits an entry of a list of names (autosign, publisher ACL, white lists): as a glob of the whole name,
 * else as a Python regular expression for the whole name. An entry that does not compile fits nothing.
 *
 * @see salt/utils/stringutils.py expr_match
 */
export function matchExpression(
  name: string,
  expression: string,
  patterns: PatternCache = new PatternCache(),
): boolean {
  if (patterns.glob(expression)(name)) return true;
  try {
    return patterns.regexp(`\\A(?:${expression})\\Z`)(name);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
