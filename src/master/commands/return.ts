import { jobReturn } from "../../event/tag.ts";
import { isPlainJid } from "../../job/jid.ts";
import { isMinionId } from "../../job/minion_id.ts";
import { encode, Packed, packedForBin } from "../../wire/msgpack.ts";
import { isRecord, type Load, type MasterServices } from "../services.ts";

/** Fields that only carried the request. */
const CHANNEL_FIELDS: ReadonlySet<string> = new Set(["tok", "nonce"]);

/**
 * The command `_return`: a minion hands in what a job gave. Its value stays packed from the wire to bus and job cache.
 *
 * @param minion who proved to send it; a return in another minion's name is refused
 * @see salt/master.py AESFuncs._return
 */
export function jobReturned(services: MasterServices, load: Load, minion: string | undefined): null {
  const { bus, jobs, jids, log, opts, runtime } = services;
  const { id } = load;
  if (load.return === undefined || load.jid === undefined || !isMinionId(id)) {
    log.warning("return ignored: it lacks return, jid or a valid id", { id });
    return null;
  }
  if (minion !== undefined && minion !== id) {
    log.warning("return ignored: it is in the name of another minion", { minion, id });
    return null;
  }
  if (load.jid === "req") {
    // A job that no publication asked for: salt-call, or a start-up state.
    load.jid = jids.next();
    if (load.nocache !== true) jobs.saveLoad(load.jid as string, standalone(load), [id]);
  }
  const jid = load.jid;
  if (typeof jid !== "string" || !isPlainJid(jid)) {
    log.warning("return ignored: its jid is not a job id", { id });
    return null;
  }
  if (opts.require_minion_sign_messages && load.sig === undefined) {
    log.warning("return ignored: it is not signed (require_minion_sign_messages)", { id, jid });
    return null;
  }
  const value = load.return instanceof Packed ? packedForBin(load.return) : new Packed(encode(load.return, "bin"));
  // Copied without them rather than deleted from a copy: an object that something was deleted from is slow from then on.
  const data: Load = {};
  for (const field in load) if (!CHANNEL_FIELDS.has(field)) data[field] = field === "return" ? value : load[field];
  bus.fire(jobReturn(jid, id), data);

  if (!opts.job_cache || opts.ext_job_cache !== "") return null;
  const stored = jobs.saveReturn(jid, {
    minion: id,
    return: value,
    retcode: load.retcode,
    success: load.success,
    ...(typeof load.out === "string" ? { out: load.out } : {}),
    storedMs: runtime.clock.now(),
  });
  if (!stored) log.info("return not stored again: this minion has returned for the job before", { id, jid });
  if (!jobs.hasLoad(jid)) jobs.saveLoad(jid, standalone(load), [id]);
  return null;
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
export function syndicReturned(services: MasterServices, load: Load): null {
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
      jobReturned(
        services,
        { cmd: "_return", ...result, id, jid: part.jid, fun, fun_args, out, master_id, sig },
        undefined,
      );
    }
  }
  return null;
}
