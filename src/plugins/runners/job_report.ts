import type { JobLoad, JobSummary, StoredReturn } from "../../model/job/job_cache.ts";
import { mergeOutcomes, summaryOf } from "../../model/job/job_cache.ts";
import { isMasterFunction } from "../../model/job/master_job.ts";
import { jidMs, jidToTime, newJid } from "../../model/job/jid.ts";
import { ENDED, type TargetOutcome } from "../../model/job/outcome.ts";
import type { JobReader, RunnerContext } from "../../model/loader/family.ts";
import { truthy } from "../../language/python/values.ts";
import { unpack } from "../../protocol/wire/msgpack.ts";
import { metadataOf } from "./job_search.ts";

/** A map with the words of Salt's reports. */
export type Report = Record<string, unknown>;

export const reportedValue = (stored: StoredReturn): unknown => unpack(stored.return, "bin");

/** Milliseconds since the epoch as Salt shows times. */
function timeText(ms: number): string {
  return jidToTime(newJid({ now: () => ms }));
}

/** The time of a jid as Salt shows it; `""` if its digits are none. */
export function startTime(jid: string): string {
  try {
    return jidToTime(jid);
  } catch {
    // A jid is any 20 digits, also such as have no month.
    return "";
  }
}

export const NOT_ON_RECORD = "Cannot contact returner or no job with this jid";

/** How one job is shown in a list. */
export function shortReport(jid: string, summary: JobSummary): Report {
  const metadata = metadataOf(summary);
  const report: Report = {
    Function: summary.fun ?? "unknown-function",
    Arguments: summary.arg ?? [],
    Target: summary.tgt ?? "unknown-target",
    "Target-type": summary.tgt_type ?? "list",
    User: summary.user ?? "root",
  };
  if (metadata !== undefined) report.Metadata = metadata;
  report.StartTime = startTime(jid);
  return report;
}

/** Salt's own cache on the disk notes when a job ended. */
interface EndTimes {
  endtime(jid: string): string | undefined;
}

/** When a job ended, if its cache notes that; undefined otherwise. */
export function notedEnd({ opts }: RunnerContext, jobs: JobReader, jid: string): string | undefined {
  if (!truthy(opts.job_cache_store_endtime) || !("endtime" in jobs)) return undefined;
  return (jobs as unknown as EndTimes).endtime(jid) || undefined;
}

interface ReportedJob {
  load: JobLoad | undefined;
  minions: string[];
  returns: StoredReturn[];
  outcomes: TargetOutcome[];
}

export async function readRecorded(jobs: JobReader, jid: string): Promise<ReportedJob> {
  const [load, minions, returns, saved] = await Promise.all([
    jobs.load(jid),
    jobs.minions(jid),
    jobs.returns(jid),
    jobs.outcomes(jid),
  ]);
  return { load, minions, returns, outcomes: mergeOutcomes(minions, saved, returns, jidMs(jid)) };
}

/** When a job was over: noted where the option asks for it, as in Salt. */
function endTime(context: RunnerContext, jobs: JobReader, jid: string, { outcomes }: ReportedJob): string | undefined {
  if (!truthy(context.opts.job_cache_store_endtime)) return undefined;
  if ("endtime" in jobs) return notedEnd(context, jobs, jid);
  if (outcomes.length === 0 || !outcomes.every(({ state }) => ENDED.has(state))) return undefined;
  const last = Math.max(...outcomes.map(({ atMs }) => atMs));
  // Not every place that returns are read from knows when they came.
  return Number.isNaN(last) ? undefined : timeText(last);
}

function verdictOf({ retcode, success }: StoredReturn): Report {
  return { ...(retcode === undefined ? {} : { retcode }), ...(success === undefined ? {} : { success }) };
}

/** Everything that is known of a job but its jid; how its targets stand, as long as any of them has not returned. */
export async function fullReport(context: RunnerContext, jobs: JobReader, jid: string): Promise<Report> {
  const found = await readRecorded(jobs, jid);
  const { load, minions, returns, outcomes } = found;
  // How a runner or a wheel function ended is a part of its return.
  const own = isMasterFunction(load?.fun);
  const result = Object.fromEntries(
    returns.map((stored) => [stored.minion, {
      return: reportedValue(stored),
      ...(own ? {} : verdictOf(stored)),
      ...(stored.out === undefined ? {} : { out: stored.out }),
    }]),
  );
  if (load === undefined) {
    return {
      Error: NOT_ON_RECORD,
      StartTime: startTime(jid),
      Result: result,
    };
  }
  const { StartTime, ...head } = shortReport(jid, summaryOf(load));
  const end = endTime(context, jobs, jid, found);
  return {
    ...head,
    ...(minions.length === 0 ? {} : { Minions: minions }),
    StartTime,
    Result: result,
    // Salt's reports have no such member, and a job that is complete needs none.
    ...(outcomes.every(({ minion }) => minion in result)
      ? {}
      : { Outcomes: Object.fromEntries(outcomes.map(({ minion, state }) => [minion, state])) }),
    ...(end === undefined ? {} : { EndTime: end }),
  };
}

/** How one target of a job stands, for people. */
export function outcomeReport({ state, atMs, sinceMs, untilMs, retcode, note }: TargetOutcome): Report {
  return {
    Outcome: state,
    ...(Number.isNaN(atMs) ? {} : { At: timeText(atMs) }),
    ...(sinceMs === undefined ? {} : { Since: timeText(sinceMs) }),
    ...(untilMs === undefined ? {} : { Until: timeText(untilMs) }),
    ...(retcode === undefined ? {} : { Retcode: retcode }),
    ...(note === undefined || note === "" ? {} : { Note: note }),
  };
}

/** How many targets are in each state. */
export function counts(outcomes: readonly TargetOutcome[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { state } of outcomes) found[state] = (found[state] ?? 0) + 1;
  return found;
}
