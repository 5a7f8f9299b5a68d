/** A job that another program has published: what has come of it, and what comes from now on. */
import { BusEvent } from "../event/bus.ts";
import { isRecord } from "../record.ts";
import { ClientError } from "./client_error.ts";
import type { Credentials } from "./credentials.ts";
import { type CollectOptions, JobCollector } from "./job_collector.ts";
import type { LocalClient } from "./local_client.ts";
import type { Outcome, ReportedOutcome } from "./outcome.ts";
import { listOf } from "./publish_request.ts";
import { callRunner } from "./runner.ts";

/** How a job is followed that runs already. */
export interface FollowOptions extends CollectOptions {
  /** Of the runner that reads what is on record, in milliseconds. @default 60000 */
  recordTimeoutMs?: number;
  /** Whose permissions count. @default the user of this process */
  credentials?: Credentials;
}

/** What a master has on record of a job: `jobs.list_job`. */
interface JobRecord {
  minions: string[];
  results: Record<string, Record<string, unknown>>;
}

/**
 * Yields the outcome of each target of a job, as {@link LocalClient.run} does: those on record first, the others as they come.
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
  const early: BusEvent[] = [];
  let collect = (event: BusEvent): void => void early.push(event);
  // Listen before asking: a return may come while the record is read.
  const off = client.onEvent((event) => collect(event));
  try {
    const record = await readRecord(client, jid, options);
    const known = await reported(client, jid);
    const queued = Object.keys(known).filter((id) => known[id]!.outcome === "queued");
    const minions = [...new Set([...record.minions, ...Object.keys(known)])];
    options.onPublished?.(jid, { jid, minions, missing: [], queued });
    const published = { jid, minions, missing: [], queued };
    const collector = new JobCollector(client, published, options, client.clock, options.credentials);
    for (const [id, result] of Object.entries(record.results)) {
      collector.take(BusEvent.fromData(`salt/job/${jid}/ret/${id}`, { ...result, id, jid, _stamp: "" }));
    }
    for (const [id, outcome] of Object.entries(known)) {
      collector.take(BusEvent.fromData(`salt/job/${jid}/outcome/${id}`, { ...outcome, id, _stamp: "" }));
    }
    collect = (event) => collector.take(event);
    for (const event of early) collector.take(event);
    yield* collector.outcomes();
  } finally {
    off();
  }
}

async function readRecord(client: LocalClient, jid: string, options: FollowOptions): Promise<JobRecord> {
  const credentials = options.credentials ?? client.ownCredentials;
  const { recordTimeoutMs: timeoutMs = 60_000, signal } = options;
  const { data } = await callRunner(
    client,
    { fun: "jobs.list_job", arg: [jid], kwarg: {}, credentials },
    { timeoutMs, ...(signal === undefined ? {} : { signal }) },
  );
  const record = isRecord(data.return) ? data.return : {};
  const results = isRecord(record.Result) ? record.Result : {};
  if (data.success === false || typeof record.Error === "string" && Object.keys(results).length === 0) {
    throw new ClientError("UNKNOWN_JOB", `The master has no job ${jid}: list them with salt-run jobs.list_jobs`);
  }
  return { minions: listOf(record.Minions), results: results as JobRecord["results"] };
}

/** The outcomes that a Brine master keeps of each target; none beside Salt's own. */
async function reported(client: LocalClient, jid: string): Promise<Record<string, ReportedOutcome>> {
  if (!client.isBrine) return {};
  try {
    return (await client.ask("job_outcomes", { jid }) as { outcomes: Record<string, ReportedOutcome> }).outcomes;
  } catch {
    // A job of long ago: its returns are on record all the same.
    return {};
  }
}
