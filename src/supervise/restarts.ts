import { backoffDelay, type BackoffOptions } from "../async/backoff.ts";
import type { Runtime } from "../runtime/mod.ts";

/** From a tenth of a second to half a minute, half of it random. */
const DELAYS: BackoffOptions = { initialMs: 100, maxMs: 30_000 };

/** When the process of a part may be started again: at once after a good while, later and later while it keeps failing. */
export class Restarts {
  readonly #runtime: Pick<Runtime, "clock" | "random">;
  #failures = 0;
  #cancel = () => {};
  /** True while a start has to wait. */
  waiting = false;

  constructor(runtime: Pick<Runtime, "clock" | "random">) {
    this.#runtime = runtime;
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
    this.#cancel = clock.after(backoffDelay(this.#failures++, DELAYS, random()), () => {
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
