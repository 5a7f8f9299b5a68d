/** Follows a job that another program has published. */
import { ClientError } from "./client_error.ts";
import type { Credentials } from "./publish_request.ts";
import { followRecorded, type JobRecord } from "./follow_recorded.ts";
import type { CollectOptions } from "./job_collector.ts";
import type { LocalClient } from "./local_client.ts";
import type { Outcome } from "./outcome.ts";
import { callRunner } from "./runner.ts";
import { jobReport } from "./verbs/job_report.ts";

/** The options for following a running job. */
export interface FollowOptions extends CollectOptions {
  /** The time for the runner that reads the record of the job, in milliseconds. @default 60000 */
  recordTimeoutMs?: number;
  /** The credentials of the user whose permissions count. @default the user of this process */
  credentials?: Credentials;
}

/**
 * Yields the outcome of each target of a job, as {@link LocalClient.run} does: recorded outcomes first, the others as they come.
 *
 * @example
 * ```ts
 * import { connect, followJob } from "brine";
 *
 * await using salt = await connect();
 * for await (const { id, kind } of followJob(salt, "20261121101500000000")) console.log(id, kind);
 * ```
 * @throws {ClientError} `UNKNOWN_JOB` if the master has no such job; else as {@link callRunner}
 */
export async function* followJob(
  client: LocalClient,
  jid: string,
  options: FollowOptions = {},
): AsyncGenerator<Outcome> {
  yield* followRecorded(client, jid, options, () => readRecord(client, jid, options));
}

/** The master's record of a job. @throws {ClientError} as {@link followJob} */
export async function readRecord(client: LocalClient, jid: string, options: FollowOptions): Promise<JobRecord> {
  const credentials = options.credentials ?? client.ownCredentials;
  const { recordTimeoutMs: timeoutMs = 60_000, signal } = options;
  const { data } = await callRunner(
    client,
    { fun: "jobs.list_job", arg: [jid], kwarg: {}, credentials },
    { timeoutMs, ...(signal === undefined ? {} : { signal }) },
  );
  const report = data.success === false ? undefined : jobReport(jid, data.return);
  if (report !== undefined) return report;
  throw new ClientError("UNKNOWN_JOB", `The master has no job ${jid}: list them with salt-run jobs.list_jobs`, { jid });
}
