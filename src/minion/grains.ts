import type { Clock } from "../async/clock.ts";
import { messageOf } from "../errors.ts";
import type { Logger } from "../log.ts";

/**
 * Looks at the grains every `grains_refresh_every` minutes, for a host may change without being told to: 0 is never. Returns
 * when the signal aborts.
 *
 * @param refresh gathers them anew, and tells the masters if any is different
 */
export async function keepGrains(
  { clock, log, minutes, refresh }: { clock: Clock; log: Logger; minutes: number; refresh(): Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  const every = Math.abs(minutes) * 60_000;
  if (!(every > 0)) return;
  while (true) {
    await clock.sleep(every, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      await refresh();
    } catch (error) {
      log.error("grains could not be refreshed", { error: messageOf(error) });
    }
  }
}
