import type { Clock } from "../../src/base/async/clock.ts";

/** Interval of the measurements, in milliseconds. */
const LOOK_MS = 250;
/** Measurements in {@link LoopDelay.recent}: those of the last minute. */
const MAX_KEPT = 240;

/** Measures how late the event loop calls timers: every request waits as long. */
export class LoopDelay {
  readonly #clock: Clock;
  readonly #recent = new Float64Array(MAX_KEPT);
  #looks = 0;
  #worst = 0;
  #cancel: () => void = () => {};
  /** Called with each measured delay, in seconds. */
  onLook: ((seconds: number) => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#look();
  }

  #look(): void {
    const due = this.#clock.now() + LOOK_MS;
    this.#cancel = this.#clock.after(LOOK_MS, () => {
      const late = Math.max(0, this.#clock.now() - due);
      this.#recent[this.#looks++ % MAX_KEPT] = late;
      this.#worst = Math.max(this.#worst, late);
      this.onLook?.(late / 1000);
      this.#look();
    });
  }

  /** Mean and maximum delay of the last minute, and the worst since the start, in milliseconds. */
  get recent(): { mean_ms: number; max_ms: number; worst_ms: number } {
    const seen = this.#recent.subarray(0, Math.min(this.#looks, MAX_KEPT));
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
