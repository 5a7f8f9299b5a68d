import { setImmediate, setTimeout } from "node:timers";

export const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** For how long {@link until} looks at every turn of the loop. Later it looks now and then, since it waits for another process. */
const QUICK_MS = 50;

/** A clock that a test moves. */
export interface MovedClock {
  advance(ms: number): void;
}

export interface UntilOptions {
  /** @default 60000 */
  timeoutMs?: number;
  /** Milliseconds between looks. @default a turn of the loop; after 50 ms 5, or 50 for a look that asks somebody: an async one */
  everyMs?: number;
  /** Moved by `stepMs` in the turn before each look, so that no step of it goes unseen. */
  clock?: MovedClock;
  /** @default 100 */
  stepMs?: number;
  /** Called before each turn; throws if waiting has become pointless, as when a daemon has ended. */
  check?(): void;
}

/** Lets turns of the loop go by: what is due runs, and what has arrived is read. */
export async function turns(count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
}

/** A condition, and how to wait for it. */
type Wait = [holds: () => boolean | Promise<boolean>, options?: UntilOptions];

/**
 * Waits until a condition holds. A condition that counts uses `>=` where more may come: two things may happen in one turn.
 *
 * @param what the condition, for the message: `the master takes requests`; its source if nothing is given
 * @throws {Error} when the time is over
 * @example
 * await until(() => streams.length >= 2, { clock });
 * await until("the master takes requests", () => answers(port));
 */
export async function until(...given: Wait | [what: string, ...Wait]): Promise<void> {
  const [what, holds, options] = typeof given[0] === "string"
    ? given as [string, ...Wait]
    : [String(given[0]), ...given as Wait];
  const { timeoutMs = 60_000, everyMs, clock, stepMs = 100, check } = options ?? {};
  const begun = performance.now();
  for (;;) {
    const look = holds();
    if (await look) return;
    check?.();
    const passed = performance.now() - begun;
    if (passed > timeoutMs) throw new Error(`Timed out after ${timeoutMs} ms: ${what}`);
    if (everyMs === undefined && (clock !== undefined || passed < QUICK_MS)) await turns();
    else await pause(everyMs ?? (typeof look === "boolean" ? 5 : 50));
    clock?.advance(stepMs);
  }
}
