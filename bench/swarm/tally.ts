/** What the minions of a swarm did that no honest one does, and how the master answered. */
import type { BehaviourName } from "./mix.ts";

/**
 * - `taken`: a sealed reply, as to every honest return. Brine's master also replies so to a return that it keeps out of its
 *   job, so that the sender does not send it again;
 * - `refused`: a short reply in clear, `bad load`, or a sign-in that is not accepted;
 * - `accepted`, `pending`: of a sign-in;
 * - `no answer`: none in time, or the connection was closed.
 */
export type Answer = "taken" | "refused" | "accepted" | "pending" | "no answer";

/** A line of the summary: of a behaviour, what was done and how often it was answered how. */
export interface Deed {
  behaviour: BehaviourName;
  deed: string;
  answers: Partial<Record<Answer, number>>;
}

export class Tally {
  readonly #deeds = new Map<string, Deed>();

  count(behaviour: BehaviourName, deed: string, answer: Answer, times = 1): void {
    const key = `${behaviour} ${deed}`;
    let found = this.#deeds.get(key);
    if (found === undefined) this.#deeds.set(key, found = { behaviour, deed, answers: {} });
    found.answers[answer] = (found.answers[answer] ?? 0) + times;
  }

  /** Adds what another process has counted. */
  add(deeds: readonly Deed[]): void {
    for (const { behaviour, deed, answers } of deeds) {
      for (const [answer, times] of Object.entries(answers)) this.count(behaviour, deed, answer as Answer, times);
    }
  }

  get deeds(): Deed[] {
    return [...this.#deeds.values()].sort((a, b) => `${a.behaviour} ${a.deed}` < `${b.behaviour} ${b.deed}` ? -1 : 1);
  }
}

/** Deeds that a Brine master refuses in its answer; the other wrong ones it acknowledges and keeps out of the job. */
export const REFUSED_DEEDS: ReadonlySet<string> = new Set([
  "a return in another's name",
  "an envelope in another's name",
  "its own return, the same bytes again",
  "another's return, the same bytes again",
  "a sign-in with another's id",
  "a sign-in with an id that is a path",
  "a sign-in with an id of 300 characters",
]);

/** Deeds of a summary that a Brine master has answered otherwise than it should, in words; none if all is well. */
export function wrongAnswers(deeds: readonly Deed[]): string[] {
  return deeds.flatMap(({ behaviour, deed, answers }) =>
    REFUSED_DEEDS.has(deed)
      ? (["taken", "accepted", "pending"] as const).flatMap((answer) =>
        answers[answer] === undefined ? [] : [`${behaviour}: ${deed}: ${answer} ${answers[answer]} times`]
      )
      : []
  );
}
