import type { Clock } from "../../../base/async/clock.ts";

const HOUR_MS = 3_600_000;

/**
 * How much each sender may bring that no master has published here: so much in an hour, and as much at once after an hour of rest. More than
 * that in one piece is taken after such a rest.
 */
export class HourlyQuota {
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #hourly: number;
  /** What is left for each sender; only accepted keys come here. */
  readonly #left = new Map<string, { amount: number; atMs: number }>();

  /** @param hourly 0 for any amount */
  constructor(clock: Pick<Clock, "elapsed">, hourly: number) {
    this.#clock = clock;
    this.#hourly = hourly;
  }

  /** Counts what a sender brings. False if it is too much: it is to be refused. */
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
