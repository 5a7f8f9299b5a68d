import type { Part } from "./job.ts";

/** How long the minions of a job took, in milliseconds. */
export interface Durations {
  median: number;
  slowest: number;
  /** The minion that took longest. */
  slowestId: string;
}

/** The durations of the targets whose time is known; undefined if there are none. */
export function durationsOf(parts: readonly Part[]): Durations | undefined {
  const timed = slowestFirst(parts.filter(({ tookMs }) => tookMs !== undefined));
  const [slowest] = timed;
  if (slowest === undefined) return undefined;
  return { median: timed[timed.length >> 1]!.tookMs!, slowest: slowest.tookMs!, slowestId: slowest.id };
}

/** The targets by duration, longest first; targets with an unknown time come last, in their order. */
export function slowestFirst(parts: readonly Part[]): Part[] {
  return [...parts].sort((left, right) => (right.tookMs ?? -1) - (left.tookMs ?? -1));
}
