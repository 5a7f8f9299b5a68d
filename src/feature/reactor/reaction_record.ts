/** One reaction: called, or not called and why. */
interface RecordedReaction {
  /** When the reaction was called or refused, in seconds since the epoch. */
  at: number;
  tag: string;
  sls: string;
  id: string;
  fun: string;
  outcome: "called" | "failed" | "stopped";
  error?: string;
  jid?: string;
  minions?: number;
}

/** The most reactions that are remembered. */
const MAX_REACTIONS = 200;
const MAX_CHARACTERS = 500;

/** The latest reactions, for the status report. */
export class ReactionRecord {
  readonly counts = { events: 0, called: 0, failed: 0, stopped: 0, dropped: 0 };
  #latest: RecordedReaction[] = [];
  readonly #now: () => number;

  /** @param now returns milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  add(reaction: Omit<RecordedReaction, "at">): void {
    this.counts[reaction.outcome]++;
    const { tag, error } = reaction;
    this.#latest.push({
      at: this.#now() / 1000,
      ...reaction,
      tag: tag.slice(0, MAX_CHARACTERS),
      ...error === undefined ? {} : { error: error.slice(0, MAX_CHARACTERS) },
    });
    if (this.#latest.length > MAX_REACTIONS * 2) this.#latest = this.#latest.slice(-MAX_REACTIONS);
  }

  /** The latest reactions, newest last. */
  get latest(): readonly RecordedReaction[] {
    return this.#latest.slice(-MAX_REACTIONS);
  }
}
