import type { JobLoad, JobOwner } from "../../../model/job/job_cache.ts";
import type { OutcomeState } from "../../../model/job/outcome.ts";

/** The state of one target of an open job. Targets that are only published, or have ended, share one object. */
export interface TargetPart {
  state: OutcomeState;
  atMs: number;
  /** The age of the ledger at which a queued job is given up; Infinity if it is not queued. */
  until: number;
  untilMs: number | undefined;
  /** True if the minion may have the queued job: the minion has asked for it, or was found to be away after it was sent. */
  sent?: boolean;
  /** Settles when the record that the minion may have the job is stored, or its first attempt failed. */
  noting?: Promise<void>;
  /** True if the minion takes jobs and its answer did not have this job: the job is sent once the record is on the disk. */
  late?: boolean;
  /** The age of the ledger at which the job is sent again to a minion that takes jobs and has not acknowledged it. */
  offerAt?: number;
  offerWait?: number;
  /** The age of the ledger until which the minion may still say that it has the job: an earlier process may have missed that. */
  hearUntil?: number;
  /** True if the job has begun by the records of an earlier process or master, but the minion has not told this one so. */
  unheard?: boolean;
  /** True if the job runs and its minion has no record of that: see `BEGUN_UNWRITTEN`. */
  begun?: boolean;
}
export const PUBLISHED: TargetPart = { state: "published", atMs: 0, until: Infinity, untilMs: undefined };
export const RETURNED: TargetPart = { state: "returned", atMs: 0, until: Infinity, untilMs: undefined };
/** A target that was given up: nothing more is expected, but a return that comes all the same is taken. */
export const GIVEN_UP: TargetPart = { state: "lost", atMs: 0, until: Infinity, untilMs: undefined };

export const isOver = (part: TargetPart): boolean => part === RETURNED || part === GIVEN_UP;

/** Minions that were asked by `saltutil.find_job` whether they work on a job, and how they answered. */
export interface FindJobQuestion {
  /** The age of the ledger at which the answers are evaluated. */
  until: number;
  ids: Set<string>;
  idle: Set<string>;
  busy: Set<string>;
}

/** How often a job is reviewed while some of its targets have begun, in milliseconds: they may be lost. */
const RECHECK_MS = 5000;

/**
 * A job that has not ended, with the state of each target. Unless a name ends in `Ms`, times are in milliseconds of the
 * ledger's age.
 */
export class OpenJob {
  readonly jid: string;
  /** The load in the form that minions receive. */
  readonly load: JobLoad;
  /** False until the job's record is durable: before that no minion and no client may learn of the job. */
  recorded = true;
  parts = new Map<string, TargetPart>();
  /** The number of targets that have not ended. */
  open = 0;
  /** The number of targets that the job was published to and that have not been heard of. */
  silent = 0;
  queued = 0;
  /** The number of returns that an earlier process has stored and that must still be announced. */
  untold = 0;
  /** When the job must be reviewed next. */
  due = Infinity;
  resendAt: number;
  resendWait: number;
  /** Until when minions that have not received the job may begin it. */
  beginUntil: number;
  /** When targets that the job was not delivered to are given up. */
  giveUpAt: number;
  /** Until when the job is kept for targets that are away, in milliseconds since the epoch; undefined if it is not kept. */
  queuedUntilMs: number | undefined;
  /** When minions that cannot acknowledge jobs are asked whether they work on this one. */
  askAt: number;
  askWait: number;
  /** False for `saltutil.find_job` itself, which is answered at once or never. */
  readonly lasting: boolean;
  asked: FindJobQuestion | undefined;
  /** The syndics that received the job and have not named their minions for it. */
  awaited = new Set<string>();
  /** The user who has published the job, if that user's rights must be checked again before delivery. */
  owner: JobOwner | undefined;
  /** The targets that the owner's rights allow, and the age of the ledger when each was checked. */
  allowed = new Map<string, number>();
  /** Target → the syndic that has named it; minions of this master have none. */
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

  /** True once no target and no syndic is awaited and all returns are announced. */
  get over(): boolean {
    return this.open === 0 && this.awaited.size === 0 && this.untold === 0;
  }

  /** Adds a target, or changes its state. */
  move(id: string, part: TargetPart): void {
    const before = this.parts.get(id);
    if (before !== undefined && !isOver(before)) this.open--;
    if (before === PUBLISHED) this.silent--;
    if (before?.state === "queued") this.queued--;
    this.parts.set(id, part);
    if (!isOver(part)) this.open++;
    if (part === PUBLISHED) this.silent++;
    if (part.state === "queued") this.queued++;
  }

  /** Keeps a queued job for all of its targets: a connection does not prove that the minion is still there. */
  keepUntil(untilMs: number, until: number): void {
    this.queuedUntilMs = untilMs;
    this.beginUntil = Math.max(this.beginUntil, until);
    this.giveUpAt = Math.max(this.giveUpAt, this.beginUntil);
  }

  /** Works out when the job must be reviewed next. @param now the age of the ledger */
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
  /** The time until a job is sent again to Brine minions that have not acknowledged it; it doubles each time. */
  resendMs: number;
  /** The time after which a job that was not acknowledged is given up. */
  deliveryMs: number;
  /** How long a minion may be away while it works on a job. */
  lostMs: number;
  /** How long the master waits for answers to `saltutil.find_job`. */
  gatherMs: number;
}
