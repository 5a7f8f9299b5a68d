import { jobReturn } from "../../event/tag.ts";
import { isPlainJid } from "../../job/jid.ts";
import { isMinionId } from "../../job/minion_id.ts";
import { signedBytes } from "../../channel/signed_load.ts";
import { rsaVerify } from "../../crypto/rsa.ts";
import { messageOf } from "../../errors.ts";
import { bytesOf } from "../../wire/payload.ts";
import { encode, Packed, packedForBin } from "../../wire/msgpack.ts";
import { WithheldReply } from "../../channel/req_server.ts";
import { isRecord, type Load, type MasterServices, type RefusedReturn } from "../services.ts";

/** Fields that only carried the request. */
const CHANNEL_FIELDS: ReadonlySet<string> = new Set(["tok", "nonce"]);

/** Logs and counts a return that does not come into its job. */
function refuse(services: MasterServices, why: RefusedReturn, fields: Record<string, unknown>): null {
  services.refused[why]++;
  services.log.warning("return kept out of the job", { why, ...fields, count: services.refused[why] });
  return null;
}

/** A value that is kept in the place of one that is too large. */
function tooLarge(bytes: number, bound: number): Packed {
  const text = `The return of ${bytes} bytes is larger than max_return_size (${bound}) and was not kept`;
  return new Packed(encode(text, "bin"));
}

/** What a job that is closed, or was never open here, says to a return. */
async function standingOf(services: MasterServices, jid: string, id: string): Promise<RefusedReturn | undefined> {
  const { jobs, opts } = services;
  if (!await jobs.hasLoad(jid)) return "unknown job";
  if (!opts.order_masters && !(await jobs.minions(jid)).includes(id)) return "not a target";
  return await jobs.hasReturn(jid, id) ? "returned before" : undefined;
}

/**
 * What is wrong with the signature of a return, if that is a reason to refuse it: under `require_minion_sign_messages` there
 * has to be one of the minion's accepted key, and under `drop_messages_signature_fail` a wrong one is refused.
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
  // What a syndic hands on was signed in another message, by a key that this master does not have.
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
 * That a return came before is no reason to acknowledge it: it may not be safe yet.
 *
 * @throws {WithheldReply} if it is not
 */
async function assertSafe({ store, ledger, runtime }: MasterServices, jid: string, id: string): Promise<void> {
  try {
    await store.durable();
    // Whoever brought it first may learn in this turn that it is not.
    await new Promise<void>((resolve) => runtime.later(resolve));
  } catch (error) {
    throw new WithheldReply("The return could not be stored", { cause: error, jid, id });
  }
  if (ledger.standing(jid, id) === "expected") throw new WithheldReply("The return could not be stored", { jid, id });
}

/**
 * The command `_return`: a minion hands in what a job gave. Its value stays packed from the wire to bus and job cache. The
 * reply is the acknowledgement: it is given once the return is safe, and the minion asks again otherwise.
 *
 * @param minion who proved to send it; a return in another minion's name is refused
 * @throws {WithheldReply} if the return could not be stored
 * @see salt/master.py AESFuncs._return
 */
export async function jobReturned(services: MasterServices, load: Load, minion: string | undefined): Promise<null> {
  const { bus, jobs, jids, ledger, opts, runtime: { clock } } = services;
  const { id } = load;
  if (load.return === undefined || load.jid === undefined || !isMinionId(id)) {
    return refuse(services, "malformed", { id });
  }
  if (minion !== undefined && minion !== id) return refuse(services, "impostor", { minion, id });
  const unsigned = signatureFault(services, load, minion);
  if (unsigned !== undefined) return refuse(services, unsigned, { id, jid: load.jid });
  const requested = load.jid === "req";
  // A job that no publication asked for: salt-call, or a start-up state.
  if (requested) load.jid = jids.next();
  const { jid } = load;
  if (typeof jid !== "string" || !isPlainJid(jid)) return refuse(services, "malformed", { id, reason: "not a jid" });

  const keeps = opts.job_cache && opts.ext_job_cache === "" && !(requested && load.nocache === true);
  let standing = ledger.standing(jid, id);
  let own = false;
  if (standing === "closed" && keeps) {
    const refused = requested ? "unknown job" : await standingOf(services, jid, id);
    // The minion's own jobs: of salt-call, of its schedule; and those of a master above, which a syndic has passed on.
    own = refused === "unknown job" && (requested || load.schedule !== undefined || minion === undefined);
    if (refused === "returned before") await assertSafe(services, jid, id);
    if (refused !== undefined && !own) return refuse(services, refused, { id, jid });
    standing = "expected";
  }
  if (standing === "not a target" && minion === undefined && opts.order_masters) standing = "expected";
  // Published to more minions after it had been closed: the job cache knows those of before.
  if (standing === "not a target" && keeps && await standingOf(services, jid, id) === undefined) standing = "expected";
  if (standing === "returned before") await assertSafe(services, jid, id);
  if (standing === "not a target" || standing === "returned before") return refuse(services, standing, { id, jid });

  let value = load.return instanceof Packed ? packedForBin(load.return) : new Packed(encode(load.return, "bin"));
  let { retcode, success } = load;
  const bytes = value.bytes.length;
  if (opts.max_return_size > 0 && bytes > opts.max_return_size) {
    refuse(services, "too large", { id, jid, bytes, max_return_size: opts.max_return_size });
    value = tooLarge(bytes, opts.max_return_size);
    retcode = retcode === 0 || retcode === undefined ? 1 : retcode;
    success = false;
  }
  // Copied without them rather than deleted from a copy: an object that something was deleted from is slow from then on.
  const data: Load = {};
  for (const field in load) if (!CHANNEL_FIELDS.has(field)) data[field] = field === "return" ? value : load[field];
  if (bytes !== value.bytes.length) Object.assign(data, { retcode, success });

  if (keeps) {
    const undo = ledger.returned(jid, id);
    const since = services.store.losses;
    try {
      if (own) {
        await jobs.saveLoad(jid, standalone(load), [id]);
        await jobs.settle(jid);
      }
      const storing = services.store.begun(jobs.saveReturn(jid, {
        minion: id,
        return: value,
        retcode,
        success,
        ...(typeof load.out === "string" ? { out: load.out } : {}),
        storedMs: clock.now(),
      }));
      if (load.ended === "timed out") {
        await jobs.saveOutcomes(jid, [{ minion: id, state: "timed out", atMs: clock.now(), note: "job_timeout" }]);
      }
      const fresh = typeof storing === "boolean" ? storing : await storing;
      await services.store.durable(since);
      ledger.stored(jid);
      if (!fresh) return refuse(services, "returned before", { id, jid });
    } catch (error) {
      undo();
      // The job cache keeps nothing of a turn in which something went wrong, and is of use again after it.
      services.store.soon();
      throw new WithheldReply("The return could not be stored", { cause: error, jid, id });
    }
  } else {
    ledger.returned(jid, id);
    ledger.stored(jid);
  }
  if (load.fun === "saltutil.find_job") foundJob(services, id, load.fun_args, value);
  bus.fire(jobReturn(jid, id), data);
  return null;
}

/** An answer to the question for another job tells of that job, too. */
function foundJob({ ledger }: MasterServices, id: string, args: unknown, value: Packed): void {
  const jid = Array.isArray(args) ? args[0] : undefined;
  // One byte is the empty map: the minion does not know the job.
  if (typeof jid === "string") ledger.foundJob(jid, id, value.bytes.length > 1);
}

/** The record of a job that was not published here: what its first return tells of it. */
function standalone(load: Load): Load {
  const { return: _return, sig: _sig, tok: _tok, nonce: _nonce, ...rest } = load;
  return { ...rest, arg: load.fun_args ?? [], tgt: load.id, tgt_type: "glob" };
}

/**
 * The command `_syndic_return`: a master below hands in the returns of its minions, many jobs at once.
 *
 * @see salt/master.py AESFuncs._syndic_return
 */
export async function syndicReturned(services: MasterServices, load: Load): Promise<null> {
  if (!services.opts.order_masters) {
    // Any minion could send these, and answer for every other.
    services.log.warning("returns of a syndic refused: order_masters is off", { id: load.id });
    return null;
  }
  const parts = Array.isArray(load.load) ? load.load : [load.load];
  for (const part of parts) {
    if (!isRecord(part) || typeof part.jid !== "string" || !isPlainJid(part.jid) || !isRecord(part.return)) continue;
    for (const [id, result] of Object.entries(part.return)) {
      if (!isRecord(result)) continue;
      const { fun, fun_args, out, master_id, sig } = part;
      await jobReturned(
        services,
        { cmd: "_return", ...result, id, jid: part.jid, fun, fun_args, out, master_id, sig },
        undefined,
      );
    }
  }
  return null;
}
