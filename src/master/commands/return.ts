import { isPlainJid } from "../../job/jid.ts";
import { type CheckedReturn, checkReturn, refuseReturn, type ReturnRefusal } from "../jobs/return_check.ts";
import { announceReturn, boundReturn, storeReturn } from "../jobs/return_store.ts";
import { isRecord, type Load, type MasterServices } from "../services.ts";

/**
 * The command `_return`: a minion hands in the return of a job. Its value stays packed from the wire to bus and job cache.
 * The reply is the acknowledgement: it is sent once the return is safe, and the minion asks again otherwise.
 *
 * No async function: a thousand returns wait here at once, and each promise more is garbage.
 *
 * @param minion the authenticated sender; a return in another minion's name is refused
 * @throws {WithheldReply} if the return could not be stored
 * @see salt/master.py AESFuncs._return
 */
export function jobReturned(services: MasterServices, load: Load, minion: string | undefined): Promise<null> | null {
  const checked = checkReturn(services, load, minion);
  return checked instanceof Promise
    ? checked.then((checked) => acceptReturn(services, checked))
    : acceptReturn(services, checked);
}

function acceptReturn(services: MasterServices, checked: CheckedReturn | ReturnRefusal): Promise<null> | null {
  if ("refused" in checked) return refuseReturn(services, checked);
  const ret = boundReturn(services, checked);
  if (ret.kept) return storeReturn(services, ret);
  services.ledger.returned(ret.jid, ret.id);
  services.ledger.stored(ret.jid);
  return announceReturn(services, ret);
}

/**
 * The command `_syndic_return`: a syndic hands in the returns of its minions, of many jobs at once.
 *
 * @see salt/master.py AESFuncs._syndic_return
 */
export async function syndicReturned(services: MasterServices, load: Load): Promise<null> {
  if (!services.opts.order_masters) {
    // Otherwise any minion could send returns in the name of every other.
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
