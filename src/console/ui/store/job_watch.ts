import { type Api, ApiError } from "../../api.ts";
import type { Job } from "../../job.ts";
import type { FollowedJobs } from "./followed_jobs.ts";

/** The silence after which a job's returns are read, in milliseconds: a new stream may have missed events. */
const READ_MS = 3000;
/** The silence after which the targets of a job are asked whether they still run it, in milliseconds. */
const SILENCE_MS = 10_000;
/** As {@link SILENCE_MS}, while the event stream is down. */
const SILENCE_OFFLINE_MS = 5000;

/**
 * Watches running jobs without events: reads the recorded returns, then asks the master, or, if the master does not report
 * outcomes, the minions themselves (`saltutil.find_job`).
 */
export class JobWatch {
  readonly #api: Api;
  readonly #now: () => number;
  readonly #jobs: FollowedJobs;
  readonly #readMs = new Map<string, number>();
  readonly #askedMs = new Map<string, number>();

  constructor(api: Api, now: () => number, jobs: FollowedJobs) {
    this.#api = api;
    this.#now = now;
    this.#jobs = jobs;
  }

  /** Checks all followed jobs; called every second. @param live whether the event stream is connected */
  poll(live: boolean): void {
    for (const job of this.#jobs.all) {
      if (job.done || job.size === 0) continue;
      const { jid } = job.head;
      if (this.#now() - job.heardMs >= READ_MS && (this.#readMs.get(jid) ?? 0) <= job.heardMs) {
        this.#readMs.set(jid, this.#now());
        void this.#attempt(job, () => this.#jobs.readReturns(job));
      }
      const since = this.#now() - Math.max(job.heardMs, this.#askedMs.get(jid) ?? 0);
      if (since < (live ? SILENCE_MS : SILENCE_OFFLINE_MS)) continue;
      this.#askedMs.set(jid, this.#now());
      void this.#attempt(job, () => this.#ask(job, live));
    }
  }

  async #attempt(job: Job, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#jobs.changed(job);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The question is repeated after the next silence; the link state or a notice shows the problem.
    }
  }

  async #ask(job: Job, live: boolean): Promise<void> {
    const { jid } = job.head;
    const outcomes = await this.#jobs.outcomes(jid);
    if (outcomes !== undefined) {
      if (!live) await this.#jobs.readReturns(job);
      job.takeOutcomes(outcomes);
      return;
    }
    const silent = job.waiting();
    const found = await this.#api.local({
      tgt: silent.join(","),
      tgt_type: "list",
      fun: "saltutil.find_job",
      arg: [jid],
    });
    // A minion may have returned between the question and its answer: recorded returns are read first.
    await this.#jobs.readReturns(job);
    job.giveUp(silent.filter((id) => {
      const answer = found[id];
      return typeof answer !== "object" || answer === null || Object.keys(answer).length === 0;
    }));
  }
}
