import { SaltError } from "../../base/errors.ts";

/** Matching a pattern or a target would take more steps than its limit. */
export class CostError extends SaltError {
  constructor(message: string) {
    super("TOO_COSTLY", message);
  }

  static of(what: string, limit: number): CostError {
    return new CostError(
      `Cannot match ${what}: it takes more than ${limit} steps. Make it shorter, or match less text`,
    );
  }
}

/** The pattern is valid in Python but would take unbounded time to match. */
export class RefusedPatternError extends SyntaxError {
  override name = "RefusedPatternError";
}

/** The limit in steps of one match that has no {@link Steps}: some tenths of a second. */
export const STEPS_OF_A_MATCH = 20_000_000;

/**
 * How many steps matching may still take. A step is one state at one character; a processor does about ten million in a tenth
 * of a second. Code that matches many patterns for a caller, as the master does when it expands a target, sets one limit for
 * all of them; otherwise each match has its own limit.
 */
export class Steps {
  #left = Infinity;
  #limit = Infinity;

  get left(): number {
    return this.#left;
  }

  /** Uses up steps. @throws {CostError} if fewer are left */
  spend(steps: number, what = "the target"): void {
    this.#left -= steps;
    if (this.#left < 0) throw CostError.of(what, this.#limit);
  }

  /**
   * Runs `call` with a limit in steps. An enclosing limit still applies.
   *
   * @throws {CostError} if the call takes more steps
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
