import { CostError, STEPS_OF_A_MATCH } from "../../language/python/steps.ts";
import { COMPOUND_ENGINES, evaluate, normalize, type Term, tokenizeCompound } from "./compound.ts";
import { type DataMode, matchData, matchDatastore } from "./data.ts";
import { matchIpcidr } from "./ipcidr.ts";
import { expandNodegroup } from "./nodegroup.ts";
import { PatternCache } from "./patterns.ts";
import { type Subject, type Target, TargetError, type TargetType } from "./target.ts";
import { DEFAULT_DELIMITER } from "../../language/python/traverse.ts";

/** Decides whether a target of one type matches one minion; throws for a target that it cannot evaluate. */
type Matcher = (tgt: unknown, subject: Subject, patterns: PatternCache, delimiter: string) => boolean;

function ofData(data: (subject: Subject) => unknown, mode: DataMode): Matcher {
  return (tgt, subject, patterns, delimiter) =>
    typeof tgt === "string" && matchData(data(subject), tgt, patterns, mode, delimiter);
}

const grains = (subject: Subject) => subject.grains;
const pillar = (subject: Subject) => subject.pillar;

function matchList(tgt: unknown, { id }: Subject): boolean {
  if (Array.isArray(tgt)) return tgt.includes(id);
  // As in Salt, blanks stay: a blank after a comma is part of the id.
  return typeof tgt === "string" && `,${tgt},`.includes(`,${id},`);
}

function matchCompound(tgt: unknown, subject: Subject, patterns: PatternCache): boolean {
  const term = ({ engine, delimiter, pattern }: Term): boolean => {
    if (engine === undefined) return patterns.glob(pattern)(subject.id);
    const type = COMPOUND_ENGINES[engine];
    if (type === undefined) throw new TargetError(`Cannot match by "${engine}@" without its library`);
    return MATCHERS[type](pattern, subject, patterns, delimiter ?? DEFAULT_DELIMITER);
  };
  // Evaluate both sides always: an invalid term makes the whole target invalid, even if it could not change the result.
  return evaluate(normalize(tokenizeCompound(tgt, subject.nodegroups)), {
    term,
    and: (left, right) => left && right,
    or: (left, right) => left || right,
    not: (operand) => !operand,
    empty: () => false,
  });
}

const never: Matcher = () => false;

/** How a minion matches each type of target. `range` needs a library that Brine does not have. */
const MATCHERS: Record<TargetType, Matcher> = {
  glob: (tgt, { id }, patterns) => typeof tgt === "string" && patterns.glob(tgt)(id),
  pcre: (tgt, { id }, patterns) => typeof tgt === "string" && patterns.regexp(tgt)(id),
  list: matchList,
  grain: ofData(grains, "glob"),
  grain_pcre: ofData(grains, "pcre"),
  pillar: ofData(pillar, "glob"),
  pillar_pcre: ofData(pillar, "pcre"),
  pillar_exact: ofData(pillar, "exact"),
  ipcidr: (tgt, subject) => matchIpcidr(tgt, subject.grains),
  data: (tgt, { datastore = {} }, patterns) => typeof tgt === "string" && matchDatastore(datastore, tgt, patterns),
  range: never,
  compound: matchCompound,
  compound_pillar_exact: never,
  nodegroup: (tgt, subject, patterns) =>
    typeof tgt === "string" && subject.nodegroups !== undefined &&
    matchCompound(expandNodegroup(tgt, subject.nodegroups), subject, patterns),
};

/**
 * True if a target matches this minion. A target that cannot be evaluated (unknown type, bad syntax, a pattern that does not
 * compile or takes too long) matches no minion.
 *
 * @param patterns patterns that earlier calls have compiled; pass one cache to compile each pattern once
 */
export function matchMinion(target: Target, subject: Subject, patterns: PatternCache = new PatternCache()): boolean {
  const { tgt, tgt_type: type = "glob", delimiter = DEFAULT_DELIMITER } = target;
  if (!Object.hasOwn(MATCHERS, type)) return false;
  try {
    return patterns.steps.within(
      STEPS_OF_A_MATCH,
      () => MATCHERS[type as TargetType](tgt, subject, patterns, delimiter),
    );
  } catch (error) {
    if (error instanceof TargetError || error instanceof SyntaxError || error instanceof CostError) return false;
    throw error;
  }
}

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
