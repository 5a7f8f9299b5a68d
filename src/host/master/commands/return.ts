import type { JobServices } from "../jobs/job_services.ts";
import { WithheldReply } from "../../../protocol/channel/req_server.ts";
import { type CheckedReturn, checkReturn, refuseReturn, type ReturnRefusal } from "../jobs/return_check.ts";
import { announceReturn, boundReturn, storeReturn } from "../jobs/return_store.ts";
import { TRACE_FIELD } from "../../../base/telemetry/mod.ts";
import type { Load } from "../load.ts";

/**
 * The command `_return`: a minion hands in the return of a job. Its value stays packed from the wire to bus and job cache.
 * The reply is the acknowledgement: it is sent once the return is safe, and the minion asks again otherwise.
 *
 * It is not an async function: a thousand returns wait here at a time, and each further promise would be garbage.
 *
 * @param minion the authenticated sender; a return in another minion's name is refused
 * @throws {WithheldReply} if the return could not be stored
 * @see salt/master.py AESFuncs._return
 */
export function jobReturned(services: JobServices, load: Load, minion: string | undefined): Promise<null> | null {
  // A syndic that has the id of the minion on its host is also a minion of this master.
  if (minion !== undefined) services.syndics.isAlsoMinion(minion);
  services.metrics.returnsReceived.add(1);
  const checked = checkReturn(services, load, minion);
  return checked instanceof Promise
    ? checked.then((checked) => acceptReturn(services, checked)).catch((error) => {
      throw WithheldReply.unlessForGood(error, "The return");
    })
    : acceptReturn(services, checked);
}

/** Keeps a return that was checked, or refuses it. @throws {WithheldReply} if it could not be stored */
export function acceptReturn(
  services: JobServices,
  checked: CheckedReturn | ReturnRefusal,
): Promise<null> | null {
  if ("refused" in checked) return refuseReturn(services, checked);
  return services.traces.enabled ? keepTraced(services, checked) : keep(services, checked);
}

function keep(services: JobServices, checked: CheckedReturn): Promise<null> | null {
  const ret = boundReturn(services, checked);
  if (ret.kept) return storeReturn(services, ret);
  services.ledger.returned(ret.jid, ret.id);
  services.ledger.stored(ret.jid);
  return announceReturn(services, ret);
}

async function keepTraced(services: JobServices, checked: CheckedReturn): Promise<null> {
  const { jid, id, load } = checked;
  const span = services.traces.returned(jid, id, load[TRACE_FIELD]);
  try {
    const kept = await keep(services, checked);
    span.end();
    return kept;
  } catch (error) {
    span.end("not stored");
    throw error;
  }
}
