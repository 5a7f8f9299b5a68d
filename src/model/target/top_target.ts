import { MATCHERS, matchMinion } from "./match.ts";
import type { PatternCache } from "./patterns.ts";
import { type Subject, TargetError } from "./target.ts";

/**
 * True if a target in a top file matches a minion.
 *
 * @param type the value of `match`; without it, targets are compound
 * @throws {TargetError} for an unknown type, which outside of top files matches nothing
 * @see salt/matchers/confirm_top.py
 */
export function matchTopTarget(tgt: unknown, type: string, subject: Subject, patterns?: PatternCache): boolean {
  if (!Object.hasOwn(MATCHERS, type)) {
    throw new TargetError(`matches by "${type}": expected one of ${Object.keys(MATCHERS).join(", ")}`);
  }
  return matchMinion({ tgt, tgt_type: type }, subject, patterns);
}
