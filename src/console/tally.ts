import { isRecord } from "../base/record.ts";
import { isPartOpen, type Job, PART_STATES, type PartState, type ShownPart } from "./job.ts";

/** How long the minions of a job took, in milliseconds. */
interface Durations {
  median: number;
  slowest: number;
  /** The minion that took longest. */
  slowestId: string;
}

/** The durations of the targets whose time is known; undefined if there are none. */
export function durationsOf(parts: readonly ShownPart[]): Durations | undefined {
  const timed = slowestFirst(parts.filter(({ tookMs }) => tookMs !== undefined));
  const [slowest] = timed;
  if (slowest === undefined) return undefined;
  return { median: timed[timed.length >> 1]!.tookMs!, slowest: slowest.tookMs!, slowestId: slowest.id };
}

/** The targets by duration, longest first; targets with an unknown time come last, in their order. */
export function slowestFirst(parts: readonly ShownPart[]): ShownPart[] {
  return [...parts].sort((left, right) => (right.tookMs ?? -1) - (left.tookMs ?? -1));
}

/** The number of targets of a job in each state, for a row of the job history. */
export interface JobTally {
  counts: readonly (readonly [PartState, number])[];
  /** True once all targets have finished. */
  done: boolean;
  /** The seconds from the start of the job to its last return; undefined if the master did not report it. */
  seconds?: number;
}

function tallyOf(count: (state: PartState) => number, seconds: number | undefined): JobTally {
  const counts = PART_STATES.map((state) => [state, count(state)] as const).filter(([, number]) => number > 0);
  const done = counts.length > 0 && !counts.some(([state]) => isPartOpen(state));
  return { counts, done, ...(seconds === undefined ? {} : { seconds }) };
}

export function tallyOfJob(job: Job): JobTally {
  const slowest = durationsOf(job.parts())?.slowest;
  return {
    ...tallyOf((state) => job.count(state), slowest === undefined ? undefined : slowest / 1000),
    done: job.done,
  };
}

/** The tally of one target of a followed job; undefined if it is not one. */
export function tallyOfPart(job: Job, id: string): JobTally | undefined {
  const part = job.part(id);
  if (part === undefined) return undefined;
  const seconds = part.tookMs === undefined ? undefined : part.tookMs / 1000;
  return tallyOf((state) => state === part.state ? 1 : 0, seconds);
}

/** Parses the tally of one job from runner `jobs.tally` of a Brine master; undefined if it is not one. */
export function tallyOfReport(report: unknown): JobTally | undefined {
  if (!isRecord(report)) return undefined;
  const { Seconds: seconds } = report;
  return tallyOf((state) => Number(report[state] ?? 0) || 0, typeof seconds === "number" ? seconds : undefined);
}
