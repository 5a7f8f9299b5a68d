/** Jobs as the runners `jobs.*` report them. */
import { jidMs } from "../../model/job/jid.ts";
import { isRecord } from "../../base/record.ts";
import { type Outcome, type ReportedOutcome, returnOutcome, statusOutcome } from "../outcome.ts";
import { textList } from "../publish_request.ts";
import type { ListedJob } from "../salt.ts";

const text = (value: unknown, fallback: string): string => typeof value === "string" ? value : fallback;
const textOrList = (value: unknown): string | string[] =>
  Array.isArray(value) ? value.map(plainReport) : text(value, "");

/** Converts a text or number to text; `""` for an object, which may have no text. */
export const plainReport = (value: unknown): string => typeof value === "object" ? "" : String(value);

/** Converts a report, `{Function, Arguments, Target, …}`, to a job. */
export function listedJob(jid: string, report: Record<string, unknown>): ListedJob {
  return {
    jid,
    fun: textOrList(report.Function),
    arg: Array.isArray(report.Arguments) ? report.Arguments : [],
    tgt: textOrList(report.Target),
    tgtType: text(report["Target-type"], "glob"),
    user: text(report.User, ""),
    startMs: jidMs(jid),
    ...(report.Metadata === undefined ? {} : { metadata: report.Metadata }),
  };
}

export interface JobReport {
  head: ListedJob;
  minions: string[];
  /** Minion → `{return, retcode, success, out}`. */
  results: Record<string, Record<string, unknown>>;
  /** Minion → its state; Brine masters only, and only if some minions have not returned. */
  states: Record<string, unknown>;
}

/** Reads the return of `jobs.list_job`. */
export function jobReport(jid: string, value: unknown): JobReport | undefined {
  const report = isRecord(value) ? value : {};
  const found = isRecord(report.Result) ? report.Result : {};
  const results = Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, Record<string, unknown>] => isRecord(entry[1])),
  );
  if (typeof report.Error === "string" && Object.keys(results).length === 0) return undefined;
  const states = isRecord(report.Outcomes) ? report.Outcomes : {};
  const minions = [...new Set([...textList(report.Minions), ...Object.keys(results), ...Object.keys(states)])];
  return { head: listedJob(jid, report), minions, results, states };
}

/** `2026, Nov 21 10:15:00.000000` as seconds since the epoch; undefined for any other text. */
function secondsOf(value: unknown): number | undefined {
  const match = /^(\d{4}), ([A-Z][a-z]{2} \d{1,2}) (\d\d:\d\d:\d\d)(\.\d{1,6})?$/.exec(String(value));
  if (match === null) return undefined;
  const ms = Date.parse(`${match[2]}, ${match[1]} ${match[3]} UTC`);
  return Number.isNaN(ms) ? undefined : ms / 1000;
}

/** Converts the outcomes of `jobs.outcome` to the form of events: minion → `{outcome, at, since, note}`. */
export function reportedOutcomes(value: unknown): Record<string, ReportedOutcome> {
  const outcomes = isRecord(value) && isRecord(value.Outcomes) ? value.Outcomes : {};
  return Object.fromEntries(
    Object.entries(outcomes).map(([id, one]) => {
      const { Outcome, At, Since, Note } = isRecord(one) ? one : {};
      return [id, { outcome: Outcome, at: secondsOf(At), since: secondsOf(Since), note: Note }];
    }),
  );
}

/** The outcome of each minion of a job, sorted by id. */
export function reportOutcomes(
  { head: { jid }, minions, results, states }: JobReport,
  reported: Record<string, ReportedOutcome>,
): Outcome[] {
  return [...new Set([...minions, ...Object.keys(reported)])].sort().map((id): Outcome => {
    const result = results[id];
    if (result === undefined) return statusOutcome(id, jid, reported[id] ?? { outcome: states[id] });
    const { return: value, retcode, success, out } = result;
    return returnOutcome({ id, jid, return: value, retcode, success, out: typeof out === "string" ? out : undefined });
  });
}
