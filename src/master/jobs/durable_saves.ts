import { type Deferred, deferred } from "../../async/deferred.ts";
import { messageOf } from "../../errors.ts";
import type { Awaitable, JobCache } from "../../job/job_cache.ts";
import type { Logger } from "../../log.ts";

/** A disk that stays full must not fill the log beside it. */
const SAY_AGAIN_MS = 10_000;

/**
 * Makes what a master saves durable, all that one turn of the loop saves at once. Whoever acknowledges something to
 * somebody else waits for {@link JobStore.durable} first.
 */
export class JobStore {
  readonly #jobs: JobCache;
  readonly #later: (call: () => void) => void;
  readonly #now: () => number;
  readonly #log: Logger;
  #next: Deferred<void> | undefined;
  /** Saves that go on: a cache that is elsewhere looks first whether it has a return. */
  readonly #begun = new Set<Promise<unknown>>();
  #flushing = false;
  #saidMs = -Infinity;
  #failed = 0;
  #losses = 0;
  /** Why the last of them failed. */
  #loss: unknown;

  constructor(options: { jobs: JobCache; later(call: () => void): void; now(): number; log: Logger }) {
    this.#jobs = options.jobs;
    this.#later = options.later;
    this.#now = options.now;
    this.#log = options.log;
  }

  /** How often a flush has failed: to be looked at before what is saved over several turns, for {@link JobStore.durable}. */
  get losses(): number {
    return this.#losses;
  }

  /** A save that may go on for a while: {@link JobStore.durable} includes it from now on. Its failure is for its caller. */
  begun<T>(saving: Awaitable<T>): Awaitable<T> {
    if (saving instanceof Promise) {
      this.#begun.add(saving);
      const done = () => void this.#begun.delete(saving);
      saving.then(done, done);
    }
    return saving;
  }

  /**
   * Resolves once all whose saving was begun up to now is durable; rejects if it could not be made so, and is not kept then.
   *
   * @param since {@link JobStore.losses} of before the first save, if there were others' turns between that and this call:
   *   what was saved first may have gone with a flush that failed meanwhile
   * @throws {SystemError} of the job cache
   */
  durable(since?: number): Promise<void> {
    if (this.#next === undefined) {
      this.#next = deferred<void>();
      if (!this.#flushing) this.#later(() => void this.#flush());
    }
    const { promise } = this.#next;
    return since === undefined ? promise : promise.then(() => {
      if (since !== this.#losses) throw this.#loss;
    });
  }

  /** The same, for what nobody waits for. */
  soon(): void {
    void this.durable();
  }

  async #flush(): Promise<void> {
    this.#flushing = true;
    while (this.#next !== undefined) {
      const waiting = this.#next;
      this.#next = undefined;
      try {
        if (this.#begun.size > 0) await Promise.allSettled(this.#begun);
        const flushed = this.#jobs.flush();
        if (flushed !== undefined) await flushed;
        waiting.resolve();
        if (this.#failed > 0) this.#log.info("the job cache can be written again", { place: this.#jobs.place });
        this.#failed = 0;
      } catch (error) {
        this.#failed++;
        this.#losses++;
        this.#loss = error;
        const now = this.#now();
        if (this.#failed === 1 || Math.abs(now - this.#saidMs) >= SAY_AGAIN_MS) {
          this.#saidMs = now;
          this.#log.error("the job cache could not be written: jobs are refused, and returns wait at their minions", {
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
