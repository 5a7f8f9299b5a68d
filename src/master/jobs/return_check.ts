import { WithheldReply } from "../../channel/req_server.ts";
import { signedBytes } from "../../channel/signed_load.ts";
import { rsaVerify } from "../../crypto/rsa.ts";
import { messageOf } from "../../errors.ts";
import { isPlainJid } from "../../job/jid.ts";
import { isMinionId } from "../../job/minion_id.ts";
import { bytesOf } from "../../wire/payload.ts";
import type { Load, MasterServices, RefusedReturn } from "../services.ts";

/** A return that belongs into its job. */
export interface CheckedReturn {
  load: Load;
  jid: string;
  /** The minion that ran the job. */
  id: string;
  /** True if the job cache keeps it. */
  kept: boolean;
  /** True if no publication asked for the job: it is recorded with this return. */
  unpublished: boolean;
}

/** A return that is kept out of its job, and the fields of the log line. */
export interface ReturnRefusal {
  refused: RefusedReturn;
  fields: Record<string, unknown>;
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
  services: MasterServices,
  load: Load,
  minion: string | undefined,
): CheckedReturn | ReturnRefusal | Promise<CheckedReturn | ReturnRefusal> {
  const { jids, ledger, opts } = services;
  const { id } = load;
  if (load.return === undefined || load.jid === undefined || !isMinionId(id)) {
    return { refused: "malformed", fields: { id } };
  }
  if (minion !== undefined && minion !== id) return { refused: "impostor", fields: { minion, id } };
  const fault = signatureFault(services, load, minion);
  if (fault !== undefined) return { refused: fault, fields: { id, jid: load.jid } };
  const requested = load.jid === "req";
  // A job that no publication asked for: salt-call, or a start-up state.
  if (requested) load.jid = jids.next();
  const { jid } = load;
  if (typeof jid !== "string" || !isPlainJid(jid)) {
    return { refused: "malformed", fields: { id, reason: "not a jid" } };
  }
  const kept = opts.job_cache && opts.ext_job_cache === "" && !(requested && load.nocache === true);
  const checked: CheckedReturn = { load, jid, id, kept, unpublished: false };
  return ledger.standing(jid, id) === "expected" ? checked : checkUnexpected(services, checked, { requested, minion });
}

/** Decides on a return that no open job expects. */
async function checkUnexpected(
  services: MasterServices,
  checked: CheckedReturn,
  { requested, minion }: { requested: boolean; minion: string | undefined },
): Promise<CheckedReturn | ReturnRefusal> {
  const { ledger, opts } = services;
  const { load, jid, id, kept } = checked;
  const fields = { id, jid };
  const standing = ledger.standing(jid, id);
  if (standing === "closed") {
    if (!kept) return checked;
    const refused = requested ? "unknown job" : await faultInCache(services, jid, id);
    // Jobs that this master has not published: of salt-call, of a minion's schedule, and of a master above, whose syndic has
    // passed the return on.
    const unpublished = refused === "unknown job" &&
      (requested || load.schedule !== undefined || minion === undefined);
    if (refused === "returned before") await assertSafe(services, jid, id);
    return refused === undefined || unpublished ? { ...checked, unpublished } : { refused, fields };
  }
  if (standing === "not a target") {
    if (minion === undefined && opts.order_masters) return checked;
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

/** Why a return does not belong into a job that is not open, by the job cache; undefined if it does. */
async function faultInCache(services: MasterServices, jid: string, id: string): Promise<RefusedReturn | undefined> {
  const { jobs, opts } = services;
  if (!await jobs.hasLoad(jid)) return "unknown job";
  if (!opts.order_masters && !(await jobs.minions(jid)).includes(id)) return "not a target";
  return await jobs.hasReturn(jid, id) ? "returned before" : undefined;
}

/**
 * Why the signature of a return is a reason to refuse it: `require_minion_sign_messages` asks for one by the minion's accepted
 * key, and `drop_messages_signature_fail` refuses a wrong one.
 *
 * @see salt/master.py AESFuncs._return
 */
function signatureFault(
  { opts, keys, runtime: { crypto }, log }: MasterServices,
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
 * Waits until a return that came before is safe: only then may it be acknowledged.
 *
 * @throws {WithheldReply} if it could not be stored
 */
async function assertSafe({ store, ledger, runtime }: MasterServices, jid: string, id: string): Promise<void> {
  try {
    await store.durable();
    // The request that brought it first may learn in this turn of the loop that it is not.
    await new Promise<void>((resolve) => runtime.later(resolve));
  } catch (error) {
    throw new WithheldReply("The return could not be stored", { cause: error, jid, id });
  }
  if (ledger.standing(jid, id) === "expected") throw new WithheldReply("The return could not be stored", { jid, id });
}

/** Logs and counts a refused return. */
export function refuseReturn(
  services: MasterServices,
  { refused: why, fields }: ReturnRefusal,
): null {
  services.refused[why]++;
  services.log.warning("return refused", { why, ...fields, count: services.refused[why] });
  return null;
}
