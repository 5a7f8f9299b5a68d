import { type Deferred, deferred } from "../async/deferred.ts";
import { messageOf } from "../errors.ts";
import type { JobCache } from "../job/job_cache.ts";
import type { Logger } from "../log.ts";

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
  #flushing = false;
  #saidMs = -Infinity;
  #failed = 0;

  constructor(options: { jobs: JobCache; later(call: () => void): void; now(): number; log: Logger }) {
    this.#jobs = options.jobs;
    this.#later = options.later;
    this.#now = options.now;
    this.#log = options.log;
  }

  /**
   * Resolves once all that was saved up to now is durable; rejects if it could not be made so, and is not kept then.
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
        const flushed = this.#jobs.flush();
        if (flushed !== undefined) await flushed;
        waiting.resolve();
        if (this.#failed > 0) this.#log.info("the job cache can be written again", { place: this.#jobs.place });
        this.#failed = 0;
      } catch (error) {
        this.#failed++;
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
