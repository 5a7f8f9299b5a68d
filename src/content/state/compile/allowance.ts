import { SaltError } from "../../../base/errors.ts";

/** A compilation would need too much memory; the message says what grew. */
export class CompileLimitError extends SaltError {
  constructor(message: string) {
    super("COMPILE_LIMIT", message);
  }
}

/** Values that one compilation may add to the rendered data: copies for each of `names`, and requisites that it turns around. */
const MAX_VALUES = 5_000_000;

/**
 * Counts the values that one compilation may still add. Lists that extend each other double at every step, and `names` multiply
 * arguments.
 */
export class Allowance {
  #left: number;

  /** @param values @default five million */
  constructor(values: number = MAX_VALUES) {
    this.#left = values;
  }

  /** @throws {CompileLimitError} if nothing is left */
  spend(values: number, what: () => string): void {
    this.#left -= values;
    if (this.#left < 0) {
      throw new CompileLimitError(`${what()} makes the states of this minion too large to compile: split them up`);
    }
  }
}

/** Counts the values inside a value, up to `most`. */
export function countValues(value: unknown, most: number, done = new Set<unknown>()): number {
  if (typeof value !== "object" || value === null || done.has(value)) return 1;
  done.add(value);
  let count = 1;
  const items = value instanceof Map ? value.values() : Array.isArray(value) ? value : [];
  for (const item of items) {
    if (count > most) break;
    count += countValues(item, most, done);
  }
  return count;
}
