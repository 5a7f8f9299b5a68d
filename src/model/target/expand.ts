import { CostError, RefusedPatternError } from "../../language/python/steps.ts";
import { type Algebra, COMPOUND_ENGINES, evaluate, normalize, type Term, tokenizeCompound } from "./compound.ts";
import { type DataMode, matchData } from "./data.ts";
import { anyAddressMatches, parseIpTarget } from "./ipcidr.ts";
import { expandNodegroup } from "./nodegroup.ts";
import { PatternCache } from "./patterns.ts";
import { type Target, TargetError, type TargetType } from "./target.ts";
import { DEFAULT_DELIMITER } from "../../language/python/traverse.ts";

/** Cached data of a minion, from its last request for pillar. */
export interface CachedData {
  grains?: Record<string, unknown>;
  pillar?: Record<string, unknown>;
}

/** The data about minions that expansion needs. Each function is called at most once per expansion, `data` once per id. */
export interface MinionSource {
  /** Returns ids of the accepted keys, sorted without regard to case. */
  accepted(): readonly string[];
  /** Returns ids in the data cache, accepted or not. */
  cached(): Iterable<string>;
  /** Returns the cached data of a minion; undefined if its entry is empty. */
  data(id: string): CachedData | undefined;
  /**
   * Returns whether an accepted minion without cached data may match a target on grains or pillar. Salt's earlier releases
   * include every such minion, the latest none. @default every one may match
   */
  countsOn?(id: string): boolean;
  /** Salt's option `minion_data_cache`. @default true */
  cacheEnabled?: boolean;
  /** Salt's option `nodegroups`. @default {} */
  nodegroups?: Record<string, unknown>;
}

/** The minions that should answer, and the names in a list that match no minion. */
export interface Expansion {
  minions: string[];
  missing: string[];
  /** The error if the target was not expanded, because that would take too long; the target may be valid. */
  error?: string;
}

export interface ExpandOptions {
  /**
   * True includes accepted minions without cached data, which might match: right for publishing. False includes only minions that
   * the cache shows to match, accepted or not: right for permissions. @default true
   */
  greedy?: boolean;
  /** Patterns that earlier calls have compiled. */
  patterns?: PatternCache;
}

interface Scope {
  source: MinionSource;
  accepted: readonly string[];
  /** The accepted ids as a set, made on first use. */
  acceptedSet: () => ReadonlySet<string>;
  greedy: boolean;
  patterns: PatternCache;
  delimiter: string;
}

type Expander = (tgt: unknown, scope: Scope) => Expansion;

const found = (minions: string[], missing: string[] = []): Expansion => ({ minions, missing });

function text(tgt: unknown): string {
  if (typeof tgt === "string") return tgt;
  throw new TargetError("Cannot expand a target: expected text");
}

/** The candidates without those whose cached data does not match. */
function byCache(
  scope: Scope,
  matches: () => ((data: CachedData) => boolean) | undefined,
  countsOn: (id: string) => boolean = () => true,
): Expansion {
  const { source, accepted, greedy } = scope;
  if (source.cacheEnabled === false) return found(greedy ? [...accepted] : []);
  const cached = new Set(source.cached());
  const start = greedy ? accepted : [...cached];
  if (cached.size === 0) return found(start.filter(countsOn));
  const test = matches();
  if (test === undefined) return found([]);
  const { steps } = scope.patterns;
  return found(start.filter((id) => {
    steps.spend(1);
    return cached.has(id) ? test(source.data(id) ?? {}) : countsOn(id);
  }));
}

function ofData(field: "grains" | "pillar", mode: DataMode): Expander {
  return (tgt, scope) => {
    const expression = text(tgt);
    return byCache(
      scope,
      () => (data) => matchData(data[field], expression, scope.patterns, mode, scope.delimiter),
      (id) => scope.source.countsOn?.(id) ?? true,
    );
  };
}

function expandList(tgt: unknown, { acceptedSet }: Scope): Expansion {
  const names = Array.isArray(tgt) ? tgt.map(String) : text(tgt).split(",").filter((name) => name !== "");
  const known = acceptedSet();
  return found(names.filter((name) => known.has(name)), names.filter((name) => !known.has(name)));
}

function expandIpcidr(tgt: unknown, scope: Scope): Expansion {
  return byCache(scope, () => {
    const target = parseIpTarget(text(tgt));
    return target && ((data) => anyAddressMatches(target, data.grains?.[`ipv${target.version}`]));
  });
}

const EXACT_ENGINES: Record<string, TargetType> = { ...COMPOUND_ENGINES, I: "pillar_exact", J: "pillar_exact" };

function expandCompound(engines: Record<string, TargetType>): Expander {
  return (tgt, scope) => {
    const { source, accepted } = scope;
    if (source.cacheEnabled === false) return found([...accepted]);
    const tokens = normalize(tokenizeCompound(tgt, source.nodegroups ?? {}));
    const missing: string[] = [];
    const expandTerm = (term: Term, negated: boolean): string[] => {
      if (term.engine === undefined) return EXPANDERS.glob(term.pattern, scope).minions;
      const type = engines[term.engine];
      if (type === undefined) throw new TargetError(`Cannot expand "${term.engine}@" without its library`);
      const expansion = EXPANDERS[type](term.pattern, { ...scope, delimiter: term.delimiter ?? DEFAULT_DELIMITER });
      if (!negated) missing.push(...expansion.missing);
      return expansion.minions;
    };
    const algebra = setAlgebra(scope, (term, negated) => {
      const ids = expandTerm(term, negated);
      // Each term costs steps, because it is expanded to the set of matching ids.
      scope.patterns.steps.spend(accepted.length + ids.length * 4);
      return ids;
    });
    const open = tokens.reduce((depth, token) => depth + Number(token === "(") - Number(token === ")"), 0);
    // Unlike a minion, a master closes open parentheses.
    const closed = [...tokens, ...Array<string>(Math.max(0, open)).fill(")")];
    const result = evaluate(closed, algebra);
    const ids = result ?? new Set<string>();
    return found(
      [...accepted.filter((id) => ids.has(id)), ...[...ids].filter((id) => !scope.acceptedSet().has(id))],
      missing,
    );
  };
}

/** Operations on sets of ids; `undefined` is an empty parenthesis, which Salt cannot combine. */
function setAlgebra(
  scope: Scope,
  expand: (term: Term, negated: boolean) => string[],
): Algebra<ReadonlySet<string> | undefined> {
  const known = (operand: ReadonlySet<string> | undefined) => {
    if (operand !== undefined) return operand;
    throw new TargetError("Cannot combine empty parentheses with another term");
  };
  return {
    term: (term, negated) => new Set(expand(term, negated)),
    and: (left, right) => known(left).intersection(known(right)),
    or: (left, right) => known(left).union(known(right)),
    not: (operand) => scope.acceptedSet().difference(known(operand)),
    empty: () => undefined,
  };
}

const nothing: Expander = () => found([]);

/** How a master expands each type of target. `range` needs a library that Brine does not have. */
const EXPANDERS: Record<TargetType, Expander> = {
  glob: (tgt, { accepted, patterns }) => found(accepted.filter(patterns.glob(text(tgt)))),
  pcre: (tgt, { accepted, patterns }) => found(accepted.filter(patterns.regexp(text(tgt)))),
  list: expandList,
  grain: ofData("grains", "glob"),
  grain_pcre: ofData("grains", "pcre"),
  pillar: ofData("pillar", "glob"),
  pillar_pcre: ofData("pillar", "pcre"),
  pillar_exact: ofData("pillar", "exact"),
  ipcidr: expandIpcidr,
  data: nothing,
  range: nothing,
  compound: expandCompound(COMPOUND_ENGINES),
  compound_pillar_exact: expandCompound(EXACT_ENGINES),
  nodegroup: (tgt, scope) => EXPANDERS.compound(expandNodegroup(text(tgt), scope.source.nodegroups ?? {}), scope),
};

/** Steps that one expansion may take: some tenths of a second, and more for many minions. */
const STEPS = 10_000_000;
const STEPS_PER_MINION = 1000;

/**
 * Predicts which minions will answer a target. A target that cannot be evaluated, or takes too many steps, gives no minion.
 *
 * @see salt/utils/minions.py CkMinions.check_minions
 */
export function expandTarget(target: Target, source: MinionSource, options: ExpandOptions = {}): Expansion {
  const { tgt, tgt_type: type = "glob", delimiter = DEFAULT_DELIMITER } = target;
  const { greedy = true, patterns = new PatternCache() } = options;
  if (!Object.hasOwn(EXPANDERS, type)) return found([]);
  const accepted = source.accepted();
  let set: ReadonlySet<string> | undefined;
  const acceptedSet = () => set ??= new Set(accepted);
  const scope: Scope = { source, accepted, acceptedSet, greedy, patterns, delimiter };
  try {
    const limit = STEPS + STEPS_PER_MINION * accepted.length;
    return patterns.steps.within(limit, () => EXPANDERS[type as TargetType](tgt ?? "", scope));
  } catch (error) {
    if (error instanceof CostError || error instanceof RefusedPatternError) {
      return { ...found([]), error: error.message };
    }
    if (error instanceof TargetError || error instanceof SyntaxError) return found([]);
    throw error;
  }
}
