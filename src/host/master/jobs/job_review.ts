import type { TargetOutcome } from "../../../model/job/outcome.ts";
import type { Presence } from "../presence.ts";
import type { Syndics } from "../syndics.ts";
import { type FindJobQuestion, isOver, type OpenJob, PUBLISHED, type TargetPart } from "./open_job.ts";

/** The note of a target whose job is queued although it was published, since the minion was found to be away. */
export const SENT_BEFORE = "it was sent before the minion was known to be offline";
/** The note of a target whose job is queued although the minion may have it: the minion has asked for the job and not acknowledged it yet. */
export const ASKED_FOR = "the minion has asked for it";

/** The moment at which a job is reviewed. */
interface ReviewTime {
  presence: Presence;
  /** Tells which syndics report the outcomes of their minions. */
  syndics: Pick<Syndics, "isReporting">;
  /** The age of the ledger, in milliseconds. */
  age: number;
  /** The time of the review, in milliseconds since the epoch. */
  atMs: number;
  lostMs: number;
  /** Returns how long a minion has been away, in milliseconds. */
  awayFor(id: string, sinceMs: number): number;
}

/** What the ledger has to do about the targets of a job. */
interface Review {
  /** The targets that end without a return, or are put back into the queue. */
  outcomes: TargetOutcome[];
  /** The Brine minions that have not acknowledged the job, and are sent it again. */
  resend: string[];
  /** The minions that take jobs and have not received the job that is queued for them. */
  offer: string[];
  /** The minions that have begun the job by the records, but have not told this master so. */
  about: string[];
  /** The minions that cannot acknowledge jobs, and are asked by `saltutil.find_job`. */
  ask: string[];
  /** True if the delivery time is over. */
  gaveUp: boolean;
  /** True if it is time to ask by `saltutil.find_job`. */
  asking: boolean;
}

/** Judges every target of a job: which have ended, and which must be sent the job again or asked for it. Changes nothing. */
export function reviewJob(job: OpenJob, time: ReviewTime): Review {
  const { presence, age } = time;
  const review: Review = {
    outcomes: [],
    resend: [],
    offer: [],
    about: [],
    ask: [],
    gaveUp: age >= job.giveUpAt,
    asking: job.asked === undefined && age >= job.askAt,
  };
  const answered = job.asked !== undefined && age >= job.asked.until ? job.asked : undefined;
  for (const [minion, part] of job.parts) {
    if (isOver(part)) continue;
    const via = job.via.get(minion);
    if (via !== undefined && time.syndics.isReporting(via)) reviewBelow(review, minion, via, time);
    else if (part.state === "queued") reviewQueued(review, minion, part, time);
    else if (presence.isBrine(minion)) reviewBrine(review, job, minion, part, time);
    else reviewSalt(review, job, minion, answered, time);
  }
  return review;
}

function reviewQueued({ outcomes, offer }: Review, minion: string, part: TargetPart, time: ReviewTime): void {
  if (time.age < Math.max(part.until, part.hearUntil ?? 0)) {
    if (time.age >= (part.offerAt ?? 0) && time.presence.listens(minion)) offer.push(minion);
    return;
  }
  outcomes.push(
    part.sent === true
      ? lost(minion, "the minion disconnected before it received the job", time)
      : { minion, state: "expired", atMs: time.atMs, note: "the minion did not reconnect in time" },
  );
}

/** Reviews a target below a Brine syndic: the syndic reports the outcome, and nothing is heard while the syndic is away. */
function reviewBelow({ outcomes }: Review, minion: string, syndic: string, time: ReviewTime): void {
  const { presence, atMs, lostMs, awayFor } = time;
  const sinceMs = presence.goneSince(syndic);
  if (sinceMs === undefined || awayFor(syndic, sinceMs) < lostMs) return;
  outcomes.push({ minion, state: "lost", atMs, sinceMs, note: "its syndic disconnected during the job" });
}

/** Reviews a Brine minion, which acknowledges jobs and is connected while it works on them. */
function reviewBrine(review: Review, job: OpenJob, minion: string, part: TargetPart, time: ReviewTime): void {
  const { outcomes, resend, about, gaveUp } = review;
  const { presence, atMs, lostMs, awayFor } = time;
  const sinceMs = presence.goneSince(minion);
  if (part !== PUBLISHED) {
    if (sinceMs !== undefined && awayFor(minion, sinceMs) >= lostMs) {
      outcomes.push(lost(minion, "the minion disconnected during the job", time));
    } else if (part.unheard === true && time.age >= (part.offerAt ?? 0) && presence.listens(minion)) about.push(minion);
  } else if (gaveUp || wasGivenUp(job, time)) {
    outcomes.push(
      sinceMs !== undefined
        ? lost(minion, "the minion disconnected before it received the job", time)
        : { minion, state: "timed out", atMs, note: "the minion did not acknowledge the job" },
    );
  } else if (sinceMs !== undefined && job.queuedUntilMs !== undefined) {
    outcomes.push({ minion, state: "queued", atMs, untilMs: job.queuedUntilMs, sinceMs, note: SENT_BEFORE });
  } else resend.push(minion);
}

/**
 * True if the delivery time was over before the minion was known to be a Brine minion: it came back to a master that was restarted, and
 * counted as a Salt minion until then.
 */
function wasGivenUp(job: OpenJob, { age }: ReviewTime): boolean {
  return job.giveUpAt === Infinity && age >= job.beginUntil;
}

/** Reviews a Salt minion, which does not acknowledge jobs: it is asked by `saltutil.find_job`. */
function reviewSalt(
  review: Review,
  job: OpenJob,
  minion: string,
  answered: FindJobQuestion | undefined,
  time: ReviewTime,
): void {
  const { outcomes, ask, asking } = review;
  const { presence, atMs } = time;
  if (answered?.ids.has(minion) && !answered.busy.has(minion)) {
    outcomes.push(
      answered.idle.has(minion)
        ? { minion, state: "timed out", atMs, note: "the minion does not run the job" }
        : lost(minion, "the minion does not answer", time),
    );
  } else if (asking && job.lasting) ask.push(minion);
  else if (asking) {
    outcomes.push(
      presence.connected(minion)
        ? { minion, state: "timed out", atMs, note: "the minion did not answer" }
        : lost(minion, "the minion does not answer", time),
    );
  }
}

function lost(minion: string, note: string, { presence, atMs }: ReviewTime): TargetOutcome {
  const sinceMs = presence.goneSince(minion);
  return { minion, state: "lost", atMs, note, ...(sinceMs === undefined ? {} : { sinceMs }) };
}
