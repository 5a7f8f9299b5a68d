import type { Clock } from "../../async/clock.ts";
import { deferred } from "../../async/deferred.ts";
import type { EventBus } from "../../event/bus.ts";
import { jobOutcome } from "../../event/tag.ts";
import { jidMs } from "../../job/jid.ts";
import { type JobCache, type JobLoad, outcomesOf } from "../../job/job_cache.ts";
import { ENDED, type OutcomeState, type TargetOutcome } from "../../job/outcome.ts";
import type { Logger } from "../../log.ts";
import type { Presence } from "../presence.ts";

/** How one target of an open job stands. Those that are only published, or are over, share one object. */
interface Part {
  state: OutcomeState;
  atMs: number;
  /** The age of the ledger at which a queued job is given up; Infinity for those that are not queued. */
  until: number;
  untilMs: number | undefined;
  /** It was sent before its minion was found to be away, and may have been taken. */
  sent?: boolean;
}
const PUBLISHED: Part = { state: "published", atMs: 0, until: Infinity, untilMs: undefined };
const RETURNED: Part = { state: "returned", atMs: 0, until: Infinity, untilMs: undefined };
/** Ended by another outcome: nothing is expected any more, but a return that comes all the same is taken. */
const GIVEN_UP: Part = { state: "lost", atMs: 0, until: Infinity, untilMs: undefined };
const isOver = (part: Part): boolean => part === RETURNED || part === GIVEN_UP;

interface OpenJob {
  jid: string;
  /** Its record is durable: before that nobody may hear of it. */
  recorded: boolean;
  /** As minions get it. */
  load: JobLoad;
  publishedMs: number;
  parts: Map<string, Part>;
  /** Parts that have not ended. */
  open: number;
  /** Published parts of which nothing was heard. */
  silent: number;
  /** All in the ledger's age: when there is something to do next. */
  due: number;
  resendAt: number;
  resendWait: number;
  /** Until when it may be begun by minions that have not had it. */
  beginUntil: number;
  /** When what was not delivered is given up. */
  giveUpAt: number;
  /** Until when it is kept for targets that do not take it, in milliseconds since the epoch; undefined if it is not. */
  queuedUntilMs: number | undefined;
  /** When minions that cannot acknowledge are asked whether they are at it. */
  askAt: number;
  askWait: number;
  /** False for the question itself: it is answered at once or never. */
  lasting: boolean;
  /** Asked, and what they said; undefined while nobody is being asked. */
  asked: { until: number; ids: Set<string>; idle: Set<string>; busy: Set<string> } | undefined;
}

/** What a return, or the question for a job, meets in the ledger. */
export type Standing =
  /** A target that has not returned, whatever is thought to have become of it. */
  | "expected"
  | "returned before"
  | "not a target"
  /** No open job; the job cache may know it. */
  | "closed";

/** What {@link Ledger.open} may be told beyond the job. */
export interface OpenOptions {
  /** Until when it is kept for targets that do not take it (milliseconds since the epoch), and which are known to be away. */
  queued?: { ids: ReadonlySet<string>; untilMs: number };
  /** Of a job that was published before: how its targets stand, and whose return is there. */
  earlier?: { outcomes: readonly TargetOutcome[]; returned: ReadonlySet<string> };
}

export interface LedgerOptions {
  jobs: JobCache;
  clock: Clock;
  log: Logger;
  bus: EventBus;
  presence: Presence;
  /** Publishes to the minions. */
  send(load: JobLoad, ids: readonly string[]): void;
  /**
   * Publishes `saltutil.find_job` for a job; what comes back is told by {@link Ledger.foundJob}. False if that could not be
   * done.
   */
  ask(jid: string, ids: readonly string[]): Promise<boolean>;
  /** Resolves once what was saved is durable; rejects if it was not kept. */
  durable(): Promise<void>;
  /** Milliseconds until a job is sent again to Brine minions that have not acknowledged it; doubled each time. */
  resendMs: number;
  /** Milliseconds after which a job that was not acknowledged is given up. */
  deliveryMs: number;
  /** Milliseconds that a minion may be away while it works on a job. */
  lostMs: number;
  /** Milliseconds for answers to `saltutil.find_job`. */
  gatherMs: number;
}

/** A step of the clock larger than this is a clock that was set, not time that has passed. */
const LARGEST_STEP_MS = 30_000;
const LONGEST_RESEND_MS = 30_000;
const LONGEST_ASK_MS = 600_000;
/** Time for minions to come back to a master that was started anew, before anything is said of those that have not. */
const COME_BACK_MS = 30_000;
/** Note of what is queued though it was published, since its minion was found to be away. */
const SENT_BEFORE = "it was sent before the minion was found to be away";
/** Until minions that could not be asked for a job are asked again. */
const ASK_AGAIN_MS = 5000;

/**
 * The state of every job that has not come to its end: which target has it, who works on it, whom it waits for. What must
 * outlive the master is in the job cache; {@link Ledger.restore} takes it up again.
 *
 * Time is counted in steps of {@link Ledger.tick}, so that a clock that is set makes no job late.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #jobs = new Map<string, OpenJob>();
  /** Jids of which a publication is being put on record, and when that is over. */
  readonly #claims = new Map<string, Promise<void>>();
  /** Outcomes, and ends of jobs, that the job cache has not taken: a full disk must not make them forgotten. */
  #unsaved: { jid: string; outcomes: readonly TargetOutcome[]; settled: boolean }[] = [];
  /** Minion → since when it is away, and the age of the ledger when that was first seen. */
  readonly #away = new Map<string, { sinceMs: number; age: number }>();
  /** Brine minion → the job that it has returned last, and the age of the ledger then. */
  readonly #latest = new Map<string, { jid: string; age: number }>();
  /** Milliseconds that this ledger has lived. */
  #age = 0;
  #tickedMs: number;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#tickedMs = options.clock.now();
  }

  /** Open jobs. */
  get size(): number {
    return this.#jobs.size;
  }

  /** The load of an open job, as minions get it. */
  loadOf(jid: string): JobLoad | undefined {
    return this.#jobs.get(jid)?.load;
  }

  /**
   * Keeps a jid to one publication at a time, until the function that this gives is called: two that ask for the same must
   * not both find it free.
   */
  async claim(jid: string): Promise<() => void> {
    for (let other = this.#claims.get(jid); other !== undefined; other = this.#claims.get(jid)) await other;
    const over = deferred<void>();
    this.#claims.set(jid, over.promise);
    return () => {
      this.#claims.delete(jid);
      over.resolve();
    };
  }

  /**
   * Takes up a job that has just been saved. {@link Ledger.confirm} says that its record is durable; the function that this
   * gives undoes it if it could not be made so. The load of a job that is open already is never changed.
   */
  open(jid: string, load: JobLoad, minions: readonly string[], { queued, earlier }: OpenOptions = {}): () => void {
    const { clock, jobs } = this.#options;
    const now = clock.now();
    const known = this.#jobs.get(jid);
    const job = this.#newJob(jid, known?.load ?? load, now);
    job.recorded = false;
    // The same job goes out to more targets: a batch may do that.
    if (known !== undefined) {
      const { open, silent } = known;
      Object.assign(job, { parts: new Map(known.parts), open, silent, asked: known.asked });
    } else {
      for (const { minion } of earlier?.outcomes ?? []) {
        job.parts.set(minion, earlier!.returned.has(minion) ? RETURNED : GIVEN_UP);
      }
    }
    if (queued !== undefined) this.#keep(job, queued.untilMs);
    const outcomes = new Map<string, TargetOutcome>();
    const again = new Set<string>();
    for (const id of minions) {
      const before = job.parts.get(id);
      if (before !== undefined && before !== GIVEN_UP) continue;
      if (before === GIVEN_UP) {
        again.add(id);
        outcomes.set(id, { minion: id, state: "published", atMs: now });
      }
      job.parts.set(id, PUBLISHED);
      job.open++;
      job.silent++;
    }
    for (const minion of queued?.ids ?? []) {
      if (job.parts.get(minion) !== PUBLISHED) continue;
      this.#move(job, minion, this.#queuedPart(now, queued!.untilMs));
      outcomes.set(minion, { minion, state: "queued", atMs: now, untilMs: queued!.untilMs });
    }
    if (outcomes.size > 0) void jobs.saveOutcomes(jid, [...outcomes.values()]);
    this.#jobs.set(jid, job);
    this.#schedule(job);
    return () => {
      if (known === undefined) {
        this.#jobs.delete(jid);
        return;
      }
      // What has become of the earlier targets meanwhile is true all the same.
      for (const id of known.parts.keys()) if (!again.has(id)) this.#move(known, id, job.parts.get(id)!);
      this.#jobs.set(jid, known);
      this.#schedule(known);
    };
  }

  /** The record of a job is durable: it may be told of from now on. */
  confirm(jid: string): void {
    const job = this.#jobs.get(jid);
    if (job === undefined) return;
    job.recorded = true;
    if (job.open === 0) this.#close(job);
  }

  #newJob(jid: string, load: JobLoad, publishedMs: number): OpenJob {
    const { resendMs, deliveryMs } = this.#options;
    return {
      jid,
      recorded: true,
      load,
      publishedMs,
      parts: new Map(),
      open: 0,
      silent: 0,
      due: Infinity,
      resendAt: this.#age + resendMs,
      resendWait: resendMs,
      beginUntil: this.#age + deliveryMs,
      giveUpAt: this.#age + deliveryMs,
      queuedUntilMs: undefined,
      askAt: this.#age + deliveryMs,
      askWait: deliveryMs,
      lasting: load.fun !== "saltutil.find_job",
      asked: undefined,
    };
  }

  /** The age of the ledger at a time, in milliseconds since the epoch; now if that has passed. */
  #ageAt(ms: number): number {
    return this.#age + Math.max(0, ms - this.#options.clock.now());
  }

  #queuedPart(atMs: number, untilMs: number, sent = false): Part {
    return { state: "queued", atMs, until: this.#ageAt(untilMs), untilMs, sent };
  }

  /** A queued job waits for all of its targets: that one seems to be there is no proof that it is. */
  #keep(job: OpenJob, untilMs: number): void {
    job.queuedUntilMs = untilMs;
    job.beginUntil = Math.max(job.beginUntil, this.#ageAt(untilMs));
    job.giveUpAt = Math.max(job.giveUpAt, job.beginUntil);
  }

  /** Takes up what an earlier master has left open. Resolves to how many jobs that are. */
  async restore(): Promise<number> {
    const { jobs, clock, deliveryMs } = this.#options;
    for (const jid of await jobs.unsettled()) {
      const stored = await jobs.load(jid);
      if (stored === undefined) continue;
      const { cmd: _cmd, kwargs: _kwargs, ...load } = stored;
      const publishedMs = jidMs(jid);
      const job = this.#newJob(jid, load, publishedMs);
      for (const { minion, state, atMs, untilMs, note } of await outcomesOf(jobs, jid, publishedMs)) {
        let part: Part = RETURNED;
        if (state === "published") part = PUBLISHED;
        else if (state === "started") part = { state, atMs, until: Infinity, untilMs: undefined };
        else if (state === "queued") part = this.#queuedPart(atMs, untilMs ?? atMs, note === SENT_BEFORE);
        else if (ENDED.has(state) && !await jobs.hasReturn(jid, minion)) part = GIVEN_UP;
        job.parts.set(minion, part);
        if (!isOver(part)) job.open++;
        if (part === PUBLISHED) job.silent++;
      }
      if (job.open === 0) {
        this.#record(jid, [], true);
        continue;
      }
      // The time in which it may be begun went on while there was no master; but what was begun is to be heard first.
      const passed = Math.min(Math.max(0, clock.now() - publishedMs), deliveryMs);
      job.beginUntil -= passed;
      job.giveUpAt = job.askAt = this.#age + Math.max(deliveryMs - passed, Math.min(deliveryMs, COME_BACK_MS));
      const { queue } = (stored.kwargs ?? {}) as { queue?: unknown };
      if (typeof queue === "number" && queue > 0) this.#keep(job, publishedMs + queue * 1000);
      this.#jobs.set(jid, job);
      this.#schedule(job);
    }
    return this.#jobs.size;
  }

  standing(jid: string, id: string): Standing {
    const job = this.#jobs.get(jid);
    // Of a job that is only being put on record nobody can have heard.
    if (job === undefined) return this.#claims.has(jid) ? "not a target" : "closed";
    const part = job.parts.get(id);
    if (part === undefined) return "not a target";
    return part === RETURNED ? "returned before" : "expected";
  }

  /** True if that target has not come to its end: not by a return, nor by being given up or cancelled. */
  awaitsEnd(jid: string, id: string): boolean {
    const part = this.#jobs.get(jid)?.parts.get(id);
    return part !== undefined && !isOver(part);
  }

  /** More targets of a job, as a syndic reports them. */
  join(jid: string, ids: readonly string[]): void {
    const job = this.#jobs.get(jid);
    if (job === undefined) return;
    for (const id of ids) {
      if (job.parts.has(id)) continue;
      job.parts.set(id, PUBLISHED);
      job.open++;
      job.silent++;
    }
  }

  /** A return has come, and is being stored; the function takes that back if it could not be. */
  returned(jid: string, id: string): () => void {
    const job = this.#jobs.get(jid);
    const before = job?.parts.get(id);
    if (job === undefined || before === undefined || before === RETURNED) return () => {};
    this.#move(job, id, RETURNED);
    const latest = this.#latest.get(id);
    if (latest !== undefined) Object.assign(latest, { jid, age: this.#age });
    else if (this.#options.presence.isBrine(id)) this.#latest.set(id, { jid, age: this.#age });
    // What was said of it before must not be found any more.
    if (before !== PUBLISHED) {
      this.#record(jid, [{ minion: id, state: "returned", atMs: this.#options.clock.now() }], false);
    }
    return () => {
      // The job may have been closed by the others meanwhile, or published to more.
      const now = this.#jobs.get(jid) ?? job;
      this.#move(now, id, before);
      this.#jobs.set(jid, now);
      this.#schedule(now);
    };
  }

  /** To be called when a return is safe: closes the job if it was the last. */
  stored(jid: string): void {
    const job = this.#jobs.get(jid);
    if (job !== undefined && job.open === 0 && job.recorded) this.#close(job);
  }

  #close(job: OpenJob): void {
    this.#jobs.delete(job.jid);
    this.#record(job.jid, [], true);
  }

  /** Saves what became of targets; what the job cache does not take is saved with a later tick. */
  #record(jid: string, outcomes: readonly TargetOutcome[], settled: boolean): void {
    const { jobs, durable } = this.#options;
    const again = () => void this.#unsaved.push({ jid, outcomes, settled });
    try {
      const saving = [
        outcomes.length > 0 ? jobs.saveOutcomes(jid, outcomes) : undefined,
        settled ? jobs.settle(jid) : undefined,
      ];
      Promise.all([...saving, durable()]).catch(again);
    } catch {
      // Whoever saves in the same turn must hear of it, too, and the next turn begin afresh.
      durable().catch(() => {});
      again();
    }
  }

  #saveAgain(): void {
    for (const { jid, outcomes, settled } of this.#unsaved.splice(0)) {
      const job = this.#jobs.get(jid);
      // What has come since was saved since.
      const valid = outcomes.filter(({ minion, state }) => {
        const part = job?.parts.get(minion);
        return job === undefined ? ENDED.has(state) : part === GIVEN_UP ? ENDED.has(state) : part?.state === state;
      });
      if (valid.length > 0 || settled && job === undefined) this.#record(jid, valid, settled && job === undefined);
    }
  }

  #move(job: OpenJob, id: string, part: Part): void {
    const before = job.parts.get(id)!;
    if (!isOver(before)) job.open--;
    if (before === PUBLISHED) job.silent--;
    job.parts.set(id, part);
    if (!isOver(part)) job.open++;
    if (part === PUBLISHED) job.silent++;
  }

  /** A part has come to another state than by a return. */
  #turn(job: OpenJob, outcomes: readonly TargetOutcome[]): void {
    if (outcomes.length === 0) return;
    const { bus, log } = this.#options;
    for (const outcome of outcomes) {
      const { minion, state, atMs } = outcome;
      const ended = ENDED.has(state);
      let part: Part = ended ? GIVEN_UP : { state, atMs, until: Infinity, untilMs: undefined };
      if (state === "queued") part = this.#queuedPart(atMs, outcome.untilMs ?? atMs, outcome.note === SENT_BEFORE);
      this.#move(job, minion, part);
      if (ended) log.info("target without a return", { jid: job.jid, id: minion, outcome: state, note: outcome.note });
      bus.fire(jobOutcome(job.jid, minion), { jid: job.jid, id: minion, ...shown(outcome) });
    }
    this.#record(job.jid, outcomes, false);
    if (job.open === 0 && job.recorded) this.#close(job);
    else this.#schedule(job);
  }

  /** A minion says that it has a job and works on it. */
  started(jid: string, id: string): void {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(id);
    if (job === undefined || part === undefined || isOver(part) || part.state === "started") return;
    this.#turn(job, [{ minion: id, state: "started", atMs: this.#options.clock.now() }]);
  }

  /** A minion says that a job was ended there by an operator, and will not return. */
  cancelled(jid: string, id: string, note: string): void {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(id);
    if (job === undefined || part === undefined || isOver(part)) return;
    this.#turn(job, [{ minion: id, state: "cancelled", atMs: this.#options.clock.now(), note }]);
  }

  /** An answer to `saltutil.find_job`, whoever asked. */
  foundJob(jid: string, id: string, busy: boolean): void {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(id);
    if (job === undefined || part === undefined || isOver(part)) return;
    if (busy) this.started(jid, id);
    job.asked?.[busy ? "busy" : "idle"].add(id);
  }

  /**
   * A Brine minion is there and says what it is at; gives the jobs that it should have, oldest first.
   *
   * @param known jids that it works on, or whose return it is about to hand in
   * @param complete false if the minion has acknowledged other jobs since it made that list
   */
  present(id: string, known: ReadonlySet<string>, { complete = true }: { complete?: boolean } = {}): JobLoad[] {
    const { clock } = this.#options;
    const found: JobLoad[] = [];
    for (const job of [...this.#jobs.values()].sort((a, b) => a.jid < b.jid ? -1 : 1)) {
      const part = job.parts.get(id);
      if (part === undefined || isOver(part) || !job.recorded) continue;
      const atMs = clock.now();
      if (known.has(job.jid)) this.started(job.jid, id);
      else if (part.state === "started") {
        if (complete) {
          this.#turn(job, [{ minion: id, state: "lost", atMs, note: "the minion no longer knows the job" }]);
        }
      } else if (part.state === "queued") found.push(addressed(job.load, id, true));
      // What was published long ago is not begun any more; the minion's part ends with the next tick.
      else if (this.#age < job.beginUntil) found.push(addressed(job.load, id, job.queuedUntilMs !== undefined));
    }
    return found;
  }

  /** The queued jobs of a minion that does not ask for them: they count as published from then on. */
  take(id: string): JobLoad[] {
    const found: JobLoad[] = [];
    for (const job of [...this.#jobs.values()].sort((a, b) => a.jid < b.jid ? -1 : 1)) {
      if (job.parts.get(id)?.state !== "queued" || !job.recorded) continue;
      found.push(addressed(job.load, id, true));
      job.beginUntil = job.giveUpAt = job.askAt = this.#age + this.#options.deliveryMs;
      this.#turn(job, [{ minion: id, state: "published", atMs: this.#options.clock.now() }]);
    }
    return found;
  }

  /** True if something is queued for that minion. */
  awaits(id: string): boolean {
    for (const { parts } of this.#jobs.values()) if (parts.get(id)?.state === "queued") return true;
    return false;
  }

  /** Cancels what is queued of a job, for one minion or all; whose part that ended. */
  dequeue(jid: string, minion?: string): string[] {
    const job = this.#jobs.get(jid);
    if (job === undefined) return [];
    const ids = [...job.parts].filter(([id, { state }]) => state === "queued" && (minion ?? id) === id)
      .map(([id]) => id);
    const atMs = this.#options.clock.now();
    this.#turn(
      job,
      ids.map((minion): TargetOutcome => ({ minion, state: "cancelled", atMs, note: "taken from the queue" })),
    );
    return ids;
  }

  /** How every target of a job stands now: what is saved, and what only this master knows. */
  async outcomes(jid: string): Promise<TargetOutcome[]> {
    const { jobs, presence } = this.#options;
    return (await outcomesOf(jobs, jid, jidMs(jid))).map((outcome) => {
      const sinceMs = presence.goneSince(outcome.minion);
      if (sinceMs === undefined || ENDED.has(outcome.state)) return outcome;
      return { ...outcome, sinceMs, note: "the minion is not connected" };
    });
  }

  /** To be called about once a second. */
  tick(): void {
    const now = this.#options.clock.now();
    const step = now - this.#tickedMs;
    this.#tickedMs = now;
    this.#age += step >= 0 && step <= LARGEST_STEP_MS ? step : 1000;
    if (this.#unsaved.length > 0) this.#saveAgain();
    for (const job of [...this.#jobs.values()]) if (job.due <= this.#age && job.recorded) this.#look(job);
  }

  /** Milliseconds that a minion has been away, by the age of the ledger. */
  #awayFor(id: string, sinceMs: number): number {
    const known = this.#away.get(id);
    if (known?.sinceMs === sinceMs) return this.#age - known.age;
    this.#away.set(id, { sinceMs, age: this.#age });
    return 0;
  }

  /** It works through what was published before: publications come in order, and the turn of this one is to come. */
  #inLine(jid: string, id: string): boolean {
    const latest = this.#latest.get(id);
    return latest !== undefined && this.#age - latest.age < this.#options.resendMs && latest.jid < jid;
  }

  #schedule(job: OpenJob): void {
    let due = Infinity;
    for (const { until } of job.parts.values()) if (until < due) due = until;
    if (job.silent > 0) due = Math.min(due, job.resendAt, job.giveUpAt);
    if (job.asked !== undefined) due = Math.min(due, job.asked.until);
    // Those that cannot tell us are asked; those that have begun may be lost.
    if (job.open > 0) due = Math.min(due, job.askAt);
    if (job.open > job.silent) due = Math.min(due, this.#age + 5000);
    job.due = due;
  }

  #look(job: OpenJob): void {
    const { presence, clock, deliveryMs, lostMs, gatherMs, resendMs } = this.#options;
    const atMs = clock.now();
    const ended: TargetOutcome[] = [];
    const kept: TargetOutcome[] = [];
    const resend: string[] = [];
    const ask: string[] = [];
    const answered = job.asked !== undefined && this.#age >= job.asked.until ? job.asked : undefined;
    const giveUp = this.#age >= job.giveUpAt;
    const asking = job.asked === undefined && this.#age >= job.askAt;
    const gone = (minion: string, note: string) => {
      const sinceMs = presence.goneSince(minion);
      ended.push({ minion, state: "lost", atMs, note, ...(sinceMs === undefined ? {} : { sinceMs }) });
    };
    for (const [minion, part] of job.parts) {
      if (isOver(part)) continue;
      const isBrine = presence.isBrine(minion);
      if (part.state === "queued") {
        if (this.#age >= part.until && part.sent === true) gone(minion, "the minion was gone before it had the job");
        else if (this.#age >= part.until) {
          ended.push({ minion, state: "expired", atMs, note: "the minion did not come back in time" });
        }
      } else if (isBrine) {
        const since = presence.goneSince(minion);
        if (part === PUBLISHED && giveUp) {
          if (since !== undefined) gone(minion, "the minion was gone before it had the job");
          else ended.push({ minion, state: "timed out", atMs, note: "the minion did not acknowledge the job" });
        } else if (part === PUBLISHED && since !== undefined && job.queuedUntilMs !== undefined) {
          kept.push({ minion, state: "queued", atMs, untilMs: job.queuedUntilMs, sinceMs: since, note: SENT_BEFORE });
        } else if (part === PUBLISHED) resend.push(minion);
        else if (since !== undefined && this.#awayFor(minion, since) >= lostMs) {
          gone(minion, "the minion went away during the job");
        }
      } else if (answered?.ids.has(minion) && !answered.busy.has(minion)) {
        if (answered.idle.has(minion)) {
          ended.push({ minion, state: "timed out", atMs, note: "the minion does not work on the job" });
        } else gone(minion, "the minion does not answer");
      } else if (asking && job.lasting) ask.push(minion);
      else if (asking) {
        if (presence.connected(minion)) {
          ended.push({ minion, state: "timed out", atMs, note: "the minion did not answer" });
        } else gone(minion, "the minion does not answer");
      }
    }
    if (answered !== undefined) job.asked = undefined;
    if (job.silent > 0 && this.#age >= job.resendAt) {
      job.resendWait = Math.min(job.resendWait * 2, Math.max(LONGEST_RESEND_MS, resendMs));
      job.resendAt = this.#age + job.resendWait;
      const there = this.#age < job.beginUntil
        ? resend.filter((id) => presence.connected(id) && !this.#inLine(job.jid, id))
        : [];
      if (there.length > 0) {
        this.#options.log.info("job sent again: not acknowledged", { jid: job.jid, minions: there.length });
        this.#options.send({ ...job.load, tgt: there, tgt_type: "list" }, there);
      }
    }
    if (asking) {
      job.askWait = Math.min(job.askWait * 2, Math.max(LONGEST_ASK_MS, deliveryMs));
      job.askAt = this.#age + job.askWait;
      if (ask.length > 0) {
        const asked = {
          until: this.#age + gatherMs,
          ids: new Set(ask),
          idle: new Set<string>(),
          busy: new Set<string>(),
        };
        job.asked = asked;
        void this.#options.ask(job.jid, ask).then((sent) => {
          if (sent || job.asked !== asked) return;
          // Nothing follows from the silence of those whom nobody has asked.
          job.asked = undefined;
          job.askAt = this.#age + ASK_AGAIN_MS;
          this.#schedule(job);
        });
      }
    }
    if (giveUp) job.giveUpAt = Infinity;
    if (ended.length + kept.length > 0) this.#turn(job, [...ended, ...kept]);
    else this.#schedule(job);
  }
}

/** A publication for one minion alone. */
function addressed(load: JobLoad, id: string, queued: boolean): JobLoad {
  const addressed: JobLoad = { ...load, tgt: [id], tgt_type: "list" };
  if (queued) addressed.delivery = { ...(load.delivery as Record<string, unknown> | undefined), queued: true };
  return addressed;
}

/** An outcome as events and answers carry it: times in seconds since the epoch. */
export function shown({ state, atMs, untilMs, sinceMs, retcode, note }: TargetOutcome): Record<string, unknown> {
  return {
    outcome: state,
    at: Math.floor(atMs / 1000),
    ...(untilMs === undefined ? {} : { until: Math.floor(untilMs / 1000) }),
    ...(sinceMs === undefined ? {} : { since: Math.floor(sinceMs / 1000) }),
    ...(retcode === undefined ? {} : { retcode }),
    ...(note === undefined ? {} : { note }),
  };
}
