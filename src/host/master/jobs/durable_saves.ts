import { type Deferred, deferred } from "../../../base/async/deferred.ts";
import { messageOf } from "../../../base/errors.ts";
import { UnannouncedReturns } from "./unannounced_returns.ts";
import type { Awaitable, JobCache } from "../../../model/job/job_cache.ts";
import type { Logger } from "../../../base/log.ts";
import { type Counter, type Histogram, type Meter, METRICS, NO_METER } from "../../../base/telemetry/mod.ts";

/** The time between two log lines about failed flushes, in milliseconds: a full disk must not fill the log as well. */
const SAY_AGAIN_MS = 10_000;

/** The shortest time between two flushes, in milliseconds: under load a flush costs more than the few returns of a short turn of the loop. */
const GATHER_MS = 2;
/** The most turns of the event loop that a flush waits, whatever the clock says. Without load they take microseconds. */
const GATHER_TURNS = 8;

/**
 * Makes what a master saves durable, with one flush for all that one turn of the event loop saves. Before an acknowledgement is
 * sent, {@link JobStore.durable} must have resolved.
 */
export class JobStore {
  readonly #jobs: JobCache;
  readonly #later: (call: () => void) => void;
  readonly #now: () => number;
  readonly #log: Logger;
  #next: Deferred<void> | undefined;
  /** The saves that have begun: a job cache on another host takes a while. */
  readonly #begun = new Set<Promise<unknown>>();
  readonly #meter: Meter;
  readonly #seconds: Histogram;
  readonly #failures: Counter;
  /** The returns that are not durable yet, or could not be made durable: their events have not been fired. */
  readonly unannounced: UnannouncedReturns;
  #flushing = false;
  /** When the last flush began, in milliseconds by the monotonic clock. */
  #flushedMs = -Infinity;
  #saidMs = -Infinity;
  #failed = 0;
  #losses = 0;
  /** The error of the last failed flush. */
  #loss: unknown;

  /**
   * @param options.meter counts flushes; @default flushes are not counted
   * @param options.unannounced the returns without an event; @default those of this process alone
   */
  constructor(
    options: {
      jobs: JobCache;
      later(call: () => void): void;
      now(): number;
      log: Logger;
      meter?: Meter;
      unannounced?: UnannouncedReturns;
    },
  ) {
    const { meter = NO_METER } = options;
    this.unannounced = options.unannounced ?? new UnannouncedReturns();
    this.#meter = meter;
    this.#seconds = meter.histogram(METRICS.jobCacheSeconds);
    this.#failures = meter.counter(METRICS.jobCacheFailed);
    this.#jobs = options.jobs;
    this.#later = options.later;
    this.#now = options.now;
    this.#log = options.log;
  }

  /** How many flushes have failed; read it before a save that takes several turns, and pass it to {@link JobStore.assertKept}. */
  get losses(): number {
    return this.#losses;
  }

  /** The number of saves that have begun and not ended. */
  get pending(): number {
    return this.#begun.size;
  }

  /** Adds a save that may take a while: {@link JobStore.durable} waits for it from now on. The caller handles its error. */
  begun<T>(saving: Awaitable<T>): Awaitable<T> {
    if (saving instanceof Promise) {
      this.#begun.add(saving);
      const done = () => void this.#begun.delete(saving);
      saving.then(done, done);
    }
    return saving;
  }

  /**
   * Resolves once everything saved up to now is durable; rejects if the flush failed, and then nothing of it is kept.
   *
   * @throws {SystemError} of the job cache
   */
  durable(): Promise<void> {
    if (this.#next === undefined) {
      this.#next = deferred<void>();
      if (!this.#flushing) this.#later(() => void this.#flush());
    }
    return this.#next.promise;
  }

  /**
   * Throws if a flush has failed since the first of several saves. To be used if turns of the loop have passed between the first save and
   * {@link JobStore.durable}: the first saves may have been lost with that flush.
   *
   * @param since {@link JobStore.losses} before the first save
   * @throws {SystemError} of that flush
   */
  assertKept(since: number): void {
    if (since !== this.#losses) throw this.#loss;
  }

  /** Begins a flush without waiting for its end. */
  soon(): void {
    void this.durable();
  }

  /** Lets a few turns of the loop pass if the last flush was a moment ago: this flush then covers their saves as well. */
  async #gather(): Promise<void> {
    for (let turn = 0; turn < GATHER_TURNS && this.#isSoon; turn++) await new Promise<void>(this.#later);
  }

  get #isSoon(): boolean {
    return Math.abs(this.#now() - this.#flushedMs) < GATHER_MS;
  }

  async #flush(): Promise<void> {
    this.#flushing = true;
    while (this.#next !== undefined) {
      if (this.#isSoon) await this.#gather();
      this.#flushedMs = this.#now();
      const waiting = this.#next;
      this.#next = undefined;
      const began = this.#meter.now();
      try {
        if (this.#begun.size > 0) await Promise.allSettled(this.#begun);
        const flushed = this.#jobs.flush();
        if (flushed !== undefined) await flushed;
        this.#seconds.observe(this.#meter.now() - began);
        waiting.resolve();
        if (this.#failed > 0) this.#log.info("job cache can be written again", { place: this.#jobs.place });
        this.#failed = 0;
      } catch (error) {
        this.#failures.add(1);
        this.#failed++;
        this.#losses++;
        this.#loss = error;
        const now = this.#now();
        if (this.#failed === 1 || Math.abs(now - this.#saidMs) >= SAY_AGAIN_MS) {
          this.#saidMs = now;
          this.#log.error("job cache could not be written: jobs are refused, and minions keep their returns", {
            place: this.#jobs.place,
            error: messageOf(error),
          });
        }
        waiting.reject(error);
      }
    }
    this.#flushing = false;
  }
}
