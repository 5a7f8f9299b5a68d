import { WithheldReply } from "../../../protocol/channel/req_server.ts";
import { signedBytes } from "../../../protocol/channel/req_client.ts";
import { rsaVerify } from "../../../protocol/crypto/rsa.ts";
import { messageOf } from "../../../base/errors.ts";
import { isPlainJid } from "../../../model/job/jid.ts";
import { isMinionId } from "../../../base/minion_id.ts";
import { encode, Packed } from "../../../protocol/wire/msgpack.ts";
import { bytesOf } from "../../../protocol/wire/payload.ts";
import { SYNDIC_OWN } from "../../../model/job/job_cache.ts";
import type { Load } from "../load.ts";
import type { JobServices, RefusedReturn } from "./job_services.ts";
import { spokenFor } from "./syndic_jobs.ts";

export interface CheckedReturn {
  load: Load;
  jid: string;
  /** The minion that ran the job. */
  id: string;
  /** True if the job cache keeps the return. */
  kept: boolean;
  /** True if no publication asked for the job: it is recorded with this return. */
  unpublished: boolean;
  syndic?: FromSyndic;
}

/** Why a return is refused, and the fields of the log line. */
export interface ReturnRefusal {
  refused: RefusedReturn;
  fields: Record<string, unknown>;
}

export interface SyndicPart extends Load {
  jid: string;
}

interface FromSyndic {
  id: string;
  part: SyndicPart;
}

/**
 * Decides whether a return belongs into its job: well-formed, sent by its own minion, signed where that is required, and
 * expected of that minion. Answers at once for an open job, which is the common case; a promise only where the job cache has
 * to be asked.
 *
 * @param minion the authenticated sender; undefined for a return that a syndic passes on
 * @throws {WithheldReply} if the return came before and is not safe yet
 */
export function checkReturn(
  services: JobServices,
  load: Load,
  minion: string | undefined,
  syndic?: FromSyndic,
): CheckedReturn | ReturnRefusal | Promise<CheckedReturn | ReturnRefusal> {
  const { jids, ledger, opts } = services;
  const { id } = load;
  if (load.return === undefined || load.jid === undefined || !isMinionId(id)) {
    return { refused: "malformed", fields: { id } };
  }
  const speaks = syndic === undefined ? minion === id : services.syndics.speaksFor(syndic.id, id);
  if (!speaks) return { refused: "impostor", fields: { minion, ...syndicField(syndic), id } };
  const fault = signatureFault(services, load, minion);
  if (fault !== undefined) return { refused: fault, fields: { id, jid: load.jid } };
  const requested = load.jid === "req";
  // No publication asked for this job: it is from salt-call or a start-up state.
  if (requested) load.jid = jids.next();
  const { jid } = load;
  // The scheduled job asks for no record: its return becomes an event and is kept nowhere.
  if (jid === "nocache") return { load, jid, id, kept: false, unpublished: false, ...(syndic && { syndic }) };
  if (typeof jid !== "string" || !isPlainJid(jid)) {
    return { refused: "malformed", fields: { id, reason: "not a jid" } };
  }
  const kept = opts.job_cache && opts.ext_job_cache === "" && !(requested && load.nocache === true);
  const checked: CheckedReturn = { load, jid, id, kept, unpublished: false };
  if (syndic !== undefined) checked.syndic = syndic;
  if (ledger.standing(jid, id) === "expected" || services.cluster?.expects(jid, id)) return checked;
  return syndic === undefined
    ? checkUnexpected(services, checked, { requested, minion })
    : checkUnnamed(services, checked, syndic);
}

const syndicField = (syndic: FromSyndic | undefined) => syndic === undefined ? {} : { syndic: syndic.id };

/**
 * Decides on a return from a syndic that no open job expects of the minion: the syndic has not named the minion yet, the job is closed, or
 * a lower master has published it.
 */
async function checkUnnamed(
  services: JobServices,
  checked: CheckedReturn,
  { id: syndic }: FromSyndic,
): Promise<CheckedReturn | ReturnRefusal> {
  const { ledger, jobs } = services;
  const { jid, id, kept } = checked;
  const fields = { id, jid, syndic };
  const standing = ledger.standing(jid, id);
  if (standing === "returned before" || standing === "closed" && kept && await jobs.hasReturn(jid, id)) {
    await assertSafe(services, jid, id);
    // A syndic that gets no answer sends the whole request again, so returns can come twice.
    return { refused: "returned before", fields };
  }
  const load = ledger.loadOf(jid) ?? await jobs.load(jid);
  if (load === undefined) {
    if (kept && !services.syndicQuota.take(syndic)) return { refused: "too many jobs", fields };
    return { ...checked, unpublished: kept };
  }
  const own = load[SYNDIC_OWN];
  const fits = own === undefined ? spokenFor(services, syndic, load, [id]).length > 0 : own === syndic;
  if (!fits) return { refused: "not a target", fields };
  if (kept && !await services.syndicTargets.add(jid, syndic, [id])) return { refused: "too many minions", fields };
  ledger.join(jid, syndic, [id], true);
  return checked;
}

/** Decides on a return that no open job expects. */
async function checkUnexpected(
  services: JobServices,
  checked: CheckedReturn,
  { requested, minion }: { requested: boolean; minion: string | undefined },
): Promise<CheckedReturn | ReturnRefusal> {
  const { ledger } = services;
  const { load, jid, id, kept } = checked;
  const fields = { id, jid };
  const standing = ledger.standing(jid, id);
  if (standing === "closed") {
    // The target of the job, under the names that listeners of the return find in Salt. @see salt/utils/job.py store_job
    if (requested) Object.assign(load, { arg: load.arg ?? load.fun_args ?? [], tgt: id, tgt_type: "glob" });
    if (!kept) return checked;
    const refused = requested ? "unknown job" : await faultInCache(services, jid, id);
    // Jobs of salt-call and of a minion's schedule are published by no master.
    const unpublished = refused === "unknown job" && (requested || load.schedule !== undefined);
    if (refused === "returned before") await assertSafe(services, jid, id);
    if (unpublished && !fitsQuota(services, load, id)) return { refused: "too many jobs", fields };
    return refused === undefined || unpublished ? { ...checked, unpublished } : { refused, fields };
  }
  if (standing === "not a target") {
    // A syndic that is also a minion of this master got the job as a syndic, not as a target.
    if (minion !== undefined && services.syndics.known(minion)) {
      return await ownReturnOfSyndic(services, checked, minion);
    }
    // The job was closed, and then published to more minions: the job cache knows its earlier targets.
    if (kept && await faultInCache(services, jid, id) === undefined) return checked;
    return { refused: standing, fields };
  }
  if (standing === "returned before") {
    await assertSafe(services, jid, id);
    return { refused: standing, fields };
  }
  return checked;
}

/** Counts a job that no master has published. False if its minion has brought too many such jobs, or too many bytes. */
function fitsQuota({ minionQuota, opts }: JobServices, load: Load, id: string): boolean {
  const { return: value, ...rest } = load;
  const size = value instanceof Packed ? value.bytes.length : encode(value, "bin").length;
  // A return above the limit is not kept, so it counts only as the limit.
  const bytes = (opts.max_return_size > 0 ? Math.min(size, opts.max_return_size) : size) + encode(rest, "bin").length;
  return minionQuota.jobs.take(id) && minionQuota.bytes.take(id, bytes);
}

/** Decides on a return of a syndic in its own name: if the job is for it, the syndic becomes a target. */
async function ownReturnOfSyndic(
  services: JobServices,
  checked: CheckedReturn,
  syndic: string,
): Promise<CheckedReturn | ReturnRefusal> {
  const { jid, id, kept } = checked;
  const load = services.ledger.loadOf(jid);
  if (load === undefined || spokenFor(services, syndic, load, [id]).length === 0) {
    return { refused: "not a target", fields: { id, jid } };
  }
  if (kept && !await services.syndicTargets.add(jid, syndic, [id])) {
    return { refused: "too many minions", fields: { id, jid, syndic } };
  }
  services.ledger.join(jid, syndic, [id], true);
  return checked;
}

/** Returns why a return does not belong to a job that is not open, by the job cache; undefined if it does. */
async function faultInCache(services: JobServices, jid: string, id: string): Promise<RefusedReturn | undefined> {
  const { jobs, store } = services;
  if (!await jobs.hasLoad(jid)) return "unknown job";
  if (!(await jobs.minions(jid)).includes(id)) return "not a target";
  return await jobs.hasReturn(jid, id) && !store.unannounced.has(jid, id) ? "returned before" : undefined;
}

/**
 * Returns why a return is refused for its signature: `require_minion_sign_messages` requires a signature by the minion's accepted
 * key, and `drop_messages_signature_fail` refuses a wrong one.
 *
 * @see salt/master.py AESFuncs._return
 */
function signatureFault(
  { opts, keys, runtime: { crypto }, log }: JobServices,
  load: Load,
  minion: string | undefined,
): RefusedReturn | undefined {
  const { sig, jid } = load;
  const required = opts.require_minion_sign_messages;
  if (sig === undefined || sig === null) return required ? "unsigned" : undefined;
  if (!required && !opts.drop_messages_signature_fail) return undefined;
  // A return that a syndic passes on was signed in another message, by a key that this master does not have.
  const key = minion === undefined ? undefined : keys.accepted(minion)?.key;
  try {
    if (key !== undefined && rsaVerify(crypto, opts.signing_algorithm, key, signedBytes(load), bytesOf(sig))) {
      return undefined;
    }
  } catch (error) {
    log.debug("signature cannot be verified", { minion, jid, error: messageOf(error) });
  }
  return "bad signature";
}

/**
 * Waits until a return that came before is durable: only then may it be acknowledged.
 *
 * @throws {WithheldReply} if it could not be stored
 */
async function assertSafe({ store, ledger, runtime }: JobServices, jid: string, id: string): Promise<void> {
  try {
    await store.durable();
    // The request that brought the return first may learn in this turn of the loop that storing it failed.
    await new Promise<void>((resolve) => runtime.later(resolve));
  } catch (error) {
    throw new WithheldReply("The return could not be stored", { cause: error, jid, id });
  }
  if (ledger.standing(jid, id) === "expected") throw new WithheldReply("The return could not be stored", { jid, id });
}

export function refuseReturn(
  services: JobServices,
  { refused: why, fields }: ReturnRefusal,
): null {
  if (why === "returned before" && fields.syndic !== undefined) {
    services.log.debug("return of a syndic received before", fields);
    return null;
  }
  services.refused[why]++;
  services.log.warning("return refused", { why, ...fields, count: services.refused[why] });
  return null;
}
