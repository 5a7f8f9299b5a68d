/** Runs at most `limit` asynchronous calls at once; the rest wait in order. A limit of 0 or less means no limit. */
export class Pool {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  readonly #hoping: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  /** Calls that wait for their turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves once a call would begin without waiting. For a single caller: of several, another one might take the slot first. */
  async room(): Promise<void> {
    if (this.#limit <= 0 || this.#running < this.#limit) return;
    await new Promise<void>((resolve) => this.#hoping.push(resolve));
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#limit > 0 && this.#running >= this.#limit) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return await call();
    } finally {
      // The slot is passed on rather than freed, so that no other call can take it in between.
      const next = this.#waiting.shift();
      if (next !== undefined) next();
      else {
        this.#running--;
        this.#hoping.shift()?.();
      }
    }
  }
}
