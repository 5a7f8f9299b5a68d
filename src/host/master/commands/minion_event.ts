import type { AccessServices } from "../access/access_services.ts";
import type { JobServices } from "../jobs/job_services.ts";
import { LEGACY_SYNDIC_START, minionStart, syndicStart } from "../../../model/event/tag.ts";
import { inOwnName, mayFire } from "../access/minion_tags.ts";
import { publishQueuedJobs } from "../jobs/master_jobs.ts";
import { isRecord, type Load } from "../load.ts";
import { takeJobEvent } from "./syndic.ts";

type Services = JobServices & AccessServices;

/** Matches the tags of a job's output: a minion may fire them only for a job that it works on. */
const OUTPUT = /^salt\/job\/(?<jid>[^/]+)\/out\/(?<id>[^/]+)$/;

/**
 * The command `_minion_event`: events of a minion for the master's bus. Tags that only a master may fire are refused:
 * listeners would take the minion for the master. `data.id` of each event is the minion's own id.
 *
 * @see salt/master.py AESFuncs._minion_event
 */
export function minionEvent(
  services: Services,
  load: Load,
  minion: string | undefined,
): null | Promise<null> {
  const { bus, ledger, log, syndics } = services;
  const prefix = typeof load.pretag === "string" && load.pretag !== "" ? load.pretag : undefined;
  const syndic = minion !== undefined && isSyndics(services, load, minion) ? minion : undefined;
  const speaksFor = (id: unknown) => syndic === undefined ? id === minion : syndics.speaksFor(syndic, id);
  const fire = (tag: string, data: Record<string, unknown>) => {
    if (!mayFire(tag, data, minion, speaksFor)) {
      log.warning("event of a minion refused: the tag is reserved for the master", { minion, tag });
      return;
    }
    const { jid, id } = OUTPUT.exec(tag)?.groups ?? {};
    if (jid !== undefined && ledger.standing(jid, id!) !== "expected") {
      log.warning("output of a job refused: no return expected from the minion", { minion, tag });
      return;
    }
    bus.fire(tag, inOwnName(data, minion, syndic !== undefined, speaksFor));
  };
  if (syndic !== undefined && Array.isArray(load.events)) {
    const fireBare = (tag: string, data: Record<string, unknown>) => {
      if (mayFire(tag, data, syndic, speaksFor)) fire(tag, data);
    };
    return syndicEvents(services, load.events, syndic, { fire, fireBare });
  }
  if (Array.isArray(load.events)) {
    for (const event of load.events) {
      if (!isRecord(event) || typeof event.tag !== "string") continue;
      const data = isRecord(event.data) ? event.data : event;
      fire(event.tag, data);
      if (prefix !== undefined) fire(`${prefix}/${event.tag}`, data);
    }
  } else if (typeof load.tag === "string") {
    const { tok: _tok, nonce: _nonce, ...data } = load;
    fire(load.tag, data);
    if (prefix !== undefined) fire(`${prefix}/${load.tag}`, data);
    if (minion !== undefined && load.tag === minionStart(minion)) {
      syndics.isAlsoMinion(minion);
      services.presence.started(minion);
      publishQueuedJobs(services, minion, load.cmd);
    }
  }
  return null;
}

/** True if a request is from a syndic, which the master then notes. */
function isSyndics({ syndics }: Services, load: Load, minion: string): boolean {
  const says = load.pretag === `syndic/${minion}` || load.tag === LEGACY_SYNDIC_START ||
    load.tag === syndicStart(minion);
  return says && syndics.register(minion);
}

/**
 * Handles events of a lower master: their news of jobs is entered, and each event is fired under its tag and again with the syndic's name
 * before the tag. Tags that only a master may fire are fired with the name alone.
 */
async function syndicEvents(
  services: Services,
  events: readonly unknown[],
  syndic: string,
  { fire, fireBare }: Record<"fire" | "fireBare", (tag: string, data: Record<string, unknown>) => void>,
): Promise<null> {
  for (const event of events) {
    if (!isRecord(event) || typeof event.tag !== "string") continue;
    const { tag } = event;
    const data = isRecord(event.data) ? event.data : event;
    if (await takeJobEvent(services, syndic, tag, data)) continue;
    fireBare(tag, data);
    fire(`syndic/${syndic}/${tag}`, data);
  }
  await services.store.durable();
  return null;
}
