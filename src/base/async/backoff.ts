/** How the waits between retries grow. All durations in milliseconds. */
export interface BackoffOptions {
  /** The first wait. */
  initialMs: number;
  /** No wait is longer than this, jitter included. */
  maxMs: number;
  /** Factor from one wait to the next. @default 2 */
  factor?: number;
  /** Share of the wait that is random, 0 to 1, so that a fleet does not retry all at once. @default 0.5 */
  jitter?: number;
}

/** The wait before retry number `attempt` (0 = the first one), in milliseconds. @param random a number in [0, 1) */
export function backoffDelay(attempt: number, options: BackoffOptions, random: number): number {
  const { initialMs, maxMs, factor = 2, jitter = 0.5 } = options;
  const full = Math.min(maxMs, initialMs * factor ** Math.min(attempt, 64));
  return full * (1 - jitter) + full * jitter * random;
}
