import type { Clock } from "../../../base/async/clock.ts";
import type { EventBus } from "../../../model/event/bus.ts";
import { jobOutcome } from "../../../model/event/tag.ts";
import { jidMs } from "../../../model/job/jid.ts";
import { messageOf, ProtocolError } from "../../../base/errors.ts";
import type { JobCache, JobLoad, JobOwner } from "../../../model/job/job_cache.ts";
import { mergeOutcomes, outcomesOf, returnedOf, storedOwner } from "../../../model/job/job_cache.ts";
import type { OutcomeState, TargetOutcome } from "../../../model/job/outcome.ts";
import { BEGUN_UNWRITTEN, ENDED, outcomeFields } from "../../../model/job/outcome.ts";
import type { Logger } from "../../../base/log.ts";
import type { Presence } from "../presence.ts";
import type { Syndics } from "../syndics.ts";
import { ASKED_FOR, reviewJob, SENT_BEFORE } from "./job_review.ts";
import { GIVEN_UP, isOver, type JobTimes, OpenJob, PUBLISHED, RETURNED, type TargetPart } from "./open_job.ts";
import { OutcomeStore } from "./outcome_store.ts";
import { deferred } from "../../../base/async/deferred.ts";

/** Gives each jid to one publication at a time: two publications that ask for the same jid must not both find it free. */
class JidClaims {
  /** The jids that are being recorded; each promise resolves when the record is written. */
  readonly #claims = new Map<string, Promise<void>>();

  has(jid: string): boolean {
    return this.#claims.has(jid);
  }

  /** Waits until the jid is free. @returns the function that releases it */
  async claim(jid: string): Promise<() => void> {
    for (let other = this.#claims.get(jid); other !== undefined; other = this.#claims.get(jid)) await other;
    const over = deferred<void>();
    this.#claims.set(jid, over.promise);
    return () => {
      this.#claims.delete(jid);
      over.resolve();
    };
  }
}

/** The relation of a minion to a job, by the ledger. */
type Standing =
  /** A target that has not returned, even if it was given up. */
  | "expected"
  | "returned before"
  | "not a target"
  /** The job is not open; the job cache may know it. */
  | "closed";

/** Options of {@link Ledger.open}. */
interface OpenOptions {
  /** Until when the job is kept for targets that are away (milliseconds since the epoch), and the targets known to be away. */
  queued?: { ids: ReadonlySet<string>; untilMs: number };
  /** For a job that was published before: the outcomes of its targets, and the minions that have returned. */
  earlier?: { outcomes: readonly TargetOutcome[]; returned: ReadonlySet<string> };
  /** The syndics that receive the job: it stays open until each has named its minions for the job, or the time is up. */
  syndics?: readonly string[];
  /** The owner, whose rights are checked again before the job is delivered to a minion that was away. */
  owner?: JobOwner | undefined;
}

interface LedgerOptions extends JobTimes {
  jobs: JobCache;
  clock: Clock;
  log: Logger;
  bus: EventBus;
  presence: Presence;
  syndics: Pick<Syndics, "ids" | "isReporting">;
  /** Publishes a job to minions. */
  send(load: JobLoad, ids: readonly string[]): void;
  /** Publishes `saltutil.find_job` for a job; its returns are passed to {@link Ledger.foundJob}. False if that failed. */
  ask(jid: string, ids: readonly string[]): Promise<boolean>;
  /** Resolves once all saves so far are durable; rejects if they were not kept. */
  durable(): Promise<void>;
  /** False if a master has not published a stored job like this, to these targets: it is not sent. @default all stored jobs are trusted */
  isGenuine?(jid: string, load: JobLoad, minions: readonly string[]): Promise<boolean>;
  /** Returns why the owner of a job may no longer run it on a minion; undefined if the owner may. @default owners are not checked */
  ownerFault?(owner: JobOwner, load: JobLoad, minion: string): Promise<string | undefined>;
  /** Returns how many returns of a restored job must still be announced; {@link Ledger.told} is called afterwards. @default none */
  untold?(jid: string, returned: readonly string[]): Promise<number>;
  /** Called when a target has ended without a return. @default nothing is done */
  onEnded?(state: OutcomeState): void;
  /** Called when all targets of a job have ended. */
  ended?(job: OpenJob): void;
}

/** The largest step between two ticks that counts as time, in milliseconds: a larger step means that the clock was set. */
const MAX_STEP_MS = 30_000;
const MAX_RESEND_MS = 30_000;
const MAX_ASK_MS = 600_000;
/** How long minions may take to come back after a restart of the master, in milliseconds, before any outcome is decided. */
const COME_BACK_MS = 30_000;
const NOT_KNOWN = "the minion no longer knows the job";
/** When minions are asked again after `saltutil.find_job` could not be published, in milliseconds. */
const ASK_AGAIN_MS = 5000;
/** How long a check of a job's owner is good, in milliseconds. */
const ALLOWED_MS = 5000;

/**
 * The state of every job that has not ended: which targets have it, work on it or are waited for. What must survive a restart
 * is in the job cache; {@link Ledger.restore} reads it back.
 *
 * Time is counted in steps of {@link Ledger.tick}, so that a clock that is set makes no job late.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #jobs = new Map<string, OpenJob>();
  readonly #claims = new JidClaims();
  readonly #outcomes: OutcomeStore;
  /** Minion → since when it is away, and the age of the ledger when that was first noticed. */
  readonly #away = new Map<string, { sinceMs: number; age: number }>();
  /** Brine minion → the job that it has returned last, and the age of the ledger then. */
  readonly #latest = new Map<string, { jid: string; age: number }>();
  /** Jid and minion → an end that is announced once it is on the disk. */
  readonly #untold = new Map<string, TargetOutcome>();
  /** How often {@link Ledger.abandon} was called: jobs whose restore began before it belong to other masters. */
  #abandoned = 0;
  /** The age of this ledger, in milliseconds. */
  #age = 0;
  #tickedMs: number;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#outcomes = new OutcomeStore(
      options.jobs,
      () => options.durable(),
      (jid, outcomes) => this.#tellSaved(jid, outcomes),
    );
    this.#tickedMs = options.clock.now();
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** Returns the owner of an open job, whose rights are checked again before the job is delivered. */
  ownerOf(jid: string): JobOwner | undefined {
    return this.#jobs.get(jid)?.owner;
  }

  /** The open jobs but `saltutil.find_job`: how many targets have not ended, and how many of these are queued. */
  *standings(): Generator<{ jid: string; open: number; queued: number }> {
    for (const { jid, open, queued, lasting, recorded } of this.#jobs.values()) {
      if (lasting && recorded) yield { jid, open, queued };
    }
  }

  /** Returns the load of an open job, in the form that minions get. */
  loadOf(jid: string): JobLoad | undefined {
    return this.#jobs.get(jid)?.load;
  }

  /** True if the job is open, is being published, or has ended and its end is not in the job cache yet. */
  knows(jid: string): boolean {
    return this.#jobs.has(jid) || this.#claims.has(jid) || this.#outcomes.has(jid);
  }

  /** Claims a jid for a publication; see {@link JidClaims.claim}. */
  claim(jid: string): Promise<() => void> {
    return this.#claims.claim(jid);
  }

  /**
   * Adds a job that has just been saved. Call {@link Ledger.confirm} once its record is durable, or the returned function, which
   * removes it, if that failed. The load of a job that is already open is never changed.
   */
  open(
    jid: string,
    load: JobLoad,
    minions: readonly string[],
    { queued, earlier, syndics = [], owner }: OpenOptions = {},
  ): () => void {
    const { clock, jobs } = this.#options;
    const now = clock.now();
    const known = this.#jobs.get(jid);
    const job = new OpenJob(jid, known?.load ?? load, this.#age, this.#options);
    job.recorded = false;
    job.owner = owner;
    // The job is already open and now goes to more targets, as in a batch.
    if (known !== undefined) job.inherit(known);
    for (const syndic of syndics) job.awaited.add(syndic);
    for (const { minion } of known === undefined ? earlier?.outcomes ?? [] : []) {
      job.move(minion, earlier!.returned.has(minion) ? RETURNED : GIVEN_UP);
    }
    if (queued !== undefined) job.keepUntil(queued.untilMs, this.#ageAt(queued.untilMs));
    const outcomes = new Map<string, TargetOutcome>();
    const again = new Set<string>();
    for (const id of minions) {
      const before = job.parts.get(id);
      if (before !== undefined && before !== GIVEN_UP) continue;
      if (before === GIVEN_UP) {
        again.add(id);
        outcomes.set(id, { minion: id, state: "published", atMs: now });
      }
      job.move(id, PUBLISHED);
    }
    for (const minion of queued?.ids ?? []) {
      if (job.parts.get(minion) !== PUBLISHED) continue;
      job.move(minion, this.#queuedPart(now, queued!.untilMs));
      outcomes.set(minion, { minion, state: "queued", atMs: now, untilMs: queued!.untilMs });
    }
    if (outcomes.size > 0) void jobs.saveOutcomes(jid, [...outcomes.values()]);
    this.#jobs.set(jid, job);
    job.schedule(this.#age);
    return () => {
      if (known === undefined) {
        this.#jobs.delete(jid);
        return;
      }
      // The states that earlier targets have reached meanwhile remain.
      for (const id of known.parts.keys()) if (!again.has(id)) known.move(id, job.parts.get(id)!);
      this.#jobs.set(jid, known);
      known.schedule(this.#age);
    };
  }

  /** Notes that the record of a job is durable: minions and clients may learn of the job from now on. */
  confirm(jid: string): void {
    const job = this.#jobs.get(jid);
    if (job === undefined) return;
    job.recorded = true;
    if (job.over) return this.#close(job);
    // Minions may have asked for the job while it was being recorded.
    this.offerNow(jid);
  }

  /** Sends a queued job to those of its minions that already take jobs: they do not ask for it any more. */
  offerNow(jid: string): void {
    const job = this.#jobs.get(jid);
    if (job === undefined || job.queued === 0) return;
    for (const [id, { state }] of [...job.parts]) {
      if (state === "queued" && this.#options.presence.listens(id)) this.#offerTo(job, id);
    }
  }

  /** Notes that a queued job is sent to its minion now, and when to send it again if the minion does not acknowledge it. */
  #offered(part: TargetPart): void {
    part.offerWait = Math.min((part.offerWait ?? MAX_RESEND_MS / 2) * 2, MAX_ASK_MS);
    part.offerAt = this.#age + part.offerWait;
  }

  #offerTo(job: OpenJob, id: string): void {
    const part = job.parts.get(id);
    if (!this.#isKept(job, part)) return;
    part.late = true;
    this.#offered(part);
    if (part.sent === true) this.#giveLate(job, id);
    else part.noting ??= this.#note(job, id, part);
  }

  /** Returns the age of the ledger at a time in milliseconds since the epoch; its present age if the time has passed. */
  #ageAt(ms: number): number {
    return this.#age + Math.max(0, ms - this.#options.clock.now());
  }

  #queuedPart(atMs: number, untilMs: number, sent = false): TargetPart {
    return { state: "queued", atMs, until: this.#ageAt(untilMs), untilMs, sent };
  }

  /** Restores a queued job of an earlier process. Its minion may have it, and reports it when it reconnects. */
  #restoredQueued(part: TargetPart): TargetPart {
    return part.sent === true ? { ...part, hearUntil: this.#age + COME_BACK_MS } : part;
  }

  /**
   * Restores the jobs that were open when the master stopped. Resolves to their number. A job whose record is damaged is ended, and does not
   * prevent the restore of the others.
   *
   * @param jids the jobs that were taken over from another master of the cluster. @default all jobs that are not settled
   * @throws {SystemError} if the job cache cannot be read: the jobs restored so far stay, and a further call may name them again
   */
  async restore(jids?: readonly string[]): Promise<number> {
    const { jobs, log } = this.#options;
    for (const jid of jids ?? await jobs.unsettled()) {
      try {
        await this.#restoreJob(jid);
      } catch (error) {
        if (!isDamage(error)) throw error;
        log.error("stored job not sent: its record cannot be read", { jid, error: messageOf(error) });
        this.#outcomes.save(jid, [], true);
      }
    }
    return this.#jobs.size;
  }

  async #restoreJob(jid: string): Promise<void> {
    const { jobs, clock, deliveryMs, syndics } = this.#options;
    const before = this.#abandoned;
    const stored = await jobs.load(jid);
    if (stored === undefined || this.#jobs.has(jid)) return;
    const { cmd: _cmd, kwargs: _kwargs, owner: _owner, ...load } = stored;
    const publishedMs = jidMs(jid);
    const job = new OpenJob(jid, load, this.#age, this.#options);
    job.owner = storedOwner(stored);
    const [minions, saved, returned] = [await jobs.minions(jid), await jobs.outcomes(jid), await returnedOf(jobs, jid)];
    job.untold = await this.#options.untold?.(jid, returned) ?? 0;
    const isGenuine = await this.#options.isGenuine?.(jid, stored, minions);
    // Outcomes and returns have no seal: they can change the state of a target but add no target.
    const targets = isGenuine === undefined ? undefined : new Set(minions);
    const { queue } = (stored.kwargs ?? {}) as { queue?: unknown };
    const keptUntilMs = typeof queue === "number" && queue > 0 ? publishedMs + queue * 1000 : undefined;
    const latestMs = isGenuine === undefined ? Infinity : keptUntilMs ?? publishedMs;
    // Another master has the job by now, or it was published here meanwhile.
    if (before !== this.#abandoned || this.#jobs.has(jid)) return;
    for (const outcome of mergeOutcomes(minions, saved, [], publishedMs)) {
      if (targets?.has(outcome.minion) !== false) job.move(outcome.minion, this.#storedPart(outcome, latestMs));
    }
    for (const minion of returned) if (targets?.has(minion) !== false) job.move(minion, RETURNED);
    const passed = Math.min(Math.max(0, clock.now() - publishedMs), deliveryMs);
    // A syndic may not have named its minions when the master stopped.
    if (passed < deliveryMs) { for (const syndic of syndics.ids()) job.awaited.add(syndic); }
    if (job.over) return this.#outcomes.save(jid, [], true);
    if (isGenuine === false) return this.#refuse(job);
    // The delivery time ran on while the master was stopped; minions that have begun the job still get time to report.
    job.beginUntil -= passed;
    job.giveUpAt = job.askAt = this.#age + Math.max(deliveryMs - passed, Math.min(deliveryMs, COME_BACK_MS));
    if (keptUntilMs !== undefined) job.keepUntil(keptUntilMs, this.#ageAt(keptUntilMs));
    this.#jobs.set(jid, job);
    job.schedule(this.#age);
  }

  /** @param latestMs the latest time until which the job may be queued, by its sealed record, in milliseconds since the epoch */
  #storedPart(outcome: TargetOutcome, latestMs: number): TargetPart {
    const { state, atMs, untilMs = atMs } = outcome;
    // A loss of power may keep the outcome of a return but not the return: that was not acknowledged, and comes again.
    if (state === "returned") return { ...startedPart(atMs, undefined), unheard: true };
    const part = this.#partOf({ ...outcome, untilMs: Math.min(untilMs, latestMs) });
    if (part.state === "started") return { ...part, unheard: true };
    return part.state === "queued" ? this.#restoredQueued(part) : part;
  }

  #partOf({ state, atMs, untilMs = atMs, note }: TargetOutcome): TargetPart {
    if (state === "published") return PUBLISHED;
    if (state === "started") return startedPart(atMs, note);
    if (state === "queued") return this.#queuedPart(atMs, untilMs, note === SENT_BEFORE || note === ASKED_FOR);
    return GIVEN_UP;
  }

  /** Ends a job that somebody has changed in the storage, so that nobody sends it. */
  #refuse(job: OpenJob): void {
    const { log, clock } = this.#options;
    const { jid } = job;
    log.error("stored job not sent: it has no seal of a master of this cluster, or was changed", {
      jid,
    });
    const lost = [...job.parts].filter(([, part]) => part !== RETURNED && part !== GIVEN_UP).map(([minion]) => ({
      minion,
      state: "lost" as const,
      atMs: clock.now(),
      note: "the stored job was changed",
    }));
    this.#outcomes.save(jid, lost, true);
  }

  /** Forgets all jobs: another master of the cluster has taken them over. */
  abandon(): void {
    this.#abandoned++;
    this.#jobs.clear();
    this.#untold.clear();
    this.#outcomes.abandon();
  }

  /** Returns the open jobs, oldest first, with their targets that have not ended. */
  expected(): [jid: string, minions: string[]][] {
    return [...this.#jobs.values()].filter(({ recorded }) => recorded).sort((a, b) => a.jid < b.jid ? -1 : 1)
      .map(({ jid, parts }) => [jid, [...parts].filter(([, part]) => !isOver(part)).map(([id]) => id)]);
  }

  standing(jid: string, id: string): Standing {
    const job = this.#jobs.get(jid);
    // No minion can know a job that is still being recorded.
    if (job === undefined) return this.#claims.has(jid) ? "not a target" : "closed";
    const part = job.parts.get(id);
    if (part === undefined) return "not a target";
    return part === RETURNED ? "returned before" : "expected";
  }

  /** True if the state of a job's target could not be written to the job cache yet; writing it is tried again with each tick. */
  isUnsaved(jid: string, id: string): boolean {
    return this.#outcomes.lacks(jid, id);
  }

  /** True if a target has neither returned nor been given up or cancelled. */
  awaitsEnd(jid: string, id: string): boolean {
    const part = this.#jobs.get(jid)?.parts.get(id);
    return part !== undefined && !isOver(part);
  }

  /**
   * Adds the minions that a syndic names for a job to its targets. False if the job is not open.
   *
   * @param more true if the syndic may name more minions before its list counts as complete
   */
  join(jid: string, syndic: string, ids: readonly string[], more: boolean): boolean {
    const job = this.#jobs.get(jid);
    if (job === undefined) return false;
    for (const id of ids) {
      if (!job.parts.has(id)) job.move(id, PUBLISHED);
      if (!job.via.has(id)) job.via.set(id, syndic);
    }
    if (!more) job.awaited.delete(syndic);
    if (job.over && job.recorded) this.#close(job);
    else job.schedule(this.#age);
    return true;
  }

  /** Returns how many targets a syndic has named for an open job. */
  namedBy(jid: string, syndic: string): number {
    let count = 0;
    for (const via of this.#jobs.get(jid)?.via.values() ?? []) if (via === syndic) count++;
    return count;
  }

  /** Returns the syndics that have not named their minions for an open job. */
  awaited(jid: string): string[] {
    return [...this.#jobs.get(jid)?.awaited ?? []];
  }

  /** Takes an outcome, other than a return, that a syndic reports for one of the targets that it has named. */
  reported(jid: string, syndic: string, outcome: TargetOutcome): void {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(outcome.minion);
    if (job === undefined || part === undefined || isOver(part) || part.state === outcome.state) return;
    if (job.via.get(outcome.minion) === syndic) this.#turn(job, [outcome]);
  }

  /** Returns the jobs that a syndic should have received and does not know, oldest first. @param known the jids that the syndic has */
  missedBySyndic(syndic: string, known: ReadonlySet<string>): JobLoad[] {
    return [...this.#jobs.values()]
      .filter(({ jid, recorded, awaited, beginUntil }) =>
        recorded && awaited.has(syndic) && !known.has(jid) && this.#age < beginUntil
      )
      .sort((a, b) => a.jid < b.jid ? -1 : 1).map(({ load }) => load);
  }

  /** Notes that a return is being stored; the function that it returns reverts that if storing fails. */
  returned(jid: string, id: string): () => void {
    this.#untold.delete(`${jid} ${id}`);
    const job = this.#jobs.get(jid);
    const before = job?.parts.get(id);
    if (job === undefined || before === undefined || before === RETURNED) return () => {};
    job.move(id, RETURNED);
    const latest = this.#latest.get(id);
    if (latest !== undefined) Object.assign(latest, { jid, age: this.#age });
    else if (this.#options.presence.isBrine(id)) this.#latest.set(id, { jid, age: this.#age });
    // The return replaces an outcome that was saved before.
    if (before !== PUBLISHED) {
      this.#outcomes.save(jid, [{ minion: id, state: "returned", atMs: this.#options.clock.now() }], false);
    }
    return () => {
      // Meanwhile the returns of other minions may have closed the job, or it may have been published to more minions.
      const now = this.#jobs.get(jid) ?? job;
      now.move(id, before);
      this.#jobs.set(jid, now);
      now.schedule(this.#age);
    };
  }

  /** Notes that a return is durable, and closes the job if it was the last return. */
  stored(jid: string): void {
    const job = this.#jobs.get(jid);
    if (job !== undefined && job.over && job.recorded) this.#close(job);
  }

  /** Notes that all returns of a restored job that were found without an event have been announced. */
  told(jid: string): void {
    const job = this.#jobs.get(jid);
    if (job === undefined || job.untold === 0) return;
    job.untold = 0;
    this.stored(jid);
  }

  #close(job: OpenJob): void {
    this.#jobs.delete(job.jid);
    this.#options.ended?.(job);
    this.#outcomes.save(job.jid, [], true);
  }

  /** Gives targets another state, other than by a return. The end of a target is announced once it is on the disk. */
  #turn(job: OpenJob, outcomes: readonly TargetOutcome[]): void {
    if (outcomes.length === 0) return;
    const { log } = this.#options;
    for (const outcome of outcomes) {
      const { minion, state } = outcome;
      const ended = ENDED.has(state);
      job.move(minion, this.#partOf(outcome));
      if (ended) this.#options.onEnded?.(state);
      if (ended) log.info("target without a return", { jid: job.jid, id: minion, outcome: state, note: outcome.note });
      if (ended) this.#untold.set(`${job.jid} ${minion}`, outcome);
      else this.#tell(job.jid, outcome);
    }
    this.#outcomes.save(job.jid, outcomes, false);
    if (job.over && job.recorded) this.#close(job);
    else job.schedule(this.#age);
  }

  #tell(jid: string, outcome: TargetOutcome): void {
    this.#options.bus.fire(jobOutcome(jid, outcome.minion), { jid, id: outcome.minion, ...outcomeFields(outcome) });
  }

  /** Announces outcomes that are durable now, unless later ones have replaced them. */
  #tellSaved(jid: string, outcomes: readonly TargetOutcome[]): void {
    for (const outcome of outcomes) {
      if (outcome.note === ASKED_FOR) this.#noted(jid, outcome.minion);
      const key = `${jid} ${outcome.minion}`;
      if (this.#untold.get(key) !== outcome) continue;
      this.#untold.delete(key);
      this.#tell(jid, outcome);
    }
  }

  /**
   * Takes a minion's report that it works on a job.
   *
   * @param note {@link BEGUN_UNWRITTEN} if the minion itself has no record of it: the job must not run again then
   */
  started(jid: string, id: string, note = ""): void {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(id);
    if (job === undefined || part === undefined || isOver(part)) return;
    const begun = note === BEGUN_UNWRITTEN;
    if (part.unheard === true) part.unheard = false;
    if (part.state === "started" && (part.begun === true || !begun)) return;
    const atMs = this.#options.clock.now();
    this.#turn(job, [{ minion: id, state: "started", atMs, ...(begun ? { note } : {}) }]);
  }

  /** Takes a minion's report about one of its jobs. Unknown states are ignored. */
  says(id: string, jid: string, state: unknown, note: string): void {
    if (state === "started") this.started(jid, id, note);
    else if (state === "cancelled") this.cancelled(jid, id, note);
    else if (state === "over") this.ranBefore(jid, id);
    else if (state === "unknown") this.#unknown(jid, id);
  }

  /** Handles a minion that no longer knows a job that it had started. */
  #unknown(jid: string, id: string): void {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(id);
    if (job === undefined || part?.state !== "started" || isOver(part)) return;
    void this.#lose(job, id, NOT_KNOWN);
  }

  /**
   * Marks a job that a minion says it does not have as lost, unless its return is stored: another master may announce that return late.
   *
   * @returns false if the job cache cannot be asked
   */
  async #lose(job: OpenJob, id: string, note: string): Promise<boolean> {
    const { jobs, clock, log } = this.#options;
    const part = job.parts.get(id);
    try {
      if (await jobs.hasReturn(job.jid, id)) return true;
    } catch (error) {
      log.error("cannot check whether a return is stored", { jid: job.jid, id, error: messageOf(error) });
      return false;
    }
    if (this.#jobs.get(job.jid) !== job || job.parts.get(id) !== part) return true;
    this.#turn(job, [{ minion: id, state: "lost", atMs: clock.now(), note }]);
    return true;
  }

  /**
   * Takes the list of jobs that a restarted minion has not begun: jobs in it that had begun are lost, and must not run again.
   *
   * @returns false if the job cache cannot be asked: the minion has to send its list again
   */
  async notBegun(id: string, jids: readonly string[]): Promise<boolean> {
    const note = `the minion was stopped during the job, and ${BEGUN_UNWRITTEN}`;
    const begun = jids.map((jid) => this.#jobs.get(jid)).filter((job) => job?.parts.get(id)?.begun === true);
    const known = await Promise.all(begun.map((job) => this.#lose(job!, id, note)));
    return !known.includes(false);
  }

  /** Takes a minion's report that it has run a job and sent its return, which this master has lost: no return will come. */
  ranBefore(jid: string, id: string): void {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(id);
    if (job === undefined || part === undefined || isOver(part)) return;
    const note = "the minion ran the job before and sent its return: this master no longer has it";
    void this.#lose(job, id, note);
  }

  /** Takes a minion's report that an operator has stopped a job on it: no return will come. */
  cancelled(jid: string, id: string, note: string): void {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(id);
    if (job === undefined || part === undefined || isOver(part)) return;
    this.#turn(job, [{ minion: id, state: "cancelled", atMs: this.#options.clock.now(), note }]);
  }

  /** Takes a return of `saltutil.find_job`, whether the master or a client has asked. */
  foundJob(jid: string, id: string, busy: boolean): void {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(id);
    if (job === undefined || part === undefined || isOver(part)) return;
    if (busy) this.started(jid, id);
    job.asked?.[busy ? "busy" : "idle"].add(id);
  }

  /** True if a job is still kept for a target that is away. */
  #isKept(job: OpenJob, part: TargetPart | undefined): part is TargetPart {
    return part?.state === "queued" && part.until > this.#age && job.recorded;
  }

  /**
   * Records that a minion may have the jobs that are queued for it. Otherwise a master that restarts while such a job runs would say that
   * the job never reached the minion. Once the record is on the disk, {@link Ledger.present} and {@link Ledger.take} hand the jobs out. A
   * record that could not be written is tried again with each tick; its job is then sent if the minion is connected.
   *
   * @returns a promise that settles once each record was written or has failed; undefined if there is nothing to wait for
   */
  offer(id: string): Promise<unknown> | undefined {
    const noting: Promise<unknown>[] = [];
    for (const job of this.#jobs.values()) {
      const part = job.owner !== undefined || job.queued > 0 ? job.parts.get(id) : undefined;
      const noted = !this.#isKept(job, part) || part.sent === true
        ? undefined
        : part.noting ??= this.#note(job, id, part);
      if (job.owner === undefined) {
        if (noted !== undefined) noting.push(noted);
      } else if (part !== undefined && !isOver(part) && part.state !== "started") {
        noting.push(this.#offerOwned(job, id, noted));
      }
    }
    return noting.length === 0 ? undefined : Promise.all(noting);
  }

  /** Checks the owner of a job as late as possible, and sends the job to a minion that does not ask for it. */
  async #offerOwned(job: OpenJob, id: string, noted: Promise<void> | undefined): Promise<void> {
    await noted;
    if (await this.#askOwner(job, id) && !this.#options.presence.isBrine(id)) this.#giveLate(job, id);
  }

  /**
   * Checks whether the owner of a job may still run it on a minion, just before delivery. If not, the job has ended for that minion.
   *
   * @returns false if the owner may not, or the check failed
   */
  async #askOwner(job: OpenJob, minion: string): Promise<boolean> {
    const { owner, jid, load } = job;
    if (owner === undefined) return true;
    const { ownerFault, clock, log } = this.#options;
    let note: string | undefined;
    try {
      note = await ownerFault?.(owner, load, minion);
    } catch (error) {
      log.error("job not delivered: cannot check whether its owner may still run it", {
        jid,
        id: minion,
        user: owner.user,
        error: messageOf(error),
      });
      return false;
    }
    const now = this.#jobs.get(jid);
    const part = now?.parts.get(minion);
    if (now === undefined || part === undefined || isOver(part) || part.state === "started") return false;
    if (note === undefined) {
      now.allowed.set(minion, this.#age);
      return true;
    }
    log.warning("job not delivered", { jid, id: minion, user: owner.user, reason: note });
    this.#turn(now, [{ minion, state: "cancelled", atMs: clock.now(), note }]);
    return false;
  }

  /** True if a job may be delivered to a minion now: it has no owner to check, or the owner was checked a moment ago. */
  #isAllowed({ owner, allowed }: OpenJob, minion: string): boolean {
    return owner === undefined || this.#age - (allowed.get(minion) ?? -Infinity) <= ALLOWED_MS;
  }

  #note({ jid }: OpenJob, minion: string, { untilMs }: TargetPart): Promise<void> {
    const atMs = this.#options.clock.now();
    return this.#outcomes.save(
      jid,
      [{ minion, state: "queued", atMs, untilMs: untilMs ?? atMs, note: ASKED_FOR }],
      false,
    );
  }

  /** Notes that the disk now has the record that a minion may have a job queued for it. */
  #noted(jid: string, id: string): void {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(id);
    if (job === undefined || part?.state !== "queued") return;
    const { noting: _noting, ...noted } = part;
    job.move(id, { ...noted, sent: true });
    this.#giveLate(job, id);
  }

  /** Sends a job to a minion that has asked for its jobs and did not get this one with the answer. */
  #giveLate(job: OpenJob, id: string): void {
    const { presence, send } = this.#options;
    const part = job.parts.get(id);
    if (!this.#isKept(job, part) || part.sent !== true || !presence.listens(id)) return;
    if (!this.#isAllowed(job, id)) {
      void this.#askOwner(job, id).then((may) => {
        if (may) this.#giveLate(this.#jobs.get(job.jid) ?? job, id);
      });
      return;
    }
    if (!presence.isBrine(id)) return send(this.#taken(job, id), [id]);
    if (part.late !== true) return;
    part.late = false;
    send(addressed(job.load, [id], true), [id]);
  }

  /** Notes that a Brine minion has its answer: queued jobs that are not in the answer follow as publications. */
  answered(id: string): void {
    for (const job of this.#jobs.values()) {
      const part = job.queued > 0 ? job.parts.get(id) : undefined;
      if (part?.state === "queued" && (part.sent !== true || !job.recorded)) part.late = true;
    }
  }

  /**
   * Takes a Brine minion's list of its jobs. Returns the jobs that it should have, oldest first; queued jobs if they were {@link Ledger.offer offered}.
   *
   * @param known the jids that the minion works on, or whose return it is about to send
   * @param complete false if the minion has acknowledged other jobs since it made that list
   */
  present(id: string, known: ReadonlySet<string>, { complete = true }: { complete?: boolean } = {}): JobLoad[] {
    const found: JobLoad[] = [];
    for (const job of [...this.#jobs.values()].sort((a, b) => a.jid < b.jid ? -1 : 1)) {
      const part = job.parts.get(id);
      if (part === undefined || isOver(part) || !job.recorded) continue;
      if (known.has(job.jid)) {
        this.started(job.jid, id);
        continue;
      }
      if (part.state === "started") {
        if (complete) void this.#lose(job, id, NOT_KNOWN);
        continue;
      }
      if (!this.#isAllowed(job, id)) continue;
      // A job whose time is over is not handed out any more; it ends for this minion with the next tick.
      const isQueued = part.state === "queued";
      if (isQueued ? !this.#isKept(job, part) || part.sent !== true : this.#age >= job.beginUntil) continue;
      if (isQueued) this.#offered(part);
      found.push(addressed(job.load, [id], isQueued || job.queuedUntilMs !== undefined));
    }
    return found;
  }

  /** Takes the {@link Ledger.offer offered} jobs of a minion that does not ask for them: they count as published from then on. */
  take(id: string): JobLoad[] {
    const found: OpenJob[] = [];
    for (const job of this.#jobs.values()) {
      const part = job.queued > 0 ? job.parts.get(id) : undefined;
      if (this.#isKept(job, part) && part.sent === true && this.#isAllowed(job, id)) found.push(job);
    }
    return found.sort((a, b) => a.jid < b.jid ? -1 : 1).map((job) => this.#taken(job, id));
  }

  /** Returns a queued job for a minion that does not acknowledge jobs, and counts it as published. */
  #taken(job: OpenJob, id: string): JobLoad {
    job.beginUntil = job.giveUpAt = job.askAt = this.#age + this.#options.deliveryMs;
    this.#turn(job, [{ minion: id, state: "published", atMs: this.#options.clock.now() }]);
    return addressed(job.load, [id], true);
  }

  /** True if a job is queued for a minion. */
  awaits(id: string): boolean {
    for (const { queued, parts } of this.#jobs.values()) {
      if (queued > 0 && parts.get(id)?.state === "queued") return true;
    }
    return false;
  }

  /** Cancels a queued job for one minion or all. @returns the ids for which it was queued */
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

  /** Returns the present outcome of every target, by the job cache and by the connections of this master. */
  async outcomes(jid: string): Promise<TargetOutcome[]> {
    const { jobs, presence } = this.#options;
    return (await outcomesOf(jobs, jid, jidMs(jid))).map((outcome) => {
      const sinceMs = presence.goneSince(outcome.minion);
      if (sinceMs === undefined || ENDED.has(outcome.state)) return outcome;
      return { ...outcome, sinceMs, note: "the minion is not connected" };
    });
  }

  /** Does what is due for all jobs; call it about once a second. */
  tick(): void {
    const now = this.#options.clock.now();
    const step = now - this.#tickedMs;
    this.#tickedMs = now;
    this.#age += step >= 0 && step <= MAX_STEP_MS ? step : 1000;
    this.#outcomes.retry((jid, outcome) => this.#isCurrent(jid, outcome), (jid) => this.#jobs.has(jid));
    for (const job of [...this.#jobs.values()]) if (job.due <= this.#age && job.recorded) this.#look(job);
  }

  /** Returns how long a minion has been away, in milliseconds of the ledger's age. */
  #awayFor(id: string, sinceMs: number): number {
    const known = this.#away.get(id);
    if (known?.sinceMs === sinceMs) return this.#age - known.age;
    this.#away.set(id, { sinceMs, age: this.#age });
    return 0;
  }

  /** True if the minion is still returning earlier jobs: publications arrive in order, and this one's turn will come. */
  #inLine(jid: string, id: string): boolean {
    const latest = this.#latest.get(id);
    return latest !== undefined && this.#age - latest.age < this.#options.resendMs && latest.jid < jid;
  }

  /** False if a target has reached another state than this outcome. */
  #isCurrent(jid: string, { minion, state, note }: TargetOutcome): boolean {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(minion);
    if (note === ASKED_FOR && part?.state === "queued" && !this.#options.presence.connected(minion)) {
      // The minion has gone before it got the job. Once it is back, it asks again.
      delete part.noting;
      return false;
    }
    return job === undefined || part === GIVEN_UP ? ENDED.has(state) : part?.state === state;
  }

  #look(job: OpenJob): void {
    const { presence, syndics, clock, lostMs } = this.#options;
    const review = reviewJob(job, {
      presence,
      syndics,
      age: this.#age,
      atMs: clock.now(),
      lostMs,
      awayFor: (id, sinceMs) => this.#awayFor(id, sinceMs),
    });
    if (job.asked !== undefined && this.#age >= job.asked.until) job.asked = undefined;
    if (job.silent > 0 && this.#age >= job.resendAt) this.#resend(job, review.resend);
    for (const id of review.offer) this.#offerTo(job, id);
    for (const id of review.about) this.#askAbout(job, id);
    if (review.asking) this.#ask(job, review.ask);
    if (review.gaveUp) {
      job.giveUpAt = Infinity;
      job.awaited.clear();
    }
    if (review.outcomes.length > 0) this.#turn(job, review.outcomes);
    else if (job.over) this.#close(job);
    else job.schedule(this.#age);
  }

  /** Sends a job again to minions that are connected and have had the time to receive it. */
  #resend(job: OpenJob, ids: readonly string[]): void {
    const { presence, resendMs, log, send } = this.#options;
    job.resendWait = Math.min(job.resendWait * 2, Math.max(MAX_RESEND_MS, resendMs));
    job.resendAt = this.#age + job.resendWait;
    if (this.#age >= job.beginUntil) return;
    const there = ids.filter((id) => presence.connected(id) && !this.#inLine(job.jid, id));
    const again = (there: readonly string[]) => {
      if (there.length === 0) return;
      log.info("job sent again: not acknowledged", { jid: job.jid, minions: there.length });
      send(addressed(job.load, there, job.queuedUntilMs !== undefined), there);
    };
    if (job.owner === undefined) return again(there);
    void Promise.all(there.map(async (id) => await this.#askOwner(job, id) ? [id] : [])).then((found) =>
      again(found.flat())
    );
  }

  /** Asks a minion whether it has a job that it has begun by the records of an earlier master. */
  #askAbout(job: OpenJob, id: string): void {
    this.#offered(job.parts.get(id)!);
    const delivery = { ...(job.load.delivery as Record<string, unknown> | undefined), asked: true };
    this.#options.send({ ...job.load, tgt: [id], tgt_type: "list", delivery }, [id]);
  }

  /** Asks minions whether they work on a job. */
  #ask(job: OpenJob, ids: readonly string[]): void {
    const { deliveryMs, gatherMs, ask } = this.#options;
    job.askWait = Math.min(job.askWait * 2, Math.max(MAX_ASK_MS, deliveryMs));
    job.askAt = this.#age + job.askWait;
    if (ids.length === 0) return;
    const asked = job.asked = {
      until: this.#age + gatherMs,
      ids: new Set(ids),
      idle: new Set<string>(),
      busy: new Set<string>(),
    };
    void ask(job.jid, ids).then((sent) => {
      if (sent || job.asked !== asked) return;
      // The question was not published: the minions must not count as silent.
      job.asked = undefined;
      job.askAt = this.#age + ASK_AGAIN_MS;
      job.schedule(this.#age);
    });
  }
}

/** True if an error says that the record of a job is damaged; other errors are failures of the store, which may pass. */
function isDamage(error: unknown): boolean {
  return error instanceof ProtocolError || error instanceof TypeError || error instanceof RangeError ||
    error instanceof SyntaxError;
}

function startedPart(atMs: number, note: string | undefined): TargetPart {
  const part: TargetPart = { state: "started", atMs, until: Infinity, untilMs: undefined };
  return note === BEGUN_UNWRITTEN ? { ...part, begun: true } : part;
}

/** Addresses a publication to some minions. @param queued true if it runs in order with the other jobs that were kept for them */
function addressed(load: JobLoad, ids: readonly string[], queued: boolean): JobLoad {
  const addressed: JobLoad = { ...load, tgt: ids, tgt_type: "list" };
  if (queued) addressed.delivery = { ...(load.delivery as Record<string, unknown> | undefined), queued: true };
  return addressed;
}
