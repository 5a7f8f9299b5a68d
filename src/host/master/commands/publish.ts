import type { AccessServices } from "../access/access_services.ts";
import type { JobServices } from "../jobs/job_services.ts";
import { messageOf } from "../../../base/errors.ts";
import { authorizePublication } from "../access/authorize_publication.ts";
import { ownerOf } from "../access/owner_rights.ts";
import { loadText } from "../access/publish_load.ts";
import type { Publication } from "../jobs/job_record.ts";
import { publishJob } from "../jobs/publication.ts";
import { JidTakenError } from "../jobs/same_job.ts";
import type { Load } from "../load.ts";
import { TRACE_FIELD } from "../../../base/telemetry/mod.ts";

type Services = JobServices & AccessServices;

/**
 * The clear command `publish_preview` of Brine clients: the targets that a publication would have, by the rules of `publish`, and
 * without sending anything. A caller learns no more by it than by publishing.
 */
export async function publishPreview(services: Services, load: Load): Promise<unknown> {
  const found = await authorizePublication(services, load);
  if ("refusal" in found) return found.refusal;
  const { minions, missing, target } = found;
  const certain = new Set(services.expand(target, { greedy: false }).minions);
  const unknown = minions.filter((id) => !certain.has(id));
  return { enc: "clear", load: { minions, missing, ...(unknown.length === 0 ? {} : { unknown }) } };
}

/**
 * The clear command `publish`: a program publishes a job, authenticated by the key of its user on this host, a token, or a name
 * and a password.
 *
 * @see salt/master.py ClearFuncs.publish
 */
export async function publish(services: Services, load: Load): Promise<unknown> {
  const { log } = services;
  const found = await authorizePublication(services, load);
  if ("refusal" in found) return found.refusal;
  const { who, carried, functions, missing } = found;
  const { syndics } = services;
  // The id of a syndic is not a target, unless its host is also a minion of this master.
  const minions = found.minions.filter((id) => !syndics.isSyndicOnly(id));
  const hasSyndics = syndics.ids().length > 0;
  const below = hasSyndics && found.below;
  if (minions.length === 0 && !below) {
    return {
      enc: "clear",
      load: {
        jid: null,
        minions,
        error: `Master could not resolve minions for target ${typeof load.tgt === "string" ? load.tgt : `${load.tgt}`}`,
      },
    };
  }
  const job: Publication = {
    // Lower masters expand the target themselves: if the caller may not use their minions, the target becomes the list of this master's.
    ...(hasSyndics && !below ? { tgt: minions, tgt_type: "list" } : { tgt: load.tgt, tgt_type: found.tgt_type }),
    below,
    fun: load.fun,
    arg: load.arg,
    ...carried,
    user: who.user,
    owner: ownerOf(who),
    // Brine clients set `files` to false if they do not read the job's files.
    files: load.files !== false,
    ...(typeof load[TRACE_FIELD] === "string" ? { trace: load[TRACE_FIELD] } : {}),
  };
  try {
    const published = await publishJob(services, job, minions, missing);
    if (published === undefined) return { enc: "clear", load: { error: "Master failed to assign jid" } };
    return { enc: "clear", load: published };
  } catch (error) {
    if (error instanceof JidTakenError) {
      log.warning("publication refused: jid in use by another job", {
        user: who.user,
        fun: functions,
        jid: job.jid,
      });
      return { enc: "clear", load: { error: `Cannot publish: ${error.message}` } };
    }
    log.error("publication failed: job cannot be recorded", {
      user: loadText(load.user),
      fun: functions,
      error: messageOf(error),
    });
    return { enc: "clear", load: { error: `Cannot publish: ${messageOf(error)}` } };
  }
}
