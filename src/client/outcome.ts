/** What one minion returned. */
export interface MinionReturn {
  id: string;
  return: unknown;
  retcode: unknown;
  success: unknown;
  out: string | undefined;
  jid: string;
}

/** How a minion's part in a job ended. */
export type Outcome =
  | ({ kind: "returned" } & MinionReturn)
  /** It neither returned nor says that it is still working. What our masters know of it comes along. */
  | { kind: "silent"; id: string; jid: string; known?: KnownOutcome }
  /** It is away, and gets the job when it comes back. */
  | { kind: "queued"; id: string; jid: string }
  /** It has no accepted key. */
  | { kind: "unknown"; id: string; jid: string };

/** What a Brine master knows of a target that has not returned. */
export interface KnownOutcome {
  /** `published`, `started`, `timed out`, `lost`, `expired` or `cancelled`. */
  outcome: string;
  /** Since when, in seconds since the epoch. */
  at?: number;
  /** Since when the minion is gone, in seconds since the epoch. */
  since?: number;
  note?: string;
}

export function knownOutcome({ outcome, at, since, note }: Record<string, unknown>): KnownOutcome {
  return {
    outcome: String(outcome),
    ...(typeof at === "number" ? { at } : {}),
    ...(typeof since === "number" ? { since } : {}),
    ...(typeof note === "string" ? { note } : {}),
  };
}

/** A retcode that counts as a failure; that of several functions is a map. */
export function highestRetcode(retcode: unknown): number {
  if (typeof retcode === "number") return retcode;
  if (typeof retcode !== "object" || retcode === null) return 0;
  const codes = retcode instanceof Map ? [...retcode.values()] : Object.values(retcode);
  return Math.max(0, ...codes.map((code) => typeof code === "number" ? code : 0));
}
