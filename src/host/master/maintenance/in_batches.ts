/** How many items are handled in one turn of the event loop: it takes about a millisecond if each is a small file. */
const BATCH = 50;

/**
 * Handles items a batch at a time, with a turn of the event loop between two of them; stops when the signal aborts.
 *
 * @param later calls back in the next turn of the event loop
 */
export async function inBatches<T>(
  items: readonly T[],
  later: (callback: () => void) => void,
  signal: AbortSignal,
  handle: (item: T, at: number) => void,
): Promise<void> {
  for (const [at, item] of items.entries()) {
    if (at % BATCH === 0 && at > 0) await new Promise<void>((resolve) => later(resolve));
    if (signal.aborted) return;
    handle(item, at);
  }
}
