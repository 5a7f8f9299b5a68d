/** The states that one target of a job may have. */

/**
 * - `queued`: kept for an offline minion; `published`: sent, no answer yet; `started`: reported by the minion;
 * - `returned`: with return code 0; `failed`: returned with another code, or without success;
 * - `timed out`: the minion is connected and does not run the job, or the job exceeded its time; `lost`: the minion was gone;
 * - `expired`: not delivered in time; `cancelled`: by an operator.
 *
 * @internal
 */
export type OutcomeState =
  | "queued"
  | "published"
  | "started"
  | "returned"
  | "failed"
  | "timed out"
  | "lost"
  | "expired"
  | "cancelled";

export const OUTCOME_STATES: readonly OutcomeState[] = [
  "queued",
  "published",
  "started",
  "returned",
  "failed",
  "timed out",
  "lost",
  "expired",
  "cancelled",
];

/** States in which a target has ended; a late return still replaces them. */
export const ENDED: ReadonlySet<OutcomeState> = new Set([
  "returned",
  "failed",
  "timed out",
  "lost",
  "expired",
  "cancelled",
]);

/**
 * The state of one target of a job.
 *
 * @internal
 */
export interface TargetOutcome {
  minion: string;
  state: OutcomeState;
  /** When the target reached this state, in milliseconds since the epoch. */
  atMs: number;
  /** When a queued job expires, in milliseconds since the epoch. */
  untilMs?: number;
  /** When a lost minion disappeared, in milliseconds since the epoch. */
  sinceMs?: number;
  /** Return code of a return. */
  retcode?: unknown;
  /** Reason of the state, for people. */
  note?: string;
}

/**
 * Note on a running job whose minion could not record the start, because its disk is not writable. If the minion restarts, its
 * own record says that the job has not started.
 */
export const BEGUN_UNWRITTEN = "its minion could not write down that it began";

/** Maximum depth of return codes within return codes. */
const MAX_DEPTH = 100;

export function succeeded(retcode: unknown, success: unknown): boolean {
  const good = (value: unknown, fits: (one: unknown) => boolean, depth = 0): boolean => {
    if (value === undefined || value === null) return true;
    if (typeof value !== "object") return fits(value);
    // No function nests values this deep: such a return is an attempt to overflow the stack.
    if (depth > MAX_DEPTH) return false;
    return (value instanceof Map ? [...value.values()] : Object.values(value)).every((one) =>
      good(one, fits, depth + 1)
    );
  };
  return good(retcode, (code) => Number(code) === 0) && good(success, (verdict) => verdict !== false);
}

/** An outcome in the form of events and answers: times in seconds since the epoch. */
export function outcomeFields(
  { state, atMs, untilMs, sinceMs, retcode, note }: TargetOutcome,
): Record<string, unknown> {
  return {
    outcome: state,
    at: Math.floor(atMs / 1000),
    ...(untilMs === undefined ? {} : { until: Math.floor(untilMs / 1000) }),
    ...(sinceMs === undefined ? {} : { since: Math.floor(sinceMs / 1000) }),
    ...(retcode === undefined ? {} : { retcode }),
    ...(note === undefined ? {} : { note }),
  };
}

/** The message for a target that matches no minion. Scripts compare it, so all clients use the same. */
export const NO_MATCH = "No minions matched the target. No command was sent, no jid was assigned.";
