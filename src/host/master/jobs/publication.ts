import { jobNew, jobPublish } from "../../../model/event/tag.ts";
import type { JobServices } from "./job_services.ts";
import { type JobOnRecord, type Publication, recordJob } from "./job_record.ts";
import { JidTakenError } from "./same_job.ts";

/** A job that was published; `queued` are the minions that will receive it when they come back. */
interface PublishedJob {
  jid: string;
  minions: readonly string[];
  missing: readonly string[];
  queued?: readonly string[];
  /** The syndics that have not named their minions for the job yet. */
  syndics?: readonly string[];
}

/**
 * Publishes a job: allocates its jid, records it, fires its events and sends it to the minions. No minion and no client learns
 * of a job before it is recorded.
 *
 * @returns undefined if no jid was free
 * @throws {SystemError} of the job cache; then nothing was published
 */
export async function publishJob(
  services: JobServices,
  job: Publication,
  minions: readonly string[],
  missing: readonly string[],
): Promise<PublishedJob | undefined> {
  const { bus, log, presence, traces, runtime: { clock } } = services;
  services.cluster?.assertCanPublish();
  const began = clock.now();
  let recorded: JobOnRecord | undefined;
  try {
    recorded = await recordJob(services, job, minions);
  } catch (error) {
    // A job cache in which a write failed keeps nothing of that turn of the loop: a flush makes it work again.
    if (!(error instanceof JidTakenError)) services.store.soon();
    throw error;
  }
  if (recorded === undefined) return undefined;
  const { jid, load, record: kept, away, done } = recorded;
  const { tgt, tgt_type, fun, arg, user } = job;
  const span = traces.publication({ jid, fun, targets: minions.length, caller: job.trace, agoMs: clock.now() - began });

  await services.extJobCache?.(jid, kept, minions);
  bus.fire(jid, { minions });
  bus.fire(jobNew(jid), { jid, tgt_type, tgt, user, fun, arg, minions, missing }, job.cause);
  services.metrics.jobsPublished.add(1);
  log.info("job published", {
    jid,
    fun,
    user,
    minions: minions.length,
    ...(away.length > 0 ? { queued: away.length } : {}),
  });
  const syndics = services.ledger.awaited(jid);
  // Syndics need the target as the caller gave it.
  if (away.length === 0 && done.size === 0 || syndics.length > 0) services.send(load, minions);
  else {
    // Minions that are away receive the job from the queue. A minion that came back before the job was recorded has asked too early:
    // it is sent the job now.
    const waiting = new Set(away.filter((id) => !presence.connected(id)));
    const there = minions.filter((id) => !waiting.has(id) && !done.has(id));
    if (there.length > 0) services.send({ ...load, tgt: there, tgt_type: "list" }, there);
  }
  bus.fire(jobPublish(jid), load);
  span.end();
  // The ledger waits for a syndic that is away, clients do not.
  const answering = syndics.filter((id) => presence.goneSince(id) === undefined);
  return {
    jid,
    minions,
    missing,
    ...(away.length === 0 ? {} : { queued: away }),
    ...(answering.length === 0 ? {} : { syndics: answering }),
  };
}
