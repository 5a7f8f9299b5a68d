import { messageOf } from "../../../base/errors.ts";
import type { JobServices } from "./job_services.ts";
import { publishJob } from "./publication.ts";

/**
 * Asks minions by `saltutil.find_job` whether they work on a job; their returns reach the ledger as {@link Ledger.foundJob}.
 * Resolves to false if the question could not be published.
 */
export async function askForJob(services: JobServices, jid: string, ids: readonly string[]): Promise<boolean> {
  const { opts, log } = services;
  const question = { tgt: [...ids], tgt_type: "list", fun: "saltutil.find_job", arg: [jid], ret: "" };
  try {
    const published = await publishJob(services, { ...question, user: opts.user, jid: "", kwargs: {} }, ids, []);
    return published !== undefined;
  } catch (error) {
    log.warning("minions could not be asked for a job", { jid, error: messageOf(error) });
    return false;
  }
}
