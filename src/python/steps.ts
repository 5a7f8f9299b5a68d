import { SaltError } from "../errors.ts";

/** A pattern or a target would take more than it is given. */
export class CostError extends SaltError {
  constructor(message: string) {
    super("TOO_COSTLY", message);
  }

  /** Of matching that takes too many steps. */
  static of(what: string, limit: number): CostError {
    return new CostError(
      `Cannot match ${what}: it takes more than ${limit} steps. Make it shorter, or match less text`,
    );
  }
}

/** A pattern that is valid in Python and would take unbounded time to match. */
export class RefusedPatternError extends SyntaxError {
  override name = "RefusedPatternError";
}

/** Steps of one match that nobody else counts: some tenths of a second. */
export const STEPS_OF_A_MATCH = 20_000_000;

/**
 * What matching may still cost: steps over characters and states, of which a processor does some ten million in a tenth of a
 * second. Whoever matches much at the wish of somebody else, as the master when it expands a target, gives a limit for all of
 * it; otherwise each match has one of its own.
 */
export class Steps {
  #left = Infinity;
  #limit = Infinity;

  /** Steps that are left. */
  get left(): number {
    return this.#left;
  }

  /** @throws {CostError} if no steps are left for it */
  spend(steps: number, what = "the target"): void {
    this.#left -= steps;
    if (this.#left < 0) throw CostError.of(what, this.#limit);
  }

  /**
   * Does something that may take so many steps, all in all. Within another such limit that one holds, too.
   *
   * @throws {CostError} if it takes more
   */
  within<T>(limit: number, call: () => T): T {
    const [left, before] = [this.#left, this.#limit];
    if (limit >= left) return call();
    this.#left = this.#limit = limit;
    try {
      return call();
    } finally {
      this.#left = left - (limit - this.#left);
      this.#limit = before;
    }
  }
}
