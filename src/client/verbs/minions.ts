import { isRecord } from "../../base/record.ts";
import { textList } from "../publish_request.ts";
import type { CallOptions, KnownMinion, ListMinionsOptions, Minions, Targets } from "../salt.ts";
import type { SaltLink } from "../job_run.ts";

/** Implements {@link Salt.minions} with the runners `manage.present`, `manage.not_present` and `cache.grains`. */
export function minionsOf(link: SaltLink): Minions {
  const presence = async (options: CallOptions = {}) => {
    const [connected, away] = await Promise.all([
      link.runner({ fun: "manage.present" }, options),
      link.runner({ fun: "manage.not_present" }, options),
    ]);
    return { connected: textList(connected).sort(), away: textList(away).sort() };
  };
  const list = async ({ tgt = "*", tgtType = "glob", ...options }: ListMinionsOptions = {}) => {
    const [{ connected, away }, grains] = await Promise.all([
      presence(options),
      link.runner({ fun: "cache.grains", kwarg: { tgt, tgt_type: tgtType } }, options),
    ]);
    const found = isRecord(grains) ? grains : {};
    // A minion that has never connected has no grains in the cache; only the target "*" includes it.
    const ids = tgt === "*" && tgtType === "glob" ? [...connected, ...away, ...Object.keys(found)] : Object.keys(found);
    const up = new Set(connected);
    return [...new Set(ids)].sort().map((id): KnownMinion => {
      const known = found[id];
      const has = isRecord(known) && Object.keys(known).length > 0;
      return { id, grains: has ? known : undefined, connected: up.has(id) };
    });
  };
  return { list, presence };
}

/** Implements {@link Salt.targets}. */
export function verbTargets(link: SaltLink): Targets {
  return { preview: (request, options) => link.preview({ fun: "test.ping", ...request }, options) };
}
