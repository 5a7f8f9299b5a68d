import type { Clock } from "../../async/clock.ts";

const HOUR_MS = 3_600_000;

/**
 * How many jobs that no master has published here a syndic may bring: those of the master below, or what it makes up. So many in an
 * hour, and as many at once after an hour of rest.
 */
export class SyndicQuota {
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #hourly: number;
  /** What is left for each syndic; only accepted keys come here. */
  readonly #left = new Map<string, { jobs: number; atMs: number }>();

  /** @param hourly `syndic_jobs_hourly`; 0 for any number */
  constructor(clock: Pick<Clock, "elapsed">, hourly: number) {
    this.#clock = clock;
    this.#hourly = hourly;
  }

  /** Counts one job. False if there are too many: it is to be refused. */
  take(syndic: string): boolean {
    if (this.#hourly <= 0) return true;
    const now = this.#clock.elapsed();
    const { jobs, atMs } = this.#left.get(syndic) ?? { jobs: this.#hourly, atMs: now };
    const left = Math.min(this.#hourly, jobs + (now - atMs) / HOUR_MS * this.#hourly);
    this.#left.set(syndic, { jobs: left < 1 ? left : left - 1, atMs: now });
    return left >= 1;
  }
}
