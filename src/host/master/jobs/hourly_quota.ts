import type { Clock } from "../../../base/async/clock.ts";

const HOUR_MS = 3_600_000;

/**
 * Bounds the returns of unknown jobs that each sender may bring: so many per hour, and as many at a time after an hour of rest. A piece
 * that is larger is taken after such a rest.
 */
export class HourlyQuota {
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #hourly: number;
  /** What each sender may still bring; only senders with accepted keys are counted. */
  readonly #left = new Map<string, { amount: number; atMs: number }>();

  /** @param hourly the amount per hour; 0 for any amount */
  constructor(clock: Pick<Clock, "elapsed">, hourly: number) {
    this.#clock = clock;
    this.#hourly = hourly;
  }

  /** Counts what a sender brings. False if it is too much and must be refused. */
  take(sender: string, amount = 1): boolean {
    if (this.#hourly <= 0) return true;
    const now = this.#clock.elapsed();
    const before = this.#left.get(sender) ?? { amount: this.#hourly, atMs: now };
    const left = Math.min(this.#hourly, before.amount + (now - before.atMs) / HOUR_MS * this.#hourly);
    const fits = left >= Math.min(amount, this.#hourly);
    this.#left.set(sender, { amount: fits ? left - amount : left, atMs: now });
    return fits;
  }
}
