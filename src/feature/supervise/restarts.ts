import { backoffDelay, type BackoffOptions } from "../../base/async/backoff.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** From a tenth of a second to half a minute, half of it random. */
const DELAYS: BackoffOptions = { initialMs: 100, maxMs: 30_000 };

/** When the process of a part may be started again: at once after a good while, later and later while it keeps failing. */
export class Restarts {
  readonly #runtime: Pick<Runtime, "clock" | "random">;
  readonly #delays: BackoffOptions;
  #failures = 0;
  #cancel = () => {};
  /** True while a start has to wait. */
  waiting = false;

  /** @param delays @default from a tenth of a second to half a minute */
  constructor(runtime: Pick<Runtime, "clock" | "random">, delays: BackoffOptions = DELAYS) {
    this.#runtime = runtime;
    this.#delays = delays;
  }

  /** Failures one after the other, without good work in between. */
  get failures(): number {
    return this.#failures;
  }

  /** One more failure. @param again called once the next start is due */
  failed(again: () => void): void {
    const { clock, random } = this.#runtime;
    this.#cancel();
    this.waiting = true;
    this.#cancel = clock.after(backoffDelay(this.#failures++, this.#delays, random()), () => {
      this.waiting = false;
      again();
    });
  }

  /** The part works. */
  worked(): void {
    this.#failures = 0;
  }

  stop(): void {
    this.#cancel();
  }
}
