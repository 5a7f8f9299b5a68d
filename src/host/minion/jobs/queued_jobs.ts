import { deferred } from "../../../base/async/deferred.ts";

interface Waiting {
  jid: string;
  run(): Promise<void>;
  over(): void;
}

/**
 * Jobs that masters kept for this minion while it was away. They run one after the other, the oldest present job first, whichever master
 * each comes from, and however it comes: with the answer about missed jobs, by a publication, or from the journal.
 */
export class QueuedJobs {
  /** Jid → the queued job. */
  readonly #waiting: Waiting[] = [];
  #running = false;

  /** True for a publication of a job that a master kept. */
  static isQueued({ delivery }: Record<string, unknown>): boolean {
    return (delivery as { queued?: unknown } | undefined)?.queued === true;
  }

  /** Adds a job. The promise resolves when the job is over. @param run never rejects */
  add(jid: string, run: () => Promise<void>): Promise<void> {
    const { promise, resolve } = deferred<void>();
    const after = this.#waiting.findIndex((other) => other.jid > jid);
    this.#waiting.splice(after === -1 ? this.#waiting.length : after, 0, { jid, run, over: resolve });
    // The first job starts in a later turn of the event loop, so that all jobs of the same answer are added first.
    if (!this.#running) void Promise.resolve().then(() => this.#run());
    this.#running = true;
    return promise;
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await next.run();
      next.over();
    }
    this.#running = false;
  }
}
