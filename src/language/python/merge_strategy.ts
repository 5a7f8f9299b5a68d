import { type AnyMap, entriesOf, isMap, OrderedMap, str, truthy } from "./values.ts";
import { dictGet, dictSet, MISSING } from "./dict.ts";
import { copyOf, update, updated } from "./update.ts";

/** A map that went through the strategy `aggregate`: two of these under one key are joined, other maps replaced. */
class AggregatedMap extends OrderedMap {}

/** The rules for merging two maps of pillar. */
export interface MergeRules {
  /** Salt's `pillar_source_merging_strategy`: `smart`, `recurse`, `aggregate`, `overwrite`, `list` or `none`. */
  strategy: string;
  /** Joins lists instead of replacing them. Only used by `recurse` (also if `smart` chooses it). */
  mergeLists: boolean;
  /** The option `renderer`, by which `smart` chooses. */
  renderer: string;
}

const given = (value: unknown): string | undefined =>
  value === undefined || value === null || value === "" ? undefined : str(value);

/** The rules that options ask for. */
export const mergeRulesOf = (opts: Record<string, unknown>): MergeRules => ({
  strategy: given(opts.pillar_source_merging_strategy) ?? "smart",
  mergeLists: truthy(opts.pillar_merge_lists ?? false),
  renderer: given(opts.renderer) ?? "jinja|yaml",
});

type Merge = (under: AnyMap, over: AnyMap, mergeLists: boolean) => AnyMap;

const recurse: Merge = (under, over, mergeLists) => updated(under, over, { mergeLists });

/** Merges only the top level, as for plain YAML. @see salt/utils/aggregation.py aggregate, with level 1 */
function aggregate(under: AnyMap, over: AnyMap): AnyMap {
  const inner = (a: unknown, b: unknown): unknown => {
    if (!isMap(a) || !isMap(b)) return b;
    const joined = a instanceof AggregatedMap && b instanceof AggregatedMap;
    const merged = joined ? new AggregatedMap(a) : copyOf(b);
    for (const [key, value] of entriesOf(b)) {
      const other = dictGet(a, key);
      dictSet(merged, key, other === MISSING ? value : inner(other, value));
    }
    return merged;
  };
  return inner(new AggregatedMap(entriesOf(under)), new AggregatedMap(entriesOf(over))) as AnyMap;
}

/** The strategies by name. A strategy does not change its arguments, and its result shares values with them. */
const STRATEGIES: Record<string, Merge> = {
  recurse,
  aggregate,
  overwrite: (under, over) => update(copyOf(under), over, { recursive: false }),
  none: (under, over) => recurse(under, over, false),
  list(under, over) {
    const both = ([key, value]: [unknown, unknown]): [unknown, unknown] => {
      const other = dictGet(over, key);
      return [key, other === MISSING ? value : [value, other]];
    };
    return new Map(entriesOf(under).map(both));
  },
};

export function isStrategy(name: string): boolean {
  return name === "smart" || Object.hasOwn(STRATEGIES, name);
}

/** True if maps are merged by `aggregate`: by its name, or because `smart` chooses it for yamlex. */
export function aggregates({ strategy, renderer }: MergeRules): boolean {
  return strategy === "aggregate" ||
    strategy === "smart" && (renderer.split("|").at(-1) === "yamlex" || renderer.startsWith("yamlex_"));
}

/**
 * Merges one map of pillar over another. An unknown strategy is `recurse` without lists, as in Salt.
 *
 * @see salt/utils/dictupdate.py merge
 */
export function merge(under: AnyMap, over: AnyMap, rules: MergeRules): AnyMap {
  const { strategy, mergeLists } = rules;
  if (aggregates(rules)) return aggregate(under, over);
  if (strategy === "smart") return recurse(under, over, mergeLists);
  return Object.hasOwn(STRATEGIES, strategy)
    ? STRATEGIES[strategy]!(under, over, mergeLists)
    : recurse(under, over, false);
}
