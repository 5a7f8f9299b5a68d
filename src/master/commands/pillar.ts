import { isRecord, type Load, type MasterServices } from "../services.ts";

/** Compiles the pillar of one minion. The host wires the compiler in; without one every pillar is empty. */
export type PillarCompiler = (request: {
  id: string;
  grains: Record<string, unknown>;
  saltenv: unknown;
  pillarenv: unknown;
  override: Record<string, unknown>;
}) => Promise<Record<string, unknown>>;

/**
 * The command `_pillar`. Every call leaves the minion's grains in the cache, which is what the master targets by.
 *
 * @see salt/master.py AESFuncs._pillar
 */
export async function pillar(
  services: MasterServices,
  load: Load,
  compile: PillarCompiler,
): Promise<Record<string, unknown> | false> {
  const { id } = load;
  if (typeof id !== "string" || !isRecord(load.grains)) return false;
  const grains = { ...load.grains, id };
  const compiled = await compile({
    id,
    grains,
    saltenv: load.saltenv,
    pillarenv: load.pillarenv,
    override: isRecord(load.pillar_override) ? load.pillar_override : {},
  });
  if (services.opts.minion_data_cache) {
    services.cache.saveData(id, { grains, pillar: compiled });
    if (services.opts.minion_data_cache_events) {
      services.bus.fire(`minion/refresh/${id}`, { "Minion data cache refresh": id });
    }
  }
  return compiled;
}
