import type { JobLoad } from "../../../model/job/job_cache.ts";
import type { JobOwner } from "../../../model/job/job_owner.ts";
import type { OutcomeState } from "../../../model/job/outcome.ts";

/** How one target of an open job stands. Targets that are only published, or have ended, share one object. */
export interface Part {
  state: OutcomeState;
  atMs: number;
  /** The age of the ledger at which a queued job is given up; Infinity for those that are not queued. */
  until: number;
  untilMs: number | undefined;
  /** A queued job that its minion may have: that was noted when it asked for it, or it was found to be away after it was sent. */
  sent?: boolean;
  /** Settles when the record that the minion may have the job is stored, or its first attempt failed. */
  noting?: Promise<void>;
  /** Its minion takes jobs, and it was not in the answer to its question: it is sent once that is noted. */
  late?: boolean;
  /** The age of the ledger at which it is sent again to a minion that takes jobs and has not said that it has it. */
  offerAt?: number;
  offerWait?: number;
  /** The age of the ledger until which the minion may say that it has it: an earlier process may not have heard that. */
  hearUntil?: number;
  /** It has begun by what an earlier process or master has written down: its minion has not said so to this one. */
  unheard?: boolean;
  /** It runs, and its minion has no record of that: see `BEGUN_UNWRITTEN`. */
  begun?: boolean;
}
export const PUBLISHED: Part = { state: "published", atMs: 0, until: Infinity, untilMs: undefined };
export const RETURNED: Part = { state: "returned", atMs: 0, until: Infinity, untilMs: undefined };
/** Ended by another outcome: nothing is expected any more, but a return that comes all the same is taken. */
export const GIVEN_UP: Part = { state: "lost", atMs: 0, until: Infinity, untilMs: undefined };

export const isOver = (part: Part): boolean => part === RETURNED || part === GIVEN_UP;

/** Minions that were asked by `saltutil.find_job` whether they work on a job, and how they answered. */
export interface FindJobQuestion {
  /** The age of the ledger at which the answers are evaluated. */
  until: number;
  ids: Set<string>;
  idle: Set<string>;
  busy: Set<string>;
}

/** After how many milliseconds a job is looked at again while some of its targets have begun: they may be lost. */
const RECHECK_MS = 5000;

/**
 * A job that has not ended, with the state of each target. Unless a name ends in `Ms`, times are in milliseconds of the
 * ledger's age.
 */
export class OpenJob {
  readonly jid: string;
  /** The load in the form that minions receive. */
  readonly load: JobLoad;
  /** False until its record is durable: before that no minion and no client may learn of it. */
  recorded = true;
  parts = new Map<string, Part>();
  /** Parts that have not ended. */
  open = 0;
  /** Parts that are published, of which nothing was heard. */
  silent = 0;
  /** Parts that are queued. */
  queued = 0;
  /** Returns that an earlier process has stored, and that are still to be announced. */
  untold = 0;
  /** When there is something to do next. */
  due = Infinity;
  resendAt: number;
  resendWait: number;
  /** Until when it may be begun by minions that have not received it. */
  beginUntil: number;
  /** When what was not delivered is given up. */
  giveUpAt: number;
  /** Until when it is kept for targets that do not take it, in milliseconds since the epoch; undefined if it is not. */
  queuedUntilMs: number | undefined;
  /** When minions that cannot acknowledge are asked whether they work on it. */
  askAt: number;
  askWait: number;
  /** False for `saltutil.find_job` itself: it is answered at once or never. */
  readonly lasting: boolean;
  asked: FindJobQuestion | undefined;
  /** Syndics that received it and have not said which minions they have for it. */
  awaited = new Set<string>();
  /** Who has published it, where that has to be asked again before it is delivered. */
  owner: JobOwner | undefined;
  /** Targets that it may be delivered to by that, and the age of the ledger when that was asked. */
  allowed = new Map<string, number>();
  /** Which syndic has named a target; those that are minions of this master have none. */
  via = new Map<string, string>();

  /** @param now the age of the ledger */
  constructor(jid: string, load: JobLoad, now: number, { resendMs, deliveryMs }: JobTimes) {
    this.jid = jid;
    this.load = load;
    this.resendAt = now + resendMs;
    this.resendWait = resendMs;
    this.beginUntil = this.giveUpAt = this.askAt = now + deliveryMs;
    this.askWait = deliveryMs;
    this.lasting = load.fun !== "saltutil.find_job";
  }

  /** Takes over the targets of the same job, which was published before. */
  inherit({ parts, open, silent, queued, untold, asked, awaited, via, owner }: OpenJob): void {
    this.owner = owner;
    this.untold = untold;
    this.awaited = new Set(awaited);
    this.via = new Map(via);
    this.parts = new Map(parts);
    this.open = open;
    this.silent = silent;
    this.queued = queued;
    this.asked = asked;
  }

  /** True once nothing more is expected, neither of a target nor of a syndic, and all is announced. */
  get over(): boolean {
    return this.open === 0 && this.awaited.size === 0 && this.untold === 0;
  }

  /** Adds a target, or changes how it stands. */
  move(id: string, part: Part): void {
    const before = this.parts.get(id);
    if (before !== undefined && !isOver(before)) this.open--;
    if (before === PUBLISHED) this.silent--;
    if (before?.state === "queued") this.queued--;
    this.parts.set(id, part);
    if (!isOver(part)) this.open++;
    if (part === PUBLISHED) this.silent++;
    if (part.state === "queued") this.queued++;
  }

  /** A queued job waits for all of its targets: a connection is no proof that its minion is still there. */
  keepUntil(untilMs: number, until: number): void {
    this.queuedUntilMs = untilMs;
    this.beginUntil = Math.max(this.beginUntil, until);
    this.giveUpAt = Math.max(this.giveUpAt, this.beginUntil);
  }

  /** Works out when there is something to do next. @param now the age of the ledger */
  schedule(now: number): void {
    let due = Infinity;
    for (const { until } of this.parts.values()) if (until < due) due = until;
    if (this.silent > 0) due = Math.min(due, this.resendAt, this.giveUpAt);
    if (this.awaited.size > 0) due = Math.min(due, this.giveUpAt);
    if (this.asked !== undefined) due = Math.min(due, this.asked.until);
    if (this.open > 0) due = Math.min(due, this.askAt);
    if (this.open > this.silent) due = Math.min(due, now + RECHECK_MS);
    this.due = due;
  }
}

/** How long the master waits for the minions of a job, in milliseconds. */
export interface JobTimes {
  /** Until a job is sent again to Brine minions that have not acknowledged it; doubled each time. */
  resendMs: number;
  /** After which a job that was not acknowledged is given up. */
  deliveryMs: number;
  /** That a minion may be away while it works on a job. */
  lostMs: number;
  /** For answers to `saltutil.find_job`. */
  gatherMs: number;
}
