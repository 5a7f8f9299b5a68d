import type { Clock } from "../../src/base/async/clock.ts";

/** 2024-05-06 07:08:09.123 UTC. */
export const SOME_TIME = Date.UTC(2024, 4, 6, 7, 8, 9, 123);

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  /** How far it has gone on since it was made, its start included: timers go by this. */
  #now: number;
  /** What it was set by. */
  #shift = 0;
  #timers: { at: number; callback: () => void }[] = [];
  #watchers: { holds: () => boolean; resolve: () => void }[] = [];

  constructor(start = SOME_TIME) {
    this.#now = start;
  }

  now(): number {
    return this.#now + this.#shift;
  }

  elapsed(): number {
    return this.#now;
  }

  /** Sets the time, as an operator does: no timer is nearer to its end, or farther from it. */
  set(ms: number): void {
    this.#shift = ms - this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), callback };
    this.#timers.push(timer);
    this.#watchers = this.#watchers.filter(({ holds, resolve }) => !holds() || void resolve());
    return () => this.#timers = this.#timers.filter((one) => one !== timer);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = this.after(ms, () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      });
      const stop = () => {
        cancel();
        reject(signal!.reason);
      };
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  /** Milliseconds until each of the waits that are under way ends, the next first. */
  get waits(): number[] {
    return this.#timers.map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  /** Resolves once something waits for `ms` milliseconds from now. */
  waiting(ms: number): Promise<void> {
    const holds = () => this.#timers.some(({ at }) => at - this.#now === ms);
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => this.#watchers.push({ holds, resolve }));
  }

  /** Moves on, calling what falls due in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#now = due.at;
      due.callback();
    }
    this.#now = end;
  }
}
