import { Lazy } from "../jinja/mod.ts";
import { type AnyMap, entriesOf } from "../python/values.ts";
import { copyAsDicts, deepCopy } from "../python/copy.ts";
import { dictSet } from "../python/dict.ts";

interface HostValues {
  grains: AnyMap;
  /** Undefined where none has been compiled yet: templates see an empty one, and none in `opts`. */
  pillar: AnyMap | undefined;
  opts: AnyMap;
}

type Names = Record<keyof HostValues, Lazy>;

/**
 * The names `grains`, `pillar` and `opts` of templates. The values are copies, made when a template first uses them: templates may
 * change the copies, but never the host's values. As in Salt, `opts` contains the grains and the pillar, as the same maps.
 *
 * @param defaults the defaults of options that templates read but that have no effect in Brine
 * @returns `globals` for templates, and `plain` for code, whose maps are objects
 */
export function templateValues(
  { grains, pillar, opts }: HostValues,
  defaults: Readonly<Record<string, unknown>> = {},
): { globals: Names; plain: Names; typeNames: WeakMap<object, string> } {
  const typeNames = new WeakMap<object, string>();
  const named = (value: AnyMap) => {
    typeNames.set(value, "salt.utils.context.NamespacedDictWrapper");
    return value;
  };
  const names = {
    grains: new Lazy(() => copyAsDicts(grains)),
    pillar: new Lazy(() => named(copyAsDicts(pillar ?? {}) as AnyMap)),
  };
  const all = () => {
    const { grains: _grains, pillar: _pillar, ...given } = { ...defaults, ...Object.fromEntries(entriesOf(opts)) };
    const copy = copyAsDicts(given) as AnyMap;
    dictSet(copy, "grains", names.grains.value);
    if (pillar !== undefined) dictSet(copy, "pillar", names.pillar.value);
    return copy;
  };
  return {
    globals: { ...names, opts: new Lazy(all) },
    plain: {
      grains: new Lazy(() => deepCopy(grains)),
      pillar: new Lazy(() => deepCopy(pillar ?? {})),
      opts: new Lazy(() => deepCopy(opts)),
    },
    typeNames,
  };
}
