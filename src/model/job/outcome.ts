/** The state of one target of a job. */

/**
 * - `queued`: kept for a minion that is away; `published`: sent, no answer yet; `started`: reported by the minion;
 * - `returned`: with code 0; `failed`: returned with another code, or without success;
 * - `timed out`: the minion is connected and does not work on it, or the job ran out of time; `lost`: the minion was gone;
 * - `expired`: could not be delivered in its time; `cancelled`: by an operator.
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

/** States that end a target; a late return still replaces them. */
export const ENDED: ReadonlySet<OutcomeState> = new Set([
  "returned",
  "failed",
  "timed out",
  "lost",
  "expired",
  "cancelled",
]);

/**
 * What is known of one target of a job.
 *
 * @internal
 */
export interface TargetOutcome {
  minion: string;
  state: OutcomeState;
  /** When it reached this state, in milliseconds since the epoch. */
  atMs: number;
  /** Until when a queued job is kept. */
  untilMs?: number;
  /** Since when a lost minion is gone. */
  sinceMs?: number;
  /** Of a return. */
  retcode?: unknown;
  /** Why, for people. */
  note?: string;
}

/**
 * Note of a job that runs while only its master knows that it has begun: the minion's disk takes nothing. Should the minion start
 * again, its own record says that the job has not begun.
 */
export const BEGUN_UNWRITTEN = "its minion could not write down that it began";

/** Levels of codes within codes that are looked at. */
const DEEPEST = 100;

/** True if a return reports success. */
export function succeeded(retcode: unknown, success: unknown): boolean {
  const good = (value: unknown, fits: (one: unknown) => boolean, depth = 0): boolean => {
    if (value === undefined || value === null) return true;
    if (typeof value !== "object") return fits(value);
    // No function nests so deep: whoever does wants the stack to overflow.
    if (depth > DEEPEST) return false;
    return (value instanceof Map ? [...value.values()] : Object.values(value)).every((one) =>
      good(one, fits, depth + 1)
    );
  };
  return good(retcode, (code) => Number(code) === 0) && good(success, (verdict) => verdict !== false);
}

/** An outcome as events and answers carry it: times in seconds since the epoch. */
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
