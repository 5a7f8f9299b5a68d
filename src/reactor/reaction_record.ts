/** One reaction that was called, or was not, and why. */
export interface RecordedReaction {
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

  add(reaction: RecordedReaction): void {
    this.counts[reaction.outcome]++;
    const { error } = reaction;
    this.#latest.push(error === undefined ? reaction : { ...reaction, error: error.slice(0, LONGEST) });
    if (this.#latest.length > MOST * 2) this.#latest = this.#latest.slice(-MOST);
  }

  /** The latest last. */
  get latest(): readonly RecordedReaction[] {
    return this.#latest.slice(-MOST);
  }
}
