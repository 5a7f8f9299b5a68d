import { Pool } from "./pool.ts";

/** A computation in steps of about a millisecond, with its result at the end. */
export type Steps<T> = Generator<void, T, void>;

/** Takes all steps of a computation at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Long computations beside everything else that a loop does: one step in a turn, and one computation after the other, so that
 * it makes no difference to the others how many wait here.
 */
export class Slices {
  readonly #later: (callback: () => void) => void;
  readonly #one = new Pool(1);

  /** @param later calls back in the next turn of the event loop */
  constructor(later: (callback: () => void) => void) {
    this.#later = later;
  }

  run<T>(steps: Steps<T>): Promise<T> {
    return this.#one.run(async () => {
      for (;;) {
        await new Promise<void>((resolve) => this.#later(resolve));
        const { done, value } = steps.next();
        if (done === true) return value;
      }
    });
  }
}
