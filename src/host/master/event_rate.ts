const WINDOW_MS = 60_000;
/** How many events may be fired in a minute. */
export interface EventRates {
  /** Events of one source. */
  one: number;
  /** Events of all sources together. */
  all: number;
  /** Sources that are counted by themselves; the others count together. @default 1000 */
  sources?: number;
}

/** Bounds the events that others cause: each goes to every listener, and to the stores of `event_return`. */
export class EventRate {
  readonly #now: () => number;
  readonly #rates: EventRates;
  readonly #sources = new Map<string, number>();
  #since = 0;
  #fired = 0;

  /** @param now milliseconds that are not affected by setting the clock */
  constructor(now: () => number, rates: EventRates) {
    this.#now = now;
    this.#rates = rates;
  }

  /** Counts an event. False if there are too many: it is not to be fired. */
  take(source: string): boolean {
    const now = this.#now();
    if (this.#fired === 0 || now - this.#since >= WINDOW_MS) {
      this.#sources.clear();
      this.#fired = 0;
      this.#since = now;
    }
    const { one, all, sources = 1000 } = this.#rates;
    const key = this.#sources.has(source) || this.#sources.size < sources ? source : "";
    const count = this.#sources.get(key) ?? 0;
    if (count >= one || this.#fired >= all) return false;
    this.#sources.set(key, count + 1);
    this.#fired++;
    return true;
  }
}
