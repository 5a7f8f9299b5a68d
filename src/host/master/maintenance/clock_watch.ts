import type { Clock } from "../../../base/async/clock.ts";
import type { Logger } from "../../../base/log.ts";

/** The smallest jump of the clock that counts, in milliseconds: smaller ones are the system's own corrections. */
const LEAST_JUMP_MS = 5000;
/** How long after a jump nothing is removed by its age, in milliseconds: the operator has time to correct the clock. */
const HOLD_MS = 600_000;

/** Notices that the system clock was set while the master runs. */
export class ClockWatch {
  readonly #clock: Clock;
  readonly #log: Logger;
  #now: number;
  #elapsed: number;
  #jumpedAt = -Infinity;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
    this.#now = clock.now();
    this.#elapsed = clock.elapsed();
  }

  /** Compares the clocks; call it about once a second. */
  look(): void {
    const [now, elapsed] = [this.#clock.now(), this.#clock.elapsed()];
    const jump = now - this.#now - (elapsed - this.#elapsed);
    [this.#now, this.#elapsed] = [now, elapsed];
    if (Math.abs(jump) < LEAST_JUMP_MS) return;
    this.#jumpedAt = elapsed;
    this.#log.warning(
      "the system clock jumped: check it (timedatectl). Tokens, request_server_ttl and the age of " +
        "jobs depend on it. Nothing is removed by age for ten minutes",
      { seconds: Math.round(jump / 1000), direction: jump > 0 ? "forward" : "back" },
    );
  }

  /** False for a while after a jump: by a wrong clock, records look old that are not. */
  get trusted(): boolean {
    this.look();
    return this.#elapsed - this.#jumpedAt >= HOLD_MS;
  }
}
