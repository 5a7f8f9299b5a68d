import type { AccessServices } from "../access/access_services.ts";
import type { JobServices } from "../jobs/job_services.ts";
import { WithheldReply } from "../../../protocol/channel/req_server.ts";
import { isPlainJid } from "../../../model/job/jid.ts";
import { OUTCOME_STATES, type OutcomeState, type TargetOutcome } from "../../../model/job/outcome.ts";
import { checkReturn, type SyndicPart } from "../jobs/return_check.ts";
import { ownerFault } from "../access/owner_rights.ts";
import { syndicNames } from "../jobs/syndic_jobs.ts";
import { isRecord, type Load } from "../load.ts";
import { acceptReturn } from "./return.ts";

type Services = JobServices & AccessServices;

/**
 * The command `_syndic_return`: a syndic hands in the returns of its minions, of many jobs at once. The reply is the acknowledgement
 * of all of them.
 *
 * @throws {WithheldReply} if one of them could not be stored
 * @see salt/master.py AESFuncs._syndic_return
 */
export async function syndicReturned(
  services: Services,
  load: Load,
  syndic: string | undefined,
): Promise<null> {
  const { syndics, log } = services;
  if (syndic === undefined || !syndics.mayBe(syndic)) {
    // Without this check any minion could send returns in the name of every other minion.
    log.warning("returns of a syndic refused: order_masters is off, or syndic_minions does not list it", {
      id: syndic,
    });
    return null;
  }
  const parts = Array.isArray(load.load) ? load.load : [load.load];
  let failure: unknown;
  for (const part of parts) {
    if (!isRecord(part) || typeof part.jid !== "string" || !isPlainJid(part.jid) || !isRecord(part.return)) continue;
    const results = Object.entries(part.return).filter(([, result]) => isRecord(result)) as [string, Load][];
    const take = ([id, result]: [string, Load]) => takeReturn(services, part as SyndicPart, { id, result, syndic });
    // The first return is handled alone if the job is unknown: it records the job, which the other returns then find.
    const first = results.splice(0, services.ledger.loadOf(part.jid) === undefined ? 1 : 0);
    for (const result of first) await take(result).catch((error) => failure = error);
    for (const done of await Promise.allSettled(results.map(take))) {
      if (done.status === "rejected") failure = done.reason;
    }
  }
  if (failure !== undefined) throw failure;
  return null;
}

/** Handles one return that a syndic passes on. */
async function takeReturn(
  services: Services,
  part: SyndicPart,
  { id, result, syndic }: { id: string; result: Load; syndic: string },
): Promise<void> {
  const { return: value, retcode, success, fun_args = part.fun_args } = result;
  const { jid, fun, out, master_id } = part;
  const load: Load = { cmd: "_return", id, jid, return: value, retcode, success, fun, fun_args };
  if (out !== undefined) load.out = out;
  if (master_id !== undefined) load.master_id = master_id;
  try {
    const checked = await checkReturn(services, load, undefined, { id: syndic, part });
    if (!("refused" in checked)) services.syndics.register(syndic);
    await acceptReturn(services, checked);
  } catch (error) {
    const reason = WithheldReply.unlessForGood(error, "The return");
    if (reason instanceof WithheldReply) throw reason;
    // The return counts as kept: the syndic must not send it again, since the same error would follow.
    services.log.error("return could not be handled", { syndic, id, jid, error: String(error) });
  }
}

/** Matches the tag of the event in which a lower master tells the outcome of one target of a job. */
const OUTCOME = /^salt\/job\/(?<jid>\d{20}(?:_[0-9A-Za-z]+)?)\/outcome\/(?<id>[^/]+)$/;
/** Matches the tags of the events in which a lower master names the minions of a job. */
const NAMES = /^(?:(?<bare>\d{20}(?:_[0-9A-Za-z]+)?)|salt\/job\/(?<jid>\d{20}(?:_[0-9A-Za-z]+)?)\/new)$/;

/**
 * Enters in the ledger what an event of a lower master says about a job: its minions, and their outcomes.
 *
 * @returns true if the event was one of these
 */
export async function takeJobEvent(
  services: Services,
  syndic: string,
  tag: string,
  data: Record<string, unknown>,
): Promise<boolean> {
  const names = NAMES.exec(tag)?.groups;
  if (names !== undefined) {
    const jid = (names.bare ?? names.jid)!;
    if (Array.isArray(data.minions)) {
      await syndicNames(services, syndic, { jid, minions: data.minions, more: data.more === true });
    }
    return true;
  }
  const { jid, id } = OUTCOME.exec(tag)?.groups ?? {};
  if (jid === undefined) return false;
  const outcome = outcomeOf(id!, data);
  if (outcome !== undefined) services.ledger.reported(jid, syndic, outcome);
  return true;
}

/** The outcomes that a syndic may report; the outcome of a minion that has returned is known by its return. */
const REPORTED: ReadonlySet<unknown> = new Set(
  OUTCOME_STATES.filter((state) => !["returned", "failed", "published"].includes(state)),
);

/** The largest time in seconds since the epoch, the end of the year 9999: larger numbers cannot be shown as a date. */
const LATEST = 253_402_300_799;
const isTime = (value: unknown): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= LATEST;

/** The most characters of a note. */
const MAX_NOTE_CHARACTERS = 500;

function outcomeOf(minion: string, data: Record<string, unknown>): TargetOutcome | undefined {
  if (!REPORTED.has(data.outcome) || !isTime(data.at)) return undefined;
  return {
    minion,
    state: data.outcome as OutcomeState,
    atMs: Number(data.at) * 1000,
    ...(isTime(data.until) ? { untilMs: Number(data.until) * 1000 } : {}),
    ...(isTime(data.since) ? { sinceMs: Number(data.since) * 1000 } : {}),
    ...(typeof data.note === "string" ? { note: data.note.slice(0, MAX_NOTE_CHARACTERS) } : {}),
  };
}

/**
 * The part of the command `_jobs` for syndics: `{syndic: true, reports, known: [jid…]}` asks for the jobs that the syndic should have and
 * does not know. The answer is `{jobs: [load…]}`.
 *
 * `reports` is true if the syndic reports the outcome of each of its minions: then this master does not ask them.
 */
export async function syndicJobs(services: Services, load: Load, syndic: string): Promise<unknown> {
  const { syndics, ledger } = services;
  if (!syndics.register(syndic)) return { jobs: [] };
  syndics.setReporting(syndic, load.reports === true);
  const known = new Set(Array.isArray(load.known) ? load.known.map(String) : []);
  const jobs: Load[] = [];
  for (const missed of ledger.missedBySyndic(syndic, known)) {
    const owner = ledger.ownerOf(String(missed.jid));
    if (owner === undefined || await ownerFault(services, owner, missed, undefined) === undefined) jobs.push(missed);
  }
  return { jobs };
}
