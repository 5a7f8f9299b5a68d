import { type JobLoad, SYNDIC_OWN } from "../../../model/job/job_cache.ts";
import { expandTarget } from "../../../model/target/expand.ts";
import type { JobServices } from "./job_services.ts";
import { MAX_TARGETS } from "./syndic_targets.ts";

/** The kinds of targets that match by id: whether a minion belongs to one can be told without its grains. */
const BY_NAME: ReadonlySet<unknown> = new Set(["glob", "pcre", "list"]);

/** The most minions that one syndic may name for one job. */
const MAX_MINIONS = 50_000;

/**
 * Returns those of `ids` that a syndic may speak for in a job: it may speak for the minion at all, and the target does not exclude the
 * minion. Which minions a target by grains or pillar means, only the lower master knows.
 */
export function spokenFor(
  { syndics }: JobServices,
  syndic: string,
  load: JobLoad,
  ids: readonly unknown[],
): string[] {
  const allowed = ids.filter((id) => syndics.speaksFor(syndic, id)) as string[];
  if (!BY_NAME.has(load.tgt_type ?? "glob") || allowed.length === 0) return allowed;
  const source = { accepted: () => allowed, cached: () => [], data: () => undefined };
  return expandTarget({ tgt: load.tgt, tgt_type: String(load.tgt_type ?? "glob") }, source).minions;
}

/** Returns the load of a job that this master has published, open or on record; undefined for any other job. */
async function publishedLoad({ ledger, jobs }: JobServices, jid: string): Promise<JobLoad | undefined> {
  const load = ledger.loadOf(jid) ?? await jobs.load(jid);
  return load?.[SYNDIC_OWN] === undefined ? load : undefined;
}

/**
 * Handles the minions that a syndic names for a job. Those that it may speak for become targets, and clients are told of them.
 *
 * @param more true if the syndic may name more minions before its list counts as complete
 */
export async function syndicNames(
  services: JobServices,
  syndic: string,
  { jid, minions, more }: { jid: string; minions: readonly unknown[]; more: boolean },
): Promise<void> {
  const { ledger, log, bus } = services;
  // Names do not count for a job that has ended, only returns: otherwise a syndic could add minions to every job on record, without end.
  const load = ledger.loadOf(jid) === undefined ? undefined : await publishedLoad(services, jid);
  if (load === undefined) return;
  if (ledger.namedBy(jid, syndic) + minions.length > MAX_MINIONS) {
    log.warning("minions of a syndic refused: too many for one job", { syndic, jid, most: MAX_MINIONS });
    return;
  }
  const named = spokenFor(services, syndic, load, minions);
  if (named.length < minions.length) {
    log.warning("minions of a syndic refused: their keys are accepted here, or they are not targets of the job", {
      syndic,
      jid,
      refused: minions.length - named.length,
    });
  }
  if (named.length > 0 && !await services.syndicTargets.add(jid, syndic, named)) {
    log.warning("minions of a syndic refused: too many for one job", { syndic, jid, most: MAX_TARGETS });
    return;
  }
  ledger.join(jid, syndic, named, more);
  bus.fire(`syndic/${syndic}/${jid}`, { jid, minions: named, syndic, ...(more ? { more } : {}) });
}
