import { isRecord } from "../record.ts";
import type { Job } from "./job.ts";
import { isOpen, PART_STATES, type PartState } from "./part_state.ts";

/** The number of targets of a job in each state, for a row of the job history. */
export interface Tally {
  counts: readonly (readonly [PartState, number])[];
  /** True once all targets have finished. */
  done: boolean;
}

function tallyOf(count: (state: PartState) => number): Tally {
  const counts = PART_STATES.map((state) => [state, count(state)] as const).filter(([, number]) => number > 0);
  return { counts, done: counts.length > 0 && !counts.some(([state]) => isOpen(state)) };
}

/** The tally of a followed job. */
export function tallyOfJob(job: Job): Tally {
  return { ...tallyOf((state) => job.count(state)), done: job.done };
}

/** Parses the tally of one job from runner `jobs.tally` of a Brine master; undefined if it is not one. */
export function tallyOfReport(report: unknown): Tally | undefined {
  if (!isRecord(report)) return undefined;
  return tallyOf((state) => Number(report[state] ?? 0) || 0);
}
