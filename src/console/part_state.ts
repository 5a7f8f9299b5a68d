import type { OutcomeState } from "../model/job/outcome.ts";

/** The outcomes of a target, and `no answer` for a silent target on a master that does not keep outcomes. */
export type PartState = OutcomeState | "no answer";

/** All states in the order in which they are shown: failures first, then targets that are still running. */
export const PART_STATES: readonly PartState[] = [
  "failed",
  "timed out",
  "lost",
  "no answer",
  "expired",
  "cancelled",
  "started",
  "published",
  "queued",
  "returned",
];

const OPEN: ReadonlySet<PartState> = new Set(["queued", "published", "started"]);
const BAD: ReadonlySet<PartState> = new Set(["failed", "timed out", "lost", "expired", "no answer"]);

export const isPartOpen = (state: PartState) => OPEN.has(state);
export const isBad = (state: PartState) => BAD.has(state);
