import { messageOf } from "../../errors.ts";
import { type AnyMap, entriesOf, isMap, mapOf, sizeOf } from "../../python/containers.ts";
import { isRecord, type Load, type MasterServices } from "../services.ts";

/** Compiles the pillar of one minion. Given to `startMaster`; without one every pillar is empty. */
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
  /** The cached pillar of this minion must not be used. */
  cleanCache: boolean;
}) => Promise<AnyMap>;

/**
 * The command `_pillar`. Every call saves the minion's grains in the cache, by which the master expands targets.
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
    // Pillar that the minion sent itself must not decide its targets: only a master may say what pillar a minion has. Salt keeps
    // it all the same, until the next refresh.
    const brought = sizeOf(request.override) > 0 || (request.ext !== undefined && request.ext !== null);
    // Its readers look names up as text, as nearly all are.
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
