/** The grains: facts about a host, gathered by functions in this order, and those that its operator has configured. */
import { messageOf } from "../../errors.ts";
import type { Context } from "../../loader/context.ts";
import { customGrains } from "../../loader/custom_grains.ts";
import type { GrainsFunction } from "../../loader/family.ts";
import { entriesOf, isMap } from "../../python/containers.ts";
import { compileGlob } from "../../target/glob.ts";
import { readGrainsCache, writeGrainsCache } from "../grains_cache.ts";
import { readStaticGrains } from "../static_grains.ts";

/** Files of grains: each is merged over those before. */
const GRAINS: Record<string, () => Promise<{ grains: GrainsFunction }>> = {
  core: () => import("./core.ts"),
};

/** Maps are merged key by key where the option asks for it; anything else replaces what was there. */
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
 * Every grain of this host, gathered now or recently (`grains_cache`).
 *
 * @param options.fresh ignores the cache
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
 * What the functions find, custom ones after ours, over that the file `grains` beside the configuration, over that the option
 * `grains`; without those that `grains_blacklist` names. What cannot be gathered is named in the log.
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
