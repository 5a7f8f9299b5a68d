import { Lazy } from "../jinja/mod.ts";
import type { AnyMap } from "../python/containers.ts";
import { copyAsDicts, deepCopy } from "../python/copy.ts";

/** What a host has for its templates. */
export interface HostValues {
  grains: AnyMap;
  pillar: AnyMap;
  opts: AnyMap;
}

type Names = Record<keyof HostValues, Lazy>;

/**
 * The names `grains`, `pillar` and `opts` of templates. The values are copies, made when a template first uses them: templates may
 * change their own, and never those of the host.
 *
 * @returns `globals` for templates, and `plain` for code, whose maps are objects
 */
export function templateValues(
  { grains, pillar, opts }: HostValues,
): { globals: Names; plain: Names; typeNames: WeakMap<object, string> } {
  const typeNames = new WeakMap<object, string>();
  const named = (value: AnyMap) => {
    typeNames.set(value, "salt.utils.context.NamespacedDictWrapper");
    return value;
  };
  return {
    globals: {
      grains: new Lazy(() => copyAsDicts(grains)),
      pillar: new Lazy(() => named(copyAsDicts(pillar) as AnyMap)),
      opts: new Lazy(() => copyAsDicts(opts)),
    },
    plain: {
      grains: new Lazy(() => deepCopy(grains)),
      pillar: new Lazy(() => deepCopy(pillar)),
      opts: new Lazy(() => deepCopy(opts)),
    },
    typeNames,
  };
}
