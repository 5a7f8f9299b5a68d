import type { Clock } from "../../src/base/async/clock.ts";

/** How often it is looked at, in milliseconds. */
const LOOK_MS = 250;
/** Looks that {@link LoopDelay.recent} covers: a minute. */
const KEPT = 240;

/** How late the event loop calls timers: what every request waits, too. */
export class LoopDelay {
  readonly #clock: Clock;
  readonly #recent = new Float64Array(KEPT);
  #looks = 0;
  #worst = 0;
  #cancel: () => void = () => {};
  /** Called with each delay, in seconds. */
  onLook: ((seconds: number) => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#look();
  }

  #look(): void {
    const due = this.#clock.now() + LOOK_MS;
    this.#cancel = this.#clock.after(LOOK_MS, () => {
      const late = Math.max(0, this.#clock.now() - due);
      this.#recent[this.#looks++ % KEPT] = late;
      this.#worst = Math.max(this.#worst, late);
      this.onLook?.(late / 1000);
      this.#look();
    });
  }

  /** Of the last minute, and the worst since the start, in milliseconds. */
  get recent(): { mean_ms: number; max_ms: number; worst_ms: number } {
    const seen = this.#recent.subarray(0, Math.min(this.#looks, KEPT));
    const tenth = (ms: number) => Math.round(ms * 10) / 10;
    return {
      mean_ms: tenth(seen.reduce((sum, ms) => sum + ms, 0) / Math.max(1, seen.length)),
      max_ms: tenth(seen.reduce((most, ms) => Math.max(most, ms), 0)),
      worst_ms: tenth(this.#worst),
    };
  }

  close(): void {
    this.#cancel();
  }
}
