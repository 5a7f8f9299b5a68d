import { truthy } from "../../language/python/values.ts";
import { customFilesOf } from "./custom_file.ts";
import { customNamed, namedCall, type NamedFile } from "./custom_named.ts";
import type { CustomPlace } from "./loaded_file.ts";

/** Decides if a target of a top file matches; undefined if no custom matcher is responsible. */
type CustomMatch = (tgt: unknown, type: string, items: readonly unknown[]) => Promise<boolean | undefined>;

/**
 * The custom matchers of top files: `confirm_top` of `confirm_top.py` decides for every target, and `match` of `NAME_match.py` for
 * targets with `match: NAME`.
 *
 * @param context the place of the matchers, with the grains and pillar of the minion
 * @see salt/matchers/confirm_top.py
 */
export function customMatchers(context: CustomPlace, nodegroups: Readonly<Record<string, unknown>>): CustomMatch {
  const files = customFilesOf(context, "matchers").usable;
  if (files.length === 0) return () => Promise.resolve(undefined);
  const loaded = new Map<string, Promise<NamedFile | undefined>>();
  const call = async (name: string, fun: string, positional: unknown[]) => {
    if (!loaded.has(name)) loaded.set(name, customNamed(context, "matchers", name, false));
    const file = await loaded.get(name);
    return await (file && namedCall(file, fun))?.(context, positional, {});
  };
  return async (tgt, type, items) => {
    const tries: [string, string, unknown[]][] = [
      ["confirm_top", "confirm_top", [tgt, items, nodegroups]],
      [`${type}_match`, "match", type === "nodegroup" ? [tgt, nodegroups] : [tgt]],
    ];
    for (const one of tries) {
      const decided = await call(...one);
      if (decided !== undefined) return truthy(decided);
    }
    return undefined;
  };
}
