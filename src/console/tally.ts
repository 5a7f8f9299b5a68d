import { isRecord } from "../record.ts";
import { isOpen, type Job, PART_STATES, type PartState } from "./job.ts";

/** How many targets of a job stand how: what a row of the history shows. */
export interface Tally {
  counts: readonly (readonly [PartState, number])[];
  /** True once nothing more is expected. */
  done: boolean;
}

function tallyOf(count: (state: PartState) => number): Tally {
  const counts = PART_STATES.map((state) => [state, count(state)] as const).filter(([, number]) => number > 0);
  return { counts, done: counts.length > 0 && !counts.some(([state]) => isOpen(state)) };
}

/** That of a job which is known. */
export function tallyOfJob(job: Job): Tally {
  return { ...tallyOf((state) => job.count(state)), done: job.done };
}

/** What runner `jobs.tally` of our masters says of one job; undefined for what is none. */
export function tallyOfReport(report: unknown): Tally | undefined {
  if (!isRecord(report)) return undefined;
  return tallyOf((state) => Number(report[state] ?? 0) || 0);
}
