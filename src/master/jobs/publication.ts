import { jobNew, jobPublish } from "../../event/tag.ts";
import type { MasterServices } from "../services.ts";
import { type Publication, type RecordedJob, recordJob } from "./job_record.ts";
import { JidTakenError } from "./same_job.ts";

/** A job that was published; `queued` are those that will get it when they come back. */
export interface PublishedJob {
  jid: string;
  minions: readonly string[];
  missing: readonly string[];
  queued?: readonly string[];
}

/**
 * Publishes a job: allocates its jid, records it, tells the bus and the minions. Nobody hears of a job that is not on
 * record.
 *
 * @returns undefined if no jid could be had
 * @throws {SystemError} of the job cache; then nothing was published
 */
export async function publishJob(
  services: MasterServices,
  job: Publication,
  minions: readonly string[],
  missing: readonly string[],
): Promise<PublishedJob | undefined> {
  const { bus, log, presence } = services;
  let recorded: RecordedJob | undefined;
  try {
    recorded = await recordJob(services, job, minions);
  } catch (error) {
    // The job cache keeps nothing of a turn in which something went wrong, and is of use again after it.
    if (!(error instanceof JidTakenError)) services.store.soon();
    throw error;
  }
  if (recorded === undefined) return undefined;
  const { jid, load, record: kept, away, done } = recorded;
  const { tgt, tgt_type, fun, arg, user } = job;

  await services.extJobCache?.(jid, kept, minions);
  bus.fire(jid, { minions });
  bus.fire(jobNew(jid), { jid, tgt_type, tgt, user, fun, arg, minions, missing });
  log.info("job published", {
    jid,
    fun,
    user,
    minions: minions.length,
    ...(away.length > 0 ? { queued: away.length } : {}),
  });
  if (away.length === 0 && done.size === 0) services.send(load, minions);
  else {
    // Those that are away get it from the queue; those that came back before it was on record have asked in vain.
    const waiting = new Set(away.filter((id) => !presence.connected(id)));
    const there = minions.filter((id) => !waiting.has(id) && !done.has(id));
    if (there.length > 0) services.send({ ...load, tgt: there, tgt_type: "list" }, there);
  }
  bus.fire(jobPublish(jid), load);
  return { jid, minions, missing, ...(away.length === 0 ? {} : { queued: away }) };
}
