/** Deaths of workers, one after the other, until the requests of an owner are refused. */
const DEATHS = 2;
/** For how long they are refused at first and at most, in milliseconds; each further time is twice as long. */
const FIRST_MS = 60_000;
const LONGEST_MS = 3_600_000;
/** Owners that are remembered. */
const REMEMBERED = 10_000;

interface Record {
  deaths: number;
  /** Times that it was refused. */
  terms: number;
  untilMs: number;
}

/** Remembers whose requests killed their workers, and refuses those for a while: one bad pillar must not cost a process a second. */
export class Quarantine {
  readonly #now: () => number;
  readonly #records = new Map<string, Record>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A worker died of a request. @returns true if the requests are refused from now on */
  died(name: string): boolean {
    const record = this.#records.get(name) ?? { deaths: 0, terms: 0, untilMs: 0 };
    this.#records.delete(name);
    this.#records.set(name, record);
    if (++record.deaths % DEATHS === 0) {
      record.untilMs = this.#now() + Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(record.terms++, 16));
    }
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= REMEMBERED) break;
      this.#records.delete(oldest);
    }
    return this.secondsLeft(name) > 0;
  }

  /** A request was answered. */
  worked(name: string): void {
    this.#records.delete(name);
  }

  /** Seconds for which requests are refused; 0 if they are not. */
  secondsLeft(name: string): number {
    return Math.max(0, Math.ceil(((this.#records.get(name)?.untilMs ?? 0) - this.#now()) / 1000));
  }

  /** What is refused at present. */
  list(): string[] {
    return [...this.#records.keys()].filter((name) => this.secondsLeft(name) > 0);
  }
}
