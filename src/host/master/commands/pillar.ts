import { WithheldReply } from "../../../protocol/channel/req_server.ts";
import type { Sender } from "../../../protocol/channel/sign_in_queue.ts";
import { messageOf } from "../../../base/errors.ts";
import { PackedPillar } from "../../../content/pillar/compiler.ts";
import { type AnyMap, entriesOf, isMap, mapOf, sizeOf } from "../../../language/python/values.ts";
import { NotTakenError } from "../../../feature/supervise/worker_queue.ts";
import { WorkerError } from "../../../feature/supervise/worker_pool.ts";
import type { Packed } from "../../../protocol/wire/msgpack.ts";
import { isRecord, type Load } from "../load.ts";
import type { MasterServices } from "../services.ts";

type Services = Pick<MasterServices, "bus" | "cache" | "log" | "opts">;

/** Compiles the pillar of one minion. `startMaster` gets it; without a compiler every pillar is empty. */
export type PillarCompiles = (request: {
  id: string;
  grains: Record<string, unknown>;
  saltenv: unknown;
  pillarenv: unknown;
  override: AnyMap;
  /** An external pillar that the minion asks for. */
  ext: unknown;
  /** Options of the minion for external pillars. */
  extraMinionData: Record<string, unknown>;
  /** True if the cached pillar of this minion must not be used. */
  cleanCache: boolean;
  /** False once the minion no longer waits for its pillar. */
  wanted(): boolean;
}) => Promise<AnyMap | PackedPillar>;

/**
 * The command `_pillar`. Every call saves the minion's grains in the cache, by which the master expands targets.
 *
 * @returns text, which no minion takes for a pillar, if there is none: the minion keeps what it has
 * @throws {WithheldReply} if the minion no longer waits, or too many minions wait: the minion asks again
 * @see salt/master.py AESFuncs._pillar
 */
export async function pillarCommand(
  services: Services,
  load: Load,
  sender: Sender,
  compile: PillarCompiles,
): Promise<AnyMap | Packed | false | string> {
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
    wanted: () => sender.open,
  };
  let compiled: AnyMap | PackedPillar;
  try {
    compiled = await compile(request);
  } catch (error) {
    if (error instanceof NotTakenError) throw new WithheldReply(error.message);
    // Answer with text, not with an empty pillar: then the minion keeps the pillar that it has.
    if (error instanceof WorkerError) return error.message;
    services.log.error("pillar could not be compiled", { id, error: messageOf(error) });
    return "";
  }
  if (services.opts.minion_data_cache) keepData(services, request, compiled);
  return compiled instanceof PackedPillar ? compiled.wire : compiled;
}

/** Saves the grains and pillar that targets are expanded with. If the disk is full, the minion gets its pillar all the same. */
function keepData(
  { opts, cache, bus, log }: Services,
  { id, grains, override, ext }: Parameters<PillarCompiles>[0],
  compiled: AnyMap | PackedPillar,
): void {
  // Pillar that the minion sent itself must not decide its targets: only a master may say what pillar a minion has. Salt keeps
  // it all the same, until the next refresh.
  const brought = sizeOf(override) > 0 || (ext !== undefined && ext !== null);
  try {
    // Keys become text, because targets look up names as text.
    const pillar = brought
      ? cache.packedPillar(id) ?? {}
      : compiled instanceof PackedPillar
      ? compiled.bin
      : mapOf(entriesOf(compiled)) as Record<string, unknown>;
    cache.saveData(id, { grains, pillar });
  } catch (error) {
    log.error("grains and pillar of a minion cannot be saved: targets match the previous ones", {
      id,
      error: messageOf(error),
    });
    return;
  }
  if (opts.minion_data_cache_events) bus.fire(`minion/refresh/${id}`, { "Minion data cache refresh": id });
}
