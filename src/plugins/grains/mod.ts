/** The grains: facts about a host, gathered by functions in this order, and those that its operator configured. */
import { messageOf } from "../../base/errors.ts";
import type { Context, GrainsFunction } from "../../model/loader/family.ts";
import { customGrains } from "../../model/loader/custom_grains.ts";
import { entriesOf, isMap } from "../../language/python/values.ts";
import { compileGlob } from "../../language/python/glob.ts";
import { readGrainsCache, writeGrainsCache } from "../grains_cache.ts";
import { readStaticGrains } from "../static_grains.ts";

/** The files of grain functions: each result is merged over those before. */
const GRAINS: Record<string, () => Promise<{ grains: GrainsFunction }>> = {
  core: () => import("./core.ts"),
};

/** Merges grains; with `deep` maps are merged key by key, anything else replaces the old value. */
function merge(under: Record<string, unknown>, over: Record<string, unknown>, deep: boolean): Record<string, unknown> {
  const merged = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    const both = deep && isPlain(before) && isPlain(value);
    merged[key] = both ? merge(before, value, deep) : value;
  }
  return merged;
}

const isPlain = (value: unknown): value is Record<string, unknown> => isMap(value) && !(value instanceof Map);

/**
 * Returns every grain of this host, gathered now or read from the cache (`grains_cache`).
 *
 * @param options.fresh ignore the cache
 */
export async function gatherGrains(
  context: Pick<Context, "runtime" | "log" | "opts">,
  options: { fresh?: boolean } = {},
): Promise<Record<string, unknown>> {
  const kept = options.fresh === true ? undefined : readGrainsCache(context);
  if (kept !== undefined) return kept;
  const grains = await gather(context);
  writeGrainsCache(context, grains);
  return grains;
}

/**
 * Merges the results of the grain functions (custom ones after ours), the file `grains` beside the configuration, and the
 * option `grains`, later ones over earlier ones, without those that `grains_blacklist` names. A function that fails is logged.
 */
async function gather(context: Pick<Context, "runtime" | "log" | "opts">): Promise<Record<string, unknown>> {
  const { opts, log } = context;
  const deep = opts.grains_deep_merge === true;
  let facts: Record<string, unknown> = {};
  const sources: Record<string, () => Promise<Record<string, unknown>>> = {
    ...Object.fromEntries(
      Object.entries(GRAINS).map(([name, load]) => [name, async () => (await load()).grains(context)]),
    ),
    ...Object.fromEntries(
      [...customGrains(context)].map(([name, gather]) => [name, () => gather({ ...context, grains: facts })]),
    ),
    "static file": () => readStaticGrains(context),
  };
  const disabled = Array.isArray(opts.disable_grains) ? opts.disable_grains : [];
  for (const [name, gather] of Object.entries(sources)) {
    if (disabled.includes(name)) continue;
    try {
      facts = merge(facts, await gather(), deep);
    } catch (error) {
      log.error("grains not gathered", { source: name, error: messageOf(error) });
    }
  }
  if (isMap(opts.grains)) facts = merge(facts, Object.fromEntries(entriesOf(opts.grains)), deep);
  const hidden = (Array.isArray(opts.grains_blacklist) ? opts.grains_blacklist : []).map((glob) =>
    compileGlob(String(glob))
  );
  if (hidden.length === 0) return facts;
  return Object.fromEntries(Object.entries(facts).filter(([name]) => !hidden.some((matches) => matches(name))));
}
