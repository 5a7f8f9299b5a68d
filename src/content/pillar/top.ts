import type { AnyMap } from "../../language/python/values.ts";
import { entriesOf, isFloat, isInteger, isMap, lookup, repr, str, truthy } from "../../language/python/values.ts";
import { matchTopTarget } from "../../model/target/match.ts";
import type { PatternCache } from "../../model/target/patterns.ts";
import { type Subject, TargetError } from "../../model/target/target.ts";

/** One target of a top file: how it is matched, and its SLS files. */
interface TopTarget {
  tgt: unknown;
  /** The maps in the target's list, as written: `{match: grain}`. */
  matches: AnyMap[];
  sls: string[];
  order: number;
}

/** Environment → targets, in order. */
export type PillarTop = Map<string, TopTarget[]>;

export interface MergedTop {
  top: PillarTop;
  /** Environment → names whose files may be missing. */
  optional: Map<string, Set<string>>;
}

/** A top file that cannot be used; the message says what is expected. */
class TopError extends TypeError {
  override name = "TopError";
}

/** The kind of a value for messages, in words of YAML. */
export function topKind(value: unknown): string {
  if (value === null || value === undefined) return "empty";
  if (Array.isArray(value)) return "a list";
  return isMap(value) ? "a map" : typeof value === "string" ? "a text" : repr(value);
}

function orderOf(value: unknown, where: string): number {
  if (typeof value === "boolean" || isInteger(value)) return Number(value);
  if (isFloat(value)) return Math.trunc(value.valueOf());
  if (typeof value === "string") return /^\s*[-+]?\d+\s*$/.test(value) ? Number(value) : 0;
  throw new TopError(`${where}: "order" is ${topKind(value)}: expected a number`);
}

/**
 * Merges top files. If an environment has a target twice, the target in the last file counts.
 *
 * @param tops environment of the file → what it and the files that it includes hold
 * @throws {TopError} for anything but environment → target → list
 * @see salt/pillar/__init__.py Pillar.merge_tops
 */
export function mergeTops(tops: ReadonlyMap<string, readonly AnyMap[]>): MergedTop {
  const merged = new Map<string, Map<unknown, TopTarget>>();
  const optional = new Map<string, Set<string>>();
  for (const top of [...tops.values()].flat()) {
    for (const [key, targets] of entriesOf(top)) {
      const env = str(key);
      if (env === "include") continue;
      if (!isMap(targets)) {
        throw new TopError(`Environment "${env}" is ${topKind(targets)}: expected a map of targets to lists of names`);
      }
      const known = merged.get(env) ?? new Map<unknown, TopTarget>();
      merged.set(env, known);
      for (const [tgt, components] of entriesOf(targets)) {
        const where = `Target ${repr(tgt)} of environment "${env}"`;
        const list = isMap(components) ? entriesOf(components).map(([name]) => name) : components;
        if (!Array.isArray(list)) throw new TopError(`${where} is ${topKind(components)}: expected a list of names`);
        const target: TopTarget = { tgt, matches: [], sls: [], order: 0 };
        let ignoresMissing = false;
        for (const component of list) {
          if (typeof component === "string") {
            if (!target.sls.includes(component)) target.sls.push(component);
          } else if (isMap(component)) {
            if (lookup(component, "match") !== undefined) target.matches.push(component);
            const order = lookup(component, "order");
            if (order !== undefined) target.order = orderOf(order, where);
            ignoresMissing ||= truthy(lookup(component, "ignore_missing") ?? false);
          }
        }
        if (ignoresMissing) optional.set(env, new Set([...optional.get(env) ?? [], ...target.sls]));
        known.set(tgt, target);
      }
    }
  }
  const top: PillarTop = new Map();
  for (const [env, targets] of merged) top.set(env, [...targets.values()].sort((a, b) => a.order - b.order));
  return { top, optional };
}

/**
 * The names that a top file has for a minion, by environment.
 *
 * @param only the one environment that counts
 * @throws {TopError} for an unknown way of matching
 * @see salt/pillar/__init__.py Pillar.top_matches, salt/matchers/confirm_top.py
 */
export function matchPillarTop(
  top: PillarTop,
  subject: Subject,
  patterns: PatternCache,
  only: string | undefined,
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [env, targets] of top) {
    if (only !== undefined && env !== only) continue;
    for (const { tgt, matches, sls } of targets) {
      const type = str(matches.length === 0 ? "compound" : lookup(matches.at(-1)!, "match"));
      if (!isMeant(tgt, type, env, subject, patterns)) continue;
      const names = found.get(env) ?? [];
      found.set(env, names);
      for (const name of sls) if (!names.includes(name)) names.push(name);
    }
  }
  return found;
}

function isMeant(tgt: unknown, type: string, env: string, subject: Subject, patterns: PatternCache): boolean {
  try {
    return matchTopTarget(tgt, type, subject, patterns);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    throw new TopError(`Target ${repr(tgt)} of environment "${env}" ${error.message}`, { cause: error });
  }
}

/** A top in Salt's form: environment → target → the maps and names of its list. */
export function describeTop(top: PillarTop): Map<string, Map<unknown, unknown[]>> {
  return new Map(
    [...top].map(([env, targets]) => [
      env,
      new Map(targets.map(({ tgt, matches, sls }): [unknown, unknown[]] => [tgt, [...matches, ...sls]])),
    ]),
  );
}
