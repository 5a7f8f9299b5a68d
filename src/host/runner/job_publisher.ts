/** Jobs that a runner or an engine publishes, by a client of the running master. */
import { ClientError } from "../../client/client_error.ts";
import { readRecord } from "../../client/follow_job.ts";
import { followRecorded, type JobRecord } from "../../client/follow_recorded.ts";
import type { LocalClient } from "../../client/local_client.ts";
import { hasReturn, type MinionReturn } from "../../client/outcome.ts";
import { silentText } from "../../client/silent_text.ts";
import type { JobAnswer, JobPublisher } from "../../model/loader/job_publisher.ts";

/**
 * Opens nothing before it is asked.
 *
 * @param cause jid of the runner that publishes
 * @param expand finds the minions of a target. @default asks the master
 * @param record reads the record of a job, undefined for an unknown one. @default by a runner of the master
 */
export function jobPublisher(
  open: () => Promise<LocalClient>,
  {
    gatherMs,
    cause,
    expand = async (target) => (await (await open()).preview({ ...target, fun: "test.ping" })).minions,
    record = (jid) => recordOf(open, jid),
  }: {
    gatherMs: number;
    cause?: string;
    expand?: JobPublisher["expand"];
    record?: (jid: string) => Promise<JobRecord | undefined>;
  },
): JobPublisher {
  return {
    expand,
    async publish(order) {
      const published = await (await open()).publish({
        ...order,
        ...(cause === undefined ? {} : { origin: { cause } }),
      });
      if (published === undefined) return undefined;
      const { jid, minions, missing } = published;
      return { jid, minions, missing };
    },
    async answers(jid, waitMs, missing = []) {
      const known = await record(jid);
      if (known === undefined) return undefined;
      if (waitMs === undefined) {
        return Object.fromEntries(
          Object.entries(known.results).map(([id, result]) => [id, answerOf({ ...result, jid })]),
        );
      }
      const found = Object.fromEntries(
        missing.map((id): [string, JobAnswer] => [id, { failed: true, text: silentText(jid) }]),
      );
      const read = async () => await record(jid) ?? known;
      for await (const outcome of followRecorded(await open(), jid, { timeoutMs: waitMs, gatherMs }, read)) {
        found[outcome.id] = hasReturn(outcome)
          ? answerOf({ ...outcome })
          : { failed: true, text: silentText(jid, outcome) };
      }
      return found;
    },
  };
}

async function recordOf(open: () => Promise<LocalClient>, jid: string): Promise<JobRecord | undefined> {
  try {
    return await readRecord(await open(), jid, {});
  } catch (error) {
    if (error instanceof ClientError && error.code === "UNKNOWN_JOB") return undefined;
    throw error;
  }
}

function answerOf({ jid, out, retcode, success, return: ret }: Partial<MinionReturn> & { jid: string }): JobAnswer {
  return { ret, retcode, success, jid, ...(out === undefined ? {} : { out }) };
}
