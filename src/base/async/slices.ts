import { Pool } from "./pool.ts";

/** A computation in steps of about a millisecond, with its result at the end. */
export type SliceSteps<T> = Generator<void, T, void>;

/** Runs all steps of a computation without interruption. */
export function atOnce<T>(steps: SliceSteps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Runs long computations on the event loop: one step in a turn, and one computation after the other, so that other work is
 * not delayed more the more of them wait.
 */
export class Slices {
  readonly #later: (callback: () => void) => void;
  readonly #one = new Pool(1);

  /** @param later calls back in the next turn of the event loop */
  constructor(later: (callback: () => void) => void) {
    this.#later = later;
  }

  run<T>(steps: SliceSteps<T>): Promise<T> {
    return this.#one.run(async () => {
      for (;;) {
        await new Promise<void>((resolve) => this.#later(resolve));
        const { done, value } = steps.next();
        if (done === true) return value;
      }
    });
  }
}
