import { InvalidArgumentsError } from "../../model/loader/family.ts";
import type { ExtPillar } from "../../model/loader/ext_pillar.ts";
import { dictGet, MISSING } from "../../language/python/dict.ts";
import { iterate } from "../../language/python/iterate.ts";
import { type AnyMap, entriesOf, isMap, repr } from "../../language/python/values.ts";

/** The option at a path such as `app:port`, within a map for each part of the path; no entries if there is none. */
function optionAt(options: AnyMap, path: string): [string, unknown][] {
  const colon = path.indexOf(":");
  const name = colon < 0 ? path : path.slice(0, colon);
  const value = dictGet(options, name);
  if (value === MISSING) return [];
  if (colon < 0) return [[name, value]];
  if (Array.isArray(value)) return [];
  if (!isMap(value)) throw new InvalidArgumentsError(`include has "${path}", but the option ${name} is no map`);
  const inner = optionAt(value, path.slice(colon + 1));
  return inner.length === 0 ? [] : [[name, new Map(inner)]];
}

/**
 * Options of the minion that its option `pass_to_ext_pillars` names: `extra_minion_data_in_pillar: {include: [role, app:port]}`,
 * or `'*'` for all. A later entry replaces an earlier one below the same first name.
 */
export const pillar: ExtPillar = {
  signature: "include",
  run({ extraMinionData }, { include }) {
    if (Object.keys(extraMinionData).length === 0 || include === "*" || include === "<all>") {
      return Promise.resolve(new Map(entriesOf(extraMinionData)));
    }
    const entries = [...iterate(include)].flatMap((path) => {
      if (typeof path === "string") return optionAt(extraMinionData, path);
      throw new InvalidArgumentsError(`include must be a list of names of options, or '*': ${repr(path)} is no name`);
    });
    return Promise.resolve(new Map(entries));
  },
};
