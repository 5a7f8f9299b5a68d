export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export interface UntilOptions {
  /** @default 60000 */
  timeoutMs?: number;
  /** Called before each pause; throws if waiting has become pointless, as when a daemon has ended. */
  check?(): void;
}

/**
 * Waits until a condition holds, which is looked at every 50 ms.
 *
 * @param what the condition, for the message: `the master takes requests`
 * @throws {Error} when the time is over
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { timeoutMs = 60_000, check }: UntilOptions = {},
): Promise<void> {
  const limit = performance.now() + timeoutMs;
  while (!await holds()) {
    check?.();
    if (performance.now() > limit) throw new Error(`Timed out after ${timeoutMs} ms: ${what}`);
    await pause(50);
  }
}
