const WINDOW_MS = 60_000;
/** How many events may be fired per minute. */
interface EventRates {
  /** The most events of one source per minute. */
  one: number;
  /** The most events of all sources together per minute. */
  all: number;
  /** The most sources that are counted separately; all others count as one. @default 1000 */
  sources?: number;
}

/** Bounds the events that callers and minions cause: each event goes to every listener and to the stores of `event_return`. */
export class EventRate {
  readonly #now: () => number;
  readonly #rates: EventRates;
  readonly #sources = new Map<string, number>();
  #since = 0;
  #fired = 0;

  /** @param now the time in milliseconds, by a clock that cannot be set */
  constructor(now: () => number, rates: EventRates) {
    this.#now = now;
    this.#rates = rates;
  }

  /** Counts an event. False if there are too many: the event must not be fired. */
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
