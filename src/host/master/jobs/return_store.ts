import { WithheldReply } from "../../../protocol/channel/req_server.ts";
import { messageOf } from "../../../base/errors.ts";
import { jobReturn } from "../../../model/event/tag.ts";
import { TRACE_FIELD } from "../../../base/telemetry/mod.ts";
import { encode, Packed, packedForBin } from "../../../protocol/wire/msgpack.ts";
import { SYNDIC_OWN } from "../../../model/job/job_cache.ts";
import { isRecord, type Load } from "../load.ts";
import type { JobServices } from "./job_services.ts";
import { type CheckedReturn, refuseReturn } from "./return_check.ts";

/** The fields of a load that belong to the channel, not to the return. */
const CHANNEL_FIELDS: ReadonlySet<string> = new Set(["tok", "nonce", TRACE_FIELD]);

/** A return whose value is within `max_return_size`. */
interface BoundedReturn extends CheckedReturn {
  /** The return, packed in the form of the job cache and the bus. */
  value: Packed;
  retcode: unknown;
  success: unknown;
  /** The data of the event, used for nothing else: the load without the fields of the channel. */
  data: Load;
}

/** Packs the value of a return. A value above `max_return_size` becomes a failure with the reason. */
export function boundReturn(services: JobServices, checked: CheckedReturn): BoundedReturn {
  const { opts } = services;
  const { load, id, jid } = checked;
  let value = load.return instanceof Packed ? packedForBin(load.return) : new Packed(encode(load.return, "bin"));
  let { retcode, success } = load;
  const bytes = value.bytes.length;
  const oversized = opts.max_return_size > 0 && bytes > opts.max_return_size;
  if (oversized) {
    const fields = { id, jid, bytes, max_return_size: opts.max_return_size };
    refuseReturn(services, { refused: "too large", fields });
    value = tooLarge(bytes, opts.max_return_size);
    retcode = retcode === 0 || retcode === undefined ? 1 : retcode;
    success = false;
  }
  // The fields are left out while copying: an object that a field was deleted from is slow from then on.
  const data: Load = {};
  for (const field in load) if (!CHANNEL_FIELDS.has(field)) data[field] = field === "return" ? value : load[field];
  if (oversized) Object.assign(data, { retcode, success });
  return { ...checked, value, retcode, success, data };
}

function tooLarge(bytes: number, bound: number): Packed {
  const text = `The return of ${bytes} bytes is larger than max_return_size (${bound}) and was not kept`;
  return new Packed(encode(text, "bin"));
}

/**
 * Saves a return and announces it once it is safe.
 *
 * @throws {WithheldReply} if it could not be stored; the ledger then expects it again
 */
export async function storeReturn(services: JobServices, ret: BoundedReturn): Promise<null> {
  const { jobs, ledger, store, runtime: { clock } } = services;
  const { load, jid, id, value, retcode, success } = ret;
  const undo = ledger.returned(jid, id);
  const since = store.losses;
  const storedMs = clock.now();
  store.unannounced.storing(jid, id, storedMs);
  let isClosed = false;
  try {
    const opening = openForReturn(services, ret);
    isClosed = typeof opening === "boolean" ? opening : await opening;
    const storing = store.begun(jobs.saveReturn(jid, {
      minion: id,
      return: value,
      retcode,
      success,
      ...(typeof load.out === "string" ? { out: load.out } : {}),
      storedMs,
    }));
    if (load.ended === "timed out") {
      await jobs.saveOutcomes(jid, [{ minion: id, state: "timed out", atMs: clock.now(), note: "job_timeout" }]);
    }
    const isNew = typeof storing === "boolean" ? storing : await storing;
    await store.durable();
    store.assertKept(since);
    // If another master has stored the return first, that master announces it.
    const fresh = isNew && jobs.wasBeaten?.(jid, id) !== true;
    services.cluster?.stored(jid, id);
    const wasWithheld = store.unannounced.take(jid, id);
    if (!fresh && !wasWithheld) {
      // The master that stored it may take it for not stored, and announce nothing: then the owner of the job does.
      if (services.cluster?.hasTold(jid, id) === false) undo();
      else ledger.stored(jid);
      return refuseReturn(services, { refused: "returned before", fields: { id, jid } });
    }
  } catch (error) {
    undo();
    // The return may be in the job cache all the same: a sync that fails takes nothing back.
    store.unannounced.failed(jid, id);
    // A job cache in which a write failed keeps nothing of that turn of the loop: a flush makes it work again.
    store.soon();
    throw new WithheldReply("The return could not be stored", { cause: error, jid, id });
  }
  announceReturn(services, ret);
  // The job is settled only after the announcement: returns of settled jobs are not searched for after a kill.
  ledger.stored(jid);
  if (isClosed) void settle(services, jid);
  return null;
}

/**
 * Opens a record for a job that has none until its return is announced: a job that was not published, or was settled before this return.
 *
 * @returns true if a record was opened
 */
function openForReturn({ jobs, ledger, cluster }: JobServices, ret: BoundedReturn): boolean | Promise<boolean> {
  const { jid, id } = ret;
  if (!ret.unpublished && (ledger.loadOf(jid) !== undefined || cluster !== undefined)) return false;
  const open = async () => {
    const load = ret.unpublished ? unpublishedLoad(ret) : await jobs.load(jid);
    if (load === undefined) return false;
    await jobs.saveLoad(jid, load, ret.unpublished ? [id] : await jobs.minions(jid));
    return true;
  };
  return open();
}

/** Settles a job; if that fails, the next process settles it. */
async function settle({ jobs, store, log }: JobServices, jid: string): Promise<void> {
  try {
    await jobs.settle(jid);
  } catch (error) {
    log.debug("job not settled", { jid, error: messageOf(error) });
  }
  store.durable().catch(() => {});
}

/** Tells the ledger and the bus of a return. */
export function announceReturn(services: JobServices, ret: BoundedReturn): null {
  const { load, jid, id, value, data } = ret;
  if (load.fun === "saltutil.find_job") foundJob(services, id, load.fun_args, value);
  if (services.cluster?.isNews(jid, id) !== false) services.bus.fireOwn(jobReturn(jid, id), data);
  services.metrics.stored(ret);
  return null;
}

/** Tells the ledger, by a return of `saltutil.find_job`, whether the minion works on the job that it was asked about. */
function foundJob({ ledger }: JobServices, id: string, args: unknown, value: Packed): void {
  const jid = Array.isArray(args) ? args[0] : undefined;
  // A value of one byte is the empty map: the minion does not know the job.
  if (typeof jid === "string") ledger.foundJob(jid, id, value.bytes.length > 1);
}

/** Returns the load of a job that was not published here, as far as its first return, or the syndic that passes it on, tells. */
function unpublishedLoad({ load, syndic }: CheckedReturn): Load {
  const { return: _return, sig: _sig, tok: _tok, nonce: _nonce, ...rest } = load;
  const found = { ...rest, arg: load.fun_args ?? [], tgt: load.id, tgt_type: "glob" };
  if (syndic === undefined) return found;
  const { cmd: _cmd, key: _key, kwargs: _kwargs, ...below } = isRecord(syndic.part.load) ? syndic.part.load : {};
  return { ...found, ...below, jid: load.jid, [SYNDIC_OWN]: syndic.id };
}
