import { TemplateLimitError } from "./errors.ts";

export interface Limits {
  /** The most rounds of loops, calls and includes of one render. */
  steps: number;
  /** The most characters that one render may write, including captured text. */
  characters: number;
  /** The most macros, includes and imports within one another. */
  depth: number;
}

export const DEFAULT_LIMITS: Readonly<Limits> = { steps: 2_000_000, characters: 64 * 1024 * 1024, depth: 200 };

/** The rest of the limits that one render may still use. */
export class Budget {
  readonly #limits: Limits;
  #steps = 0;
  #characters = 0;
  #depth = 0;

  constructor(limits: Limits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  step(): void {
    if (++this.#steps > this.#limits.steps) {
      throw new TemplateLimitError(`the template takes more than ${this.#limits.steps} rounds and calls`, "steps");
    }
  }

  write(characters: number): void {
    this.#characters += characters;
    if (this.#characters > this.#limits.characters) {
      throw new TemplateLimitError(`the template writes more than ${this.#limits.characters} characters`, "characters");
    }
  }

  enter(): void {
    this.step();
    if (++this.#depth > this.#limits.depth) {
      throw new TemplateLimitError("maximum recursion depth exceeded", "depth");
    }
  }

  leave(): void {
    this.#depth--;
  }
}
