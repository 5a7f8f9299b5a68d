/** One reaction: called, or not called and why. */
export interface RecordedReaction {
  /** When, in seconds since the epoch. */
  at: number;
  tag: string;
  sls: string;
  id: string;
  fun: string;
  outcome: "called" | "failed" | "stopped";
  error?: string;
  jid?: string;
  /** How many minions a job is for. */
  minions?: number;
}

/** Reactions that are remembered. */
const MOST = 200;
const LONGEST = 500;

/** What reacted lately, for who asks what the reactor does. */
export class ReactionRecord {
  readonly counts = { events: 0, called: 0, failed: 0, stopped: 0, dropped: 0 };
  #latest: RecordedReaction[] = [];
  readonly #now: () => number;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  add(reaction: Omit<RecordedReaction, "at">): void {
    this.counts[reaction.outcome]++;
    const { tag, error } = reaction;
    this.#latest.push({
      at: this.#now() / 1000,
      ...reaction,
      tag: tag.slice(0, LONGEST),
      ...error === undefined ? {} : { error: error.slice(0, LONGEST) },
    });
    if (this.#latest.length > MOST * 2) this.#latest = this.#latest.slice(-MOST);
  }

  /** The latest last. */
  get latest(): readonly RecordedReaction[] {
    return this.#latest.slice(-MOST);
  }
}
