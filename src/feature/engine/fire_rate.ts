import type { Clock } from "../../base/async/clock.ts";
import { AsyncQueue } from "../../base/async/queue.ts";
import { type Deferred, deferred } from "../../base/async/deferred.ts";

/** The most events that wait for their turn. */
export const MAX_WAITING = 1000;

/** Limits how many events an engine may fire a second; after a quiet second as many at once. Further events wait, in order. */
export class FireRate {
  readonly #clock: Pick<Clock, "elapsed" | "sleep">;
  readonly #perSecond: number;
  readonly #waiting = new AsyncQueue<Deferred<void>>({ limit: MAX_WAITING, whenFull: "drop-newest" });
  #left: number;
  #since: number;
  #serving = false;

  /** @param perSecond the most events a second; 0 means no limit */
  constructor(clock: Pick<Clock, "elapsed" | "sleep">, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#since = clock.elapsed();
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when the next event may be fired. @throws {RangeError} if too many wait already */
  async take(): Promise<void> {
    if (this.#perSecond <= 0) return;
    this.#refill();
    if (this.#waiting.size === 0 && this.#left >= 1) return void this.#left--;
    const turn = deferred<void>();
    if (!this.#waiting.offer(turn)) {
      throw new RangeError(
        `Cannot fire the event: ${MAX_WAITING} events are already waiting, and ${this.#perSecond} a ` +
          "second are sent (engine_events_per_second). Await each call of fire",
      );
    }
    void this.#serve();
    await turn.promise;
  }

  #refill(): void {
    const now = this.#clock.elapsed();
    this.#left = Math.min(this.#perSecond, this.#left + (now - this.#since) / 1000 * this.#perSecond);
    this.#since = now;
  }

  async #serve(): Promise<void> {
    if (this.#serving) return;
    this.#serving = true;
    while (this.#waiting.size > 0) {
      this.#refill();
      if (this.#left < 1) await this.#clock.sleep((1 - this.#left) / this.#perSecond * 1000);
      else {
        this.#left--;
        this.#waiting.poll()!.resolve();
      }
    }
    this.#serving = false;
  }
}
