import { Lazy } from "../jinja/mod.ts";
import type { AnyMap } from "../python/containers.ts";
import { deepCopy } from "../python/copy.ts";

/** What a host has for its templates. */
export interface HostValues {
  grains: AnyMap;
  pillar: AnyMap;
  opts: AnyMap;
}

/**
 * The names `grains`, `pillar` and `opts` of templates. The values are copies, made when a template first uses them: templates may
 * change their own, and never those of the host.
 */
export function templateValues(
  { grains, pillar, opts }: HostValues,
): { globals: Record<keyof HostValues, Lazy>; typeNames: WeakMap<object, string> } {
  const typeNames = new WeakMap<object, string>();
  const named = (value: AnyMap) => {
    typeNames.set(value, "salt.utils.context.NamespacedDictWrapper");
    return value;
  };
  return {
    globals: {
      grains: new Lazy(() => deepCopy(grains)),
      pillar: new Lazy(() => named(deepCopy(pillar))),
      opts: new Lazy(() => deepCopy(opts)),
    },
    typeNames,
  };
}
