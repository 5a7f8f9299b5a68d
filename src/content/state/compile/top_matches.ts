import { entriesOf, isMap, OrderedMap, repr, str } from "../../../language/python/values.ts";
import type { StateFiles } from "./state_files.ts";
import { type Top, TopFileError } from "./top_files.ts";

/** True if a target matches this minion. @param items the list under the target @throws {TargetError} for an unknown type of target */
export type MatchTarget = (tgt: unknown, type: string, items: readonly unknown[]) => boolean | Promise<boolean>;

interface TopMatchOptions {
  files: StateFiles;
  match: MatchTarget;
  /** The only environment that counts; undefined for all environments. */
  saltenv: string | undefined;
}

/** Environment → names of SLS files, which may be globs, in the order of the top file. */
export type TopMatches = Map<string, unknown[]>;

/**
 * The SLS files that a top gives to a minion.
 *
 * @throws {TopFileError} for an item that is neither a name nor a map
 * @see salt/state.py BaseHighState.top_matches
 */
export async function matchTop(top: Top, options: TopMatchOptions): Promise<TopMatches> {
  const matches: TopMatches = new OrderedMap();
  for (const [key, targets] of top) {
    const saltenv = str(key);
    if (options.saltenv !== undefined && saltenv !== options.saltenv) continue;
    for (const [tgt, names] of targets) await matchTarget(tgt, names, saltenv, matches, options);
  }
  return matches;
}

async function matchTarget(
  tgt: unknown,
  names: unknown,
  saltenv: string,
  matches: TopMatches,
  options: TopMatchOptions,
): Promise<void> {
  const list = Array.isArray(names) ? names : names instanceof Map ? [...names.keys()] : [names];
  const how = list.findLast((one) => one instanceof Map && one.has("match")) as Map<unknown, unknown> | undefined;
  const type = str(how?.get("match") ?? "compound");
  if (!await isMeant(() => options.match(tgt, type, list), tgt, saltenv)) return;
  if (!matches.has(saltenv)) matches.set(saltenv, []);
  for (const item of list) {
    if (typeof item === "string") matches.get(saltenv)!.push(item);
    else if (item instanceof Map) await matchItem(item, saltenv, matches, options);
    else {
      throw new TopFileError(
        `Target ${repr(tgt)} in saltenv ${repr(saltenv)} of the top file has ${
          repr(item)
        }: expected names of SLS files, in quotes`,
      );
    }
  }
}

async function isMeant(match: () => ReturnType<MatchTarget>, tgt: unknown, saltenv: string): Promise<boolean> {
  try {
    return await match();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : str(cause);
    throw new TopFileError(`Target ${repr(tgt)} in saltenv ${repr(saltenv)} of the top file ${why}`, { cause });
  }
}

/** Adds a map in a target's list: nested targets, or a name from another environment. */
async function matchItem(
  item: Map<unknown, unknown>,
  saltenv: string,
  matches: TopMatches,
  options: TopMatchOptions,
): Promise<void> {
  const below = item.get("subfilter");
  if (below instanceof Map) {
    for (const [tgt, names] of below) await matchTarget(tgt, names, saltenv, matches, options);
  }
  const [env, sls] = [...item].filter(([key]) => key !== "subfilter").at(-1) ?? [];
  if (typeof env !== "string" || !await options.files.has(env)) return;
  const known = matches.get(env) ?? [];
  matches.set(env, known);
  known.push(sls);
}

/**
 * Adds the names from the master's `master_tops` for a minion.
 *
 * @param external environment → names
 * @param isFirst Salt's option `master_tops_first`
 */
export function addMasterTops(matches: TopMatches, external: unknown, isFirst: boolean): TopMatches {
  for (const [key, names] of isMap(external) ? entriesOf(external) : []) {
    const saltenv = str(key);
    const own = matches.get(saltenv) ?? [];
    const more = Array.isArray(names) ? names : [];
    const [first, second] = isFirst ? [more, own] : [own, more];
    matches.set(saltenv, [...first, ...second.filter((name) => !first.includes(name))]);
  }
  return matches;
}
