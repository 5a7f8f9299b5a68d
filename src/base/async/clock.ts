/** Time and timers as an argument, so that a test can use a fake clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch, with fractions where the runtime has them. */
  now(): number;
  /** Milliseconds since a fixed moment of this process. Increases evenly, also when the system clock is changed. */
  elapsed(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `callback` once after `ms`; the returned function cancels it. Never keeps a process alive by itself. */
  after(ms: number, callback: () => void): () => void;
}

declare const performance: { now(): number; timeOrigin: number };
declare function setTimeout(callback: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;

/** The largest delay that a timer accepts; longer ones are split. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Milliseconds by which the runtime's two clocks may differ before the finer one is adjusted to the other. */
const APART_MS = 2;

let origin = performance.timeOrigin;

/** The runtime's own clock and timers. */
export const systemClock: Clock = {
  now: () => {
    // Date follows changes of the system clock, but counts whole milliseconds; performance counts fractions, and
    // never goes back.
    const coarse = Date.now();
    const fine = origin + performance.now();
    if (Math.abs(fine - coarse) <= APART_MS) return fine;
    origin += coarse - fine;
    return coarse;
  },
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
      const stop = () => {
        clearTimeout(timer);
        reject(signal!.reason);
      };
      signal?.addEventListener("abort", stop, { once: true });
    }),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), MAX_TIMER_MS)) as { unref?: () => void };
    timer.unref?.();
    return () => clearTimeout(timer);
  },
};
