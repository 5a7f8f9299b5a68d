import type { Clock } from "../../base/async/clock.ts";
import type { Logger } from "../../base/log.ts";

/** Time between two warnings of the same trouble, in milliseconds: a log that was rotated says it, too. */
const AGAIN_MS = 10 * 60_000;

/** Tells of a trouble at once, again every ten minutes while it lasts, and says once that it is over. */
export class LastingTrouble {
  readonly #clock: Pick<Clock, "after" | "elapsed">;
  readonly #log: Logger;
  readonly #level: "warning" | "error";
  #since: number | undefined;
  #cancel = () => {};

  constructor(
    { clock, log }: { clock: Pick<Clock, "after" | "elapsed">; log: Logger },
    level: "warning" | "error" = "warning",
  ) {
    this.#clock = clock;
    this.#log = log;
    this.#level = level;
  }

  /** Logs the start of the trouble once. */
  begin(message: string, fields: Record<string, unknown>): void {
    if (this.#since !== undefined) return;
    const since = this.#since = this.#clock.elapsed();
    const say = () => {
      const seconds = Math.round((this.#clock.elapsed() - since) / 1000);
      this.#log[this.#level](message, seconds === 0 ? fields : { ...fields, seconds });
      this.#cancel = this.#clock.after(AGAIN_MS, say);
    };
    say();
  }

  /** Logs the end of the trouble, if it had started. */
  end(message: string, fields: Record<string, unknown>): void {
    if (this.#since === undefined) return;
    const seconds = Math.round((this.#clock.elapsed() - this.#since) / 1000);
    this.forget();
    this.#log.warning(message, { ...fields, seconds });
  }

  /** Nobody is interested any more. */
  forget(): void {
    this.#cancel();
    this.#since = undefined;
  }
}
