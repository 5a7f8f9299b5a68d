import type { Clock } from "../../base/async/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { truthy } from "../../language/python/values.ts";
import { entryFunction, type ScheduleEntry, wholeNumber } from "./entry.ts";
import type { ScheduledJob } from "./job.ts";
import { LocalTime } from "./local_time.ts";
import type { Schedule } from "./schedule.ts";
import type { Look, TimingParts } from "./timing.ts";

/**
 * Difference between the two clocks, in milliseconds, below which the system corrects its clock; a larger one means that the
 * clock was set.
 */
const LEAST_JUMP_MS = 5000;
/** Maximum of milliseconds between two looks, so that a clock that was set is noticed. */
const MAX_SLEEP_MS = 30_000;
const LEAST_SLEEP_MS = 10;
/** Concurrent runs of one job if the entry sets no limit (`jid_include: False`). */
const MAX_AT_ONCE = 100;

export interface DueJob {
  /** Name of the job, in the field `schedule` of its return. */
  name: string;
  /** The function to run; undefined if the entry has none. */
  fun: unknown;
  entry: ScheduleEntry;
}

interface SchedulerOptions {
  clock: Clock;
  log: Logger;
  random(): number;
  schedule: Schedule;
  /** Converts local times. @default the zone of this host */
  local?: LocalTime;
  /** Seconds between two runs of a job, at least; also how long a past time counts as due. @default 1 */
  loopInterval?: number;
  /** Returns the current schedule in the pillar. @default no schedule */
  pillar?(): unknown;
  /** Returns names for times: the items `whens` of pillar and grains. @default none */
  whens?(): { pillar: unknown; grains: unknown };
  /** Returns how many runs of a job have not ended. */
  running(name: string): number;
  /** Runs a job; MUST NOT throw. */
  run(job: DueJob): void;
}

/**
 * Runs the jobs of a schedule when they are due. Intervals use the monotonic clock: if the system clock is set forward, each
 * interval runs once; if it is set back, none is delayed.
 *
 * @see salt/utils/schedule.py Schedule.eval
 */
export class Scheduler {
  readonly schedule: Schedule;
  readonly local: LocalTime;
  readonly #options: SchedulerOptions;
  readonly #loopMs: number;
  #nextCron: TimingParts["nextCron"];
  #loading = false;
  #last: { nowMs: number; elapsedMs: number } | undefined;
  /** Job → its last logged error, so that each error is logged once. */
  readonly #told = new WeakMap<ScheduledJob, string>();
  #wake = new AbortController();

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.schedule = options.schedule;
    this.local = options.local ?? new LocalTime();
    this.#loopMs = Math.max(1, options.loopInterval ?? 1) * 1000;
  }

  /** Runs due jobs until the signal aborts. */
  async keep(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const ms = Math.max(LEAST_SLEEP_MS, Math.min(this.look(), MAX_SLEEP_MS));
      await clock.sleep(ms, AbortSignal.any([signal, this.#wake.signal])).catch(() => {});
    }
  }

  /** Makes {@link Scheduler.keep} look now, because the schedule has changed. */
  wake(): void {
    this.#wake.abort();
  }

  /** Runs the jobs that are due now. @returns milliseconds until the next look */
  look(): number {
    const { log, random, schedule, pillar, whens = () => ({ pillar: undefined, grains: undefined }) } = this.#options;
    if (pillar !== undefined) schedule.takePillar(pillar());
    const look = this.#now();
    const { local } = this;
    const { settings } = schedule;
    const parts: TimingParts = { local, random, whens, nextCron: this.#nextCron };
    let waitMs = Infinity;
    for (const job of schedule.jobs()) {
      if (this.#nextCron === undefined && Object.hasOwn(job.entry, "cron")) this.#loadCron();
      try {
        const due = job.look(look, parts, settings);
        if (due !== undefined) this.#run(job, look, due.instead);
      } catch (error) {
        job.error = messageOf(error);
      }
      if (job.error !== undefined && this.#told.get(job) !== job.error) {
        this.#told.set(job, job.error);
        log.error(job.error, { job: job.key });
      }
      waitMs = Math.min(waitMs, job.waitMs(look, local));
    }
    return Math.max(waitMs, 0);
  }

  #now(): Look {
    const { clock, log } = this.#options;
    const [nowMs, elapsedMs] = [clock.now(), clock.elapsed()];
    const last = this.#last ?? { nowMs, elapsedMs };
    const passedMs = elapsedMs - last.elapsedMs;
    const jump = nowMs - last.nowMs - passedMs;
    if (Math.abs(jump) >= LEAST_JUMP_MS) {
      log.warning("the system clock was changed: the schedule follows it", {
        seconds: Math.round(jump / 1000),
      });
    }
    this.#last = { nowMs, elapsedMs };
    const loopMs = this.#loopMs;
    return { nowMs, elapsedMs, windowMs: loopMs, loopMs, wasSetBack: jump <= -LEAST_JUMP_MS };
  }

  /** Loads the parser of cron patterns, when the first pattern is met. */
  #loadCron(): void {
    if (this.#loading) return;
    this.#loading = true;
    const { zone } = this.local;
    import("./cron.ts").then(({ nextCron }) => {
      this.#nextCron = (pattern, fromMs) => nextCron(pattern, fromMs, zone);
      this.wake();
    }).catch((error) => {
      this.#loading = false;
      this.#options.log.error("cron patterns cannot be read", { error: messageOf(error) });
    });
  }

  #run(job: ScheduledJob, look: Look, instead: unknown): void {
    const { entry, name } = job;
    if (truthy(entry.jid_include ?? true)) {
      entry.jid_include = true;
      entry.maxrunning ??= 1;
    }
    if (this.#isFull(job)) return job.heldBack(look);
    job.ran(look);
    if (truthy(entry.dry_run ?? false)) {
      this.#options.log.debug("scheduled job not run: dry_run is set", { job: name });
      return;
    }
    this.#options.log.info("scheduled job starts", { job: name });
    this.#options.run({ name, fun: instead ?? entryFunction(entry), entry });
  }

  /** True if the job has reached its limit of concurrent runs. */
  #isFull({ entry, name }: ScheduledJob): boolean {
    const most = truthy(entry.jid_include ?? true) ? wholeNumber(entry.maxrunning ?? 1) ?? 1 : MAX_AT_ONCE;
    const running = this.#options.running(name);
    // As in Salt, the first run starts even if the limit is 0.
    if (running === 0 || running < most) return false;
    this.#options.log.debug("scheduled job not run: its limit of concurrent runs is reached", {
      job: name,
      running,
      most,
    });
    return true;
  }

  /** Runs a job now, regardless of its times (`schedule.run_job`). @returns false if the job is unknown or held back */
  runNow(key: string): boolean {
    const job = this.schedule.find(key, "opts") ?? this.schedule.find(key, "pillar");
    if (job === undefined) return false;
    job.entry.name ??= key;
    if (this.#isFull(job)) return false;
    job.entry.run = true;
    if (truthy(job.entry.dry_run ?? false)) return true;
    this.#options.run({ name: job.name, fun: entryFunction(job.entry), entry: job.entry });
    return true;
  }
}
