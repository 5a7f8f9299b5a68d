import { codeOf } from "../../base/errors.ts";
import { isJid } from "../../model/job/jid.ts";
import { isRecord } from "../../base/record.ts";
import { ClientError } from "../client_error.ts";
import { followRecorded } from "../follow_recorded.ts";
import { jobRun, type SaltLink } from "../job_run.ts";
import type { ReportedOutcome } from "../outcome.ts";
import { textList } from "../publish_request.ts";
import type { CallOptions, Jobs, ListedJob, ListJobsOptions, RecordedJob } from "../salt.ts";
import { type JobReport, jobReport, listedJob, plainReport, reportedOutcomes, reportOutcomes } from "./job_report.ts";

/** The function by which clients ask minions about other jobs. */
const ASKS_FOR_JOBS = "saltutil.find_job";
/** The outcomes of a target that works on a job, or may still get it. */
const UNFINISHED: readonly string[] = ["queued", "published", "started", "no answer"];

/** Implements {@link Salt.jobs} with the runners `jobs.*`. */
export function jobsOf(link: SaltLink): Jobs {
  const one = async (jid: string, options: CallOptions = {}): Promise<RecordedJob> => {
    const report = await readReport(link, jid, options);
    const reported = await readOutcomes(link, jid, options);
    const { head, minions } = report;
    return { ...head, minions, outcomes: reportOutcomes(report, reported) };
  };
  return {
    list: (options = {}) => listJobs(link, options),
    one,
    outcomes: async (jid, options) => (await one(jid, options)).outcomes,
    follow: (jid, options = {}) => jobRun(followRecorded(link, jid, options, () => readReport(link, jid, options))),
    cancel: async (jid, options = {}) => await cancel(link, await one(jid, options), options),
  };
}

/** Reads the report of a job. @throws {ClientError} `UNKNOWN_JOB` */
async function readReport(link: SaltLink, jid: string, { signal, timeoutMs }: CallOptions): Promise<JobReport> {
  if (!isJid(jid)) throw new TypeError(`Cannot read job ${JSON.stringify(jid)}: expected a job id, 20 digits`);
  const options = { ...(signal && { signal }), ...(timeoutMs && { timeoutMs }) };
  const report = jobReport(jid, await link.runner({ fun: "jobs.list_job", kwarg: { jid } }, options));
  if (report !== undefined) return report;
  throw new ClientError("UNKNOWN_JOB", `The master has no job ${jid}: list them with jobs.list()`, { jid });
}

/** The outcomes that a Brine master keeps; none with a Salt master. */
async function readOutcomes(
  link: SaltLink,
  jid: string,
  options: CallOptions,
): Promise<Record<string, ReportedOutcome>> {
  if (!link.isBrine) return {};
  try {
    return reportedOutcomes(await link.runner({ fun: "jobs.outcome", kwarg: { jid } }, options));
  } catch (error) {
    // Without permission, the states in the report are used, which have no times.
    if (codeOf(error) === "PERMISSION") return {};
    throw error;
  }
}

async function listJobs(link: SaltLink, { limit = 100, before, ...options }: ListJobsOptions): Promise<ListedJob[]> {
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RangeError(`Cannot list ${limit} jobs: limit is a whole number from 1 on`);
  }
  if (before !== undefined && !isJid(before)) {
    throw new TypeError(`Cannot list jobs before ${JSON.stringify(before)}: expected a job id, 20 digits`);
  }
  const jobs = before === undefined
    ? latestJobs(await link.runner({ fun: "jobs.list_jobs_filter", kwarg: { count: limit } }, options))
    : allJobs(await link.runner({ fun: "jobs.list_jobs" }, options));
  return jobs.filter(({ jid, fun }) => fun !== ASKS_FOR_JOBS && (before === undefined || jid < before))
    .sort((one, other) => one.jid < other.jid ? 1 : -1).slice(0, limit);
}

/** The return of `jobs.list_jobs_filter`: a list of reports with their `JID`. */
const latestJobs = (value: unknown): ListedJob[] =>
  Array.isArray(value)
    ? value.filter(isRecord).map((report) => listedJob(plainReport(report.JID), report))
    // A Salt master answers with a map, as list_jobs does.
    : allJobs(value);

/** The return of `jobs.list_jobs`: jid → report. */
const allJobs = (value: unknown): ListedJob[] =>
  Object.entries(isRecord(value) ? value : {}).map(([jid, report]) => listedJob(jid, isRecord(report) ? report : {}));

async function cancel(link: SaltLink, { jid, outcomes }: RecordedJob, options: CallOptions): Promise<string[]> {
  const unfinished = outcomes.filter(({ kind }) => UNFINISHED.includes(kind));
  const queued = unfinished.some(({ kind }) => kind === "queued")
    ? textList(await link.runner({ fun: "jobs.dequeue", kwarg: { jid } }, options))
    : [];
  const running = unfinished.filter(({ id, kind }) => kind !== "queued" && !queued.includes(id)).map(({ id }) => id);
  if (running.length > 0) {
    await link.publish({ tgt: running, tgt_type: "list", fun: "saltutil.kill_job", kwarg: { jid } }, options);
  }
  return [...queued, ...running].sort();
}
