import type { TargetOutcome } from "../../../model/job/outcome.ts";
import type { Presence } from "../presence.ts";
import type { Syndics } from "../syndics.ts";
import { type FindJobQuestion, isOver, type OpenJob, type Part, PUBLISHED } from "./open_job.ts";

/** Note of an outcome that is queued though it was published, since its minion was found to be away. */
export const SENT_BEFORE = "it was sent before the minion was known to be offline";
/** Note of an outcome that is queued though its minion may have the job: it has asked for it, and has not acknowledged it yet. */
export const ASKED_FOR = "the minion has asked for it";

/** The moment at which a job is reviewed. */
export interface ReviewTime {
  presence: Presence;
  /** Syndics that report how each of their minions stands. */
  syndics: Pick<Syndics, "isReporting">;
  /** The age of the ledger. */
  age: number;
  /** Milliseconds since the epoch. */
  atMs: number;
  lostMs: number;
  /** Milliseconds that a minion has been away. */
  awayFor(id: string, sinceMs: number): number;
}

/** What is to be done about the targets of a job. */
export interface Review {
  /** Targets that end without a return, or are put back into the queue. */
  outcomes: TargetOutcome[];
  /** Brine minions that have not acknowledged the job. */
  resend: string[];
  /** Minions that take jobs and have not got what is queued for them. */
  offer: string[];
  /** Minions that have begun it, as far as is written down, and have not said so to this master. */
  about: string[];
  /** Minions that cannot acknowledge: to be asked by `saltutil.find_job`. */
  ask: string[];
  /** True if the delivery time is over. */
  gaveUp: boolean;
  /** True if it is time to ask. */
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

function reviewQueued({ outcomes, offer }: Review, minion: string, part: Part, time: ReviewTime): void {
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

/** What becomes of a minion below a Brine syndic is reported by it; nothing is heard while the syndic is away. */
function reviewBelow({ outcomes }: Review, minion: string, syndic: string, time: ReviewTime): void {
  const { presence, atMs, lostMs, awayFor } = time;
  const sinceMs = presence.goneSince(syndic);
  if (sinceMs === undefined || awayFor(syndic, sinceMs) < lostMs) return;
  outcomes.push({ minion, state: "lost", atMs, sinceMs, note: "its syndic disconnected during the job" });
}

/** A Brine minion acknowledges jobs, and is connected while it works on them. */
function reviewBrine(review: Review, job: OpenJob, minion: string, part: Part, time: ReviewTime): void {
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
 * True if the delivery time was over before the minion was known to be Brine's: it came back to a master that was restarted, and
 * counted as one of real Salt's until then.
 */
function wasGivenUp(job: OpenJob, { age }: ReviewTime): boolean {
  return job.giveUpAt === Infinity && age >= job.beginUntil;
}

/** A minion of real Salt does not acknowledge: it is asked by `saltutil.find_job`. */
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
