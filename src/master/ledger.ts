import type { Clock } from "../async/clock.ts";
import type { EventBus } from "../event/bus.ts";
import { jobOutcome } from "../event/tag.ts";
import { jidMs } from "../job/jid.ts";
import { type JobCache, type JobLoad, outcomesOf } from "../job/job_cache.ts";
import { ENDED, type OutcomeState, type TargetOutcome } from "../job/outcome.ts";
import type { Logger } from "../log.ts";
import type { Presence } from "./presence.ts";

/** How one target of an open job stands. Those that are only published, or have ended, share one object. */
interface Part {
  state: OutcomeState;
  atMs: number;
  /** The age of the ledger at which a queued job is given up; Infinity for those that are not queued. */
  until: number;
  untilMs: number | undefined;
}
const PUBLISHED: Part = { state: "published", atMs: 0, until: Infinity, untilMs: undefined };
const OVER: Part = { state: "returned", atMs: 0, until: Infinity, untilMs: undefined };

interface OpenJob {
  jid: string;
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
  /** When what was not delivered is given up. */
  giveUpAt: number;
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
  /** A target that has not returned. */
  | "expected"
  | "returned before"
  | "not a target"
  /** No open job; the job cache may know it. */
  | "closed";

export interface LedgerOptions {
  jobs: JobCache;
  clock: Clock;
  log: Logger;
  bus: EventBus;
  presence: Presence;
  /** Publishes to the minions. */
  send(load: JobLoad, ids: readonly string[]): void;
  /** Publishes `saltutil.find_job` for a job; what comes back is told by {@link Ledger.foundJob}. */
  ask(jid: string, ids: readonly string[]): void;
  /** What was saved is to be made durable soon. */
  soon(): void;
  /** Milliseconds until a job is sent again to those of ours that have not acknowledged it; doubled each time. */
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

/**
 * The state of every job that has not come to its end: which target has it, who works on it, whom it waits for. What must
 * outlive the master is in the job cache; {@link Ledger.restore} takes it up again.
 *
 * Time is counted in steps of {@link Ledger.tick}, so that a clock that is set makes no job late.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #jobs = new Map<string, OpenJob>();
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

  /**
   * Takes up a job that has just been saved.
   *
   * @param queued targets that are away, and until when it is kept for them (milliseconds since the epoch)
   */
  open(jid: string, load: JobLoad, minions: readonly string[], queued?: { ids: ReadonlySet<string>; untilMs: number }) {
    const { clock, jobs } = this.#options;
    const now = clock.now();
    const known = this.#jobs.get(jid);
    const job = this.#newJob(jid, load, now);
    // The same job goes out to more targets: a batch may do that.
    if (known !== undefined) Object.assign(job, { parts: known.parts, open: known.open, silent: known.silent });
    for (const id of minions) {
      if (job.parts.has(id)) continue;
      job.parts.set(id, PUBLISHED);
      job.open++;
      job.silent++;
    }
    if (queued !== undefined && queued.ids.size > 0) {
      const outcomes: TargetOutcome[] = [];
      for (const minion of queued.ids) {
        this.#move(job, minion, this.#queuedPart(now, queued.untilMs));
        outcomes.push({ minion, state: "queued", atMs: now, untilMs: queued.untilMs });
      }
      void jobs.saveOutcomes(jid, outcomes);
    }
    if (job.open === 0) return void jobs.settle(jid);
    this.#jobs.set(jid, job);
    this.#schedule(job);
  }

  /** A job that could not be recorded, and that nobody has heard of. */
  forget(jid: string): void {
    this.#jobs.delete(jid);
  }

  #newJob(jid: string, load: JobLoad, publishedMs: number): OpenJob {
    const { resendMs, deliveryMs } = this.#options;
    return {
      jid,
      load,
      publishedMs,
      parts: new Map(),
      open: 0,
      silent: 0,
      due: Infinity,
      resendAt: this.#age + resendMs,
      resendWait: resendMs,
      giveUpAt: this.#age + deliveryMs,
      askAt: this.#age + deliveryMs,
      askWait: deliveryMs,
      lasting: load.fun !== "saltutil.find_job",
      asked: undefined,
    };
  }

  #queuedPart(atMs: number, untilMs: number): Part {
    return { state: "queued", atMs, until: this.#age + Math.max(0, untilMs - this.#options.clock.now()), untilMs };
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
      for (const { minion, state, atMs, untilMs } of await outcomesOf(jobs, jid, publishedMs)) {
        let part: Part = OVER;
        if (state === "published") part = PUBLISHED;
        else if (state === "started") part = { state, atMs, until: Infinity, untilMs: undefined };
        else if (state === "queued") part = this.#queuedPart(atMs, untilMs ?? atMs);
        job.parts.set(minion, part);
        if (part !== OVER) job.open++;
        if (part === PUBLISHED) job.silent++;
      }
      if (job.open === 0) {
        void jobs.settle(jid);
        continue;
      }
      // The time that it may take to be delivered went on while there was no master.
      const passed = Math.min(Math.max(0, clock.now() - publishedMs), deliveryMs);
      job.giveUpAt -= passed;
      job.askAt -= passed;
      this.#jobs.set(jid, job);
      this.#schedule(job);
    }
    this.#options.soon();
    return this.#jobs.size;
  }

  standing(jid: string, id: string): Standing {
    const job = this.#jobs.get(jid);
    if (job === undefined) return "closed";
    const part = job.parts.get(id);
    if (part === undefined) return "not a target";
    return part === OVER ? "returned before" : "expected";
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
    if (job === undefined || before === undefined || before === OVER) return () => {};
    this.#move(job, id, OVER);
    // What was said of it before must not be found any more.
    if (before !== PUBLISHED) {
      void this.#options.jobs.saveOutcomes(jid, [{ minion: id, state: "returned", atMs: this.#options.clock.now() }]);
    }
    return () => {
      this.#move(job, id, before);
      // It may have been closed by the others meanwhile.
      this.#jobs.set(jid, job);
      this.#schedule(job);
    };
  }

  /** To be called when a return is safe: closes the job if it was the last. */
  stored(jid: string): void {
    const job = this.#jobs.get(jid);
    if (job !== undefined && job.open === 0) this.#close(job);
  }

  #close(job: OpenJob): void {
    this.#jobs.delete(job.jid);
    void this.#options.jobs.settle(job.jid);
    this.#options.soon();
  }

  #move(job: OpenJob, id: string, part: Part): void {
    const before = job.parts.get(id)!;
    if (before !== OVER) job.open--;
    if (before === PUBLISHED) job.silent--;
    job.parts.set(id, part);
    if (part !== OVER) job.open++;
    if (part === PUBLISHED) job.silent++;
  }

  /** A part has come to another state than by a return. */
  #turn(job: OpenJob, outcomes: readonly TargetOutcome[]): void {
    if (outcomes.length === 0) return;
    const { jobs, bus, log } = this.#options;
    for (const outcome of outcomes) {
      const { minion, state, atMs } = outcome;
      const ended = ENDED.has(state);
      this.#move(job, minion, ended ? OVER : { state, atMs, until: Infinity, untilMs: undefined });
      if (ended) log.info("target without a return", { jid: job.jid, id: minion, outcome: state, note: outcome.note });
      bus.fire(jobOutcome(job.jid, minion), { jid: job.jid, id: minion, ...shown(outcome) });
    }
    void jobs.saveOutcomes(job.jid, outcomes);
    if (job.open === 0) this.#close(job);
    else this.#schedule(job);
    this.#options.soon();
  }

  /** A minion says that it has a job and works on it. */
  started(jid: string, id: string): void {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(id);
    if (job === undefined || part === undefined || part === OVER || part.state === "started") return;
    this.#turn(job, [{ minion: id, state: "started", atMs: this.#options.clock.now() }]);
  }

  /** A minion says that a job was ended there by an operator, and will not return. */
  cancelled(jid: string, id: string, note: string): void {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(id);
    if (job === undefined || part === undefined || part === OVER) return;
    this.#turn(job, [{ minion: id, state: "cancelled", atMs: this.#options.clock.now(), note }]);
  }

  /** An answer to `saltutil.find_job`, whoever asked. */
  foundJob(jid: string, id: string, busy: boolean): void {
    const job = this.#jobs.get(jid);
    const part = job?.parts.get(id);
    if (job === undefined || part === undefined || part === OVER) return;
    if (busy) this.started(jid, id);
    job.asked?.[busy ? "busy" : "idle"].add(id);
  }

  /**
   * A minion of ours is there and says what it is at; gives the jobs that it should have, oldest first.
   *
   * @param known jids that it works on, or whose return it is about to hand in
   */
  present(id: string, known: ReadonlySet<string>): JobLoad[] {
    const { clock } = this.#options;
    const found: JobLoad[] = [];
    for (const job of [...this.#jobs.values()].sort((a, b) => a.jid < b.jid ? -1 : 1)) {
      const part = job.parts.get(id);
      if (part === undefined || part === OVER) continue;
      const atMs = clock.now();
      if (known.has(job.jid)) this.started(job.jid, id);
      else if (part.state === "started") {
        this.#turn(job, [{ minion: id, state: "lost", atMs, note: "the minion no longer knows the job" }]);
      } else if (part.state === "queued") found.push(addressed(job.load, id, true));
      // What was published long ago is not begun any more; the minion's part ends with the next tick.
      else if (this.#age < job.giveUpAt) found.push(addressed(job.load, id, false));
    }
    return found;
  }

  /** The queued jobs of a minion that does not ask for them: they count as published from then on. */
  take(id: string): JobLoad[] {
    const found: JobLoad[] = [];
    for (const job of [...this.#jobs.values()].sort((a, b) => a.jid < b.jid ? -1 : 1)) {
      if (job.parts.get(id)?.state !== "queued") continue;
      found.push(addressed(job.load, id, true));
      job.giveUpAt = job.askAt = this.#age + this.#options.deliveryMs;
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
    for (const job of [...this.#jobs.values()]) if (job.due <= this.#age) this.#look(job);
  }

  #schedule(job: OpenJob): void {
    let due = Infinity;
    for (const { until } of job.parts.values()) if (until < due) due = until;
    if (job.silent > 0) due = Math.min(due, job.resendAt, job.giveUpAt);
    if (job.asked !== undefined) due = Math.min(due, job.asked.until);
    // Those that have begun can only be lost, or, if they cannot tell us, be asked.
    if (job.open > job.silent) due = Math.min(due, job.askAt, this.#age + 5000);
    job.due = due;
  }

  #look(job: OpenJob): void {
    const { presence, clock, deliveryMs, lostMs, gatherMs, resendMs } = this.#options;
    const atMs = clock.now();
    const ended: TargetOutcome[] = [];
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
      if (part === OVER) continue;
      const extended = presence.extended(minion);
      if (part.state === "queued") {
        if (this.#age >= part.until) {
          ended.push({ minion, state: "expired", atMs, note: "the minion did not come back in time" });
        }
      } else if (extended) {
        const since = presence.goneSince(minion);
        if (part === PUBLISHED && giveUp) {
          if (since !== undefined) gone(minion, "the minion was gone before it had the job");
          else ended.push({ minion, state: "timed out", atMs, note: "the minion did not acknowledge the job" });
        } else if (part === PUBLISHED) resend.push(minion);
        else if (since !== undefined && atMs - since >= lostMs) gone(minion, "the minion went away during the job");
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
      const there = resend.filter((id) => presence.connected(id));
      if (there.length > 0) {
        this.#options.log.info("job sent again: not acknowledged", { jid: job.jid, minions: there.length });
        this.#options.send({ ...job.load, tgt: there, tgt_type: "list" }, there);
      }
    }
    if (asking) {
      job.askWait = Math.min(job.askWait * 2, Math.max(LONGEST_ASK_MS, deliveryMs));
      job.askAt = this.#age + job.askWait;
      if (ask.length > 0) {
        job.asked = { until: this.#age + gatherMs, ids: new Set(ask), idle: new Set(), busy: new Set() };
        this.#options.ask(job.jid, ask);
      }
    }
    if (giveUp) job.giveUpAt = Infinity;
    if (ended.length > 0) this.#turn(job, ended);
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
