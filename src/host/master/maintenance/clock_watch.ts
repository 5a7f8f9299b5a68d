import type { Clock } from "../../../base/async/clock.ts";
import type { Logger } from "../../../base/log.ts";

/** A smaller difference is the system's own correction of its clock, in milliseconds. */
const LEAST_JUMP_MS = 5000;
/** How long nothing is removed by its age after a jump, in milliseconds: time to set the clock right. */
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

  /** To be called about once a second. */
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

  /** False for a while after a jump: what looks old by a wrong clock is not. */
  get trusted(): boolean {
    this.look();
    return this.#elapsed - this.#jumpedAt >= HOLD_MS;
  }
}
