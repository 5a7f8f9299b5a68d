import { messageOf } from "../../errors.ts";
import { type AnyMap, entriesOf, isMap, mapOf, sizeOf } from "../../python/containers.ts";
import { isRecord, type Load, type MasterServices } from "../services.ts";

/** Compiles the pillar of one minion. The host wires the compiler in; without one every pillar is empty. */
export type PillarCompiler = (request: {
  id: string;
  grains: Record<string, unknown>;
  saltenv: unknown;
  pillarenv: unknown;
  override: AnyMap;
  /** An external pillar that the minion asks for. */
  ext: unknown;
  /** Options of the minion for external pillars. */
  extraMinionData: Record<string, unknown>;
  /** What is kept compiled of this minion no longer counts. */
  cleanCache: boolean;
}) => Promise<AnyMap>;

/**
 * The command `_pillar`. Every call leaves the minion's grains in the cache, which is what the master targets by.
 *
 * @see salt/master.py AESFuncs._pillar
 */
export async function pillar(
  services: MasterServices,
  load: Load,
  compile: PillarCompiler,
): Promise<AnyMap | false | ""> {
  const { id } = load;
  if (typeof id !== "string" || !isRecord(load.grains)) return false;
  const grains = { ...load.grains, id };
  const request = {
    id,
    grains,
    saltenv: load.saltenv === undefined ? load.env : load.saltenv,
    pillarenv: load.pillarenv,
    override: isMap(load.pillar_override) ? load.pillar_override : {},
    ext: load.ext,
    extraMinionData: isRecord(load.extra_minion_data) ? load.extra_minion_data : {},
    cleanCache: load.clean_cache === true,
  };
  let compiled: AnyMap;
  try {
    compiled = await compile(request);
  } catch (error) {
    // No pillar at all rather than an empty one: then the minion keeps what it has.
    services.log.error("pillar could not be compiled", { id, error: messageOf(error) });
    return "";
  }
  if (services.opts.minion_data_cache) {
    // What a minion brought itself must not decide who it is: targets by pillar are for what only a master can say. Salt keeps
    // it all the same, until the next refresh.
    const brought = sizeOf(request.override) > 0 || (request.ext !== undefined && request.ext !== null);
    // What reads it looks for names that are text, as nearly all are.
    const pillar = brought
      ? services.cache.data(id)?.pillar ?? {}
      : mapOf(entriesOf(compiled)) as Record<string, unknown>;
    services.cache.saveData(id, { grains, pillar });
    if (services.opts.minion_data_cache_events) {
      services.bus.fire(`minion/refresh/${id}`, { "Minion data cache refresh": id });
    }
  }
  return compiled;
}
