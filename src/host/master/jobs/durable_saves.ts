import { type Deferred, deferred } from "../../../base/async/deferred.ts";
import { messageOf } from "../../../base/errors.ts";
import { UnannouncedReturns } from "./unannounced_returns.ts";
import type { Awaitable, JobCache } from "../../../model/job/job_cache.ts";
import type { Logger } from "../../../base/log.ts";
import { type Counter, type Histogram, type Meter, METRICS, NO_METER } from "../../../base/telemetry/mod.ts";

/** Time between two log lines about failed flushes: a full disk must not fill the log as well. */
const SAY_AGAIN_MS = 10_000;

/** Flushes come no faster than this: under load each costs more than the few returns of a short turn of the loop. */
const GATHER_MS = 2;
/** Turns that a flush waits at most, whatever the clock says. Without load they take microseconds. */
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
  /** Saves under way: a job cache on another host takes a while. */
  readonly #begun = new Set<Promise<unknown>>();
  readonly #meter: Meter;
  readonly #seconds: Histogram;
  readonly #failures: Counter;
  /** Returns that are not safe, or could not be made safe: nobody was told of them. */
  readonly unannounced: UnannouncedReturns;
  #flushing = false;
  /** When the last flush began. */
  #flushedMs = -Infinity;
  #saidMs = -Infinity;
  #failed = 0;
  #losses = 0;
  /** The error of the last failed flush. */
  #loss: unknown;

  /**
   * @param options.meter counts flushes; @default none are counted
   * @param options.unannounced @default those of this process alone
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

  /** How often a flush has failed; read it before a save that takes several turns, and pass it to {@link JobStore.assertKept}. */
  get losses(): number {
    return this.#losses;
  }

  /** Saves that are under way. */
  get pending(): number {
    return this.#begun.size;
  }

  /** A save that may go on for a while: {@link JobStore.durable} includes it from now on. Its error is for the caller. */
  begun<T>(saving: Awaitable<T>): Awaitable<T> {
    if (saving instanceof Promise) {
      this.#begun.add(saving);
      const done = () => void this.#begun.delete(saving);
      saving.then(done, done);
    }
    return saving;
  }

  /**
   * Resolves once everything saved up to now is durable; rejects if that failed, and then nothing of it is kept.
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
   * Where turns of the loop have passed between the first save and {@link JobStore.durable}: what was saved first may have been lost with a
   * flush that failed meanwhile.
   *
   * @param since {@link JobStore.losses} before the first save
   * @throws {SystemError} of that flush
   */
  assertKept(since: number): void {
    if (since !== this.#losses) throw this.#loss;
  }

  /** Flushes without waiting for it. */
  soon(): void {
    void this.durable();
  }

  /** Lets a few turns of the loop pass if the last flush was a moment ago: what they save goes with this one. */
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
