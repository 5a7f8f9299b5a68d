/** The number of workers that have to die in a row before the requests of an owner are refused. */
const DEATHS = 2;
/** How long requests are refused at first and at most, in milliseconds; each further time is twice as long. */
const FIRST_MS = 60_000;
const MAX_MS = 3_600_000;
/** The most owners that are remembered. */
const REMEMBERED = 10_000;

interface Record {
  deaths: number;
  /** How often the owner was refused. */
  terms: number;
  untilMs: number;
}

/** Remembers the owners whose requests killed their workers, and refuses them for a while: a bad pillar must not kill a process each second. */
export class Quarantine {
  readonly #now: () => number;
  readonly #records = new Map<string, Record>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes that a worker died of a request. @returns true if the owner's requests are refused from now on */
  died(name: string): boolean {
    const record = this.#records.get(name) ?? { deaths: 0, terms: 0, untilMs: 0 };
    this.#records.delete(name);
    this.#records.set(name, record);
    if (++record.deaths % DEATHS === 0) {
      record.untilMs = this.#now() + Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(record.terms++, 16));
    }
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= REMEMBERED) break;
      this.#records.delete(oldest);
    }
    return this.secondsLeft(name) > 0;
  }

  worked(name: string): void {
    this.#records.delete(name);
  }

  /** The remaining time for which an owner's requests are refused, in seconds; 0 if they are not refused. */
  secondsLeft(name: string): number {
    return Math.max(0, Math.ceil(((this.#records.get(name)?.untilMs ?? 0) - this.#now()) / 1000));
  }

  /** The owners whose requests are refused now. */
  list(): string[] {
    return [...this.#records.keys()].filter((name) => this.secondsLeft(name) > 0);
  }
}
