import type { Clock } from "./clock.ts";

/**
 * Waits for work, but not beyond an abort. Work that is no longer waited for goes on, and what comes of it is ignored.
 *
 * @throws the signal's reason
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  work.catch(() => {});
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * Waits for work, but no longer than `ms` milliseconds, and as {@link abortable} not beyond an abort.
 *
 * @param late called when the time is over: returns or throws what comes instead. @default undefined comes
 * @throws the signal's reason
 */
export async function within<T, L = undefined>(
  clock: Pick<Clock, "sleep">,
  ms: number,
  signal: AbortSignal | undefined,
  work: Promise<T>,
  late: () => L = () => undefined as L,
): Promise<T | L> {
  const over = new AbortController();
  try {
    return await abortable(Promise.race([work, clock.sleep(ms, over.signal).then(late)]), signal);
  } finally {
    over.abort();
  }
}
