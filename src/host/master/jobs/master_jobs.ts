import { messageOf } from "../../../base/errors.ts";
import { type MasterJob, type MasterJobEnd, saveMasterJob } from "../../../model/job/master_job.ts";
import { masterId } from "../master_id.ts";
import type { JobServices } from "./job_services.ts";

type Services = Pick<JobServices, "jobs" | "jids" | "store" | "opts" | "log" | "runtime">;

/** How many jids are tried before one is used without being reserved. */
const ATTEMPTS = 5;

/**
 * Returns a jid for a master job, reserved durably so that no publication can take it. A job cache that cannot be written must not
 * prevent the very function that may repair it: the jid is then new, but not reserved.
 */
export async function reserveMasterJid({ jobs, jids, store, log }: Services): Promise<string> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const jid = jids.next();
      if (!await jobs.reserve(jid)) continue;
      await store.durable();
      return jid;
    }
  } catch (error) {
    store.soon();
    log.warning("jid of a master job could not be reserved in the job cache", { error: messageOf(error) });
  }
  return jids.next();
}

/** Records a master job and its return, if the configuration asks for it; never rejects. */
export async function recordMasterJob(services: Services, job: MasterJob, end: MasterJobEnd): Promise<void> {
  const { jobs, opts, store, log, runtime } = services;
  if (!opts.job_cache || opts.ext_job_cache !== "") return;
  try {
    const master = masterId(opts, runtime.host.hostname());
    await saveMasterJob({ jobs, master, maxBytes: opts.max_return_size }, job, end, runtime.clock.now());
    await store.durable();
  } catch (error) {
    store.soon();
    log.error("function of the master not recorded: the job list lacks it", {
      jid: job.jid,
      fun: job.fun,
      error: messageOf(error),
    });
  }
}

/** Commands that a minion sends before it listens for jobs. */
const EARLY_COMMANDS: readonly unknown[] = ["_pillar", "_jobs"];

/**
 * Publishes the jobs that are queued for a minion which does not ask for them itself (`_jobs`), with the first
 * command that it sends once it listens.
 */
export function publishQueuedJobs(services: JobServices, minion: string, cmd: unknown): void {
  if (EARLY_COMMANDS.includes(cmd) || services.presence.isBrine(minion)) return;
  services.presence.listensHere(minion);
  sendQueuedJobs(services, minion);
}

/**
 * Publishes the jobs that are queued for a minion which does not ask for them itself: at once those whose record on the disk says that the
 * minion may have them, the others as soon as that record is written.
 */
export function sendQueuedJobs({ ledger, presence, send }: JobServices, minion: string): void {
  if (ledger.size === 0 || presence.isBrine(minion) || !ledger.awaits(minion)) return;
  void ledger.offer(minion);
  for (const load of ledger.take(minion)) send(load, [minion]);
}
