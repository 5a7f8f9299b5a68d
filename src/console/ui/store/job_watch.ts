import { type Api, ApiError } from "../../api.ts";
import type { Job } from "../../job.ts";
import type { FollowedJobs } from "./followed_jobs.ts";

/** After this much silence a job's returns are read: a stream that has just begun may have missed events. */
const READ_MS = 3000;
/** After this much silence the targets of a job are asked whether they still run it. */
const SILENCE_MS = 10_000;
/** The same while the event stream is down. */
const SILENCE_OFFLINE_MS = 5000;

/**
 * Looks after running jobs of which no event comes: reads what is on record, then asks the master, or on a master that does
 * not name outcomes the minions themselves (`saltutil.find_job`).
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

  /**
   * Checks all followed jobs; called every second.
   *
   * @param live whether the event stream is connected
   */
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
      // Asked again after the next silence; the link state or a notice shows what is wrong.
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
    // A minion may have returned between the question and its answer: what is on record counts first.
    await this.#jobs.readReturns(job);
    job.giveUp(silent.filter((id) => {
      const answer = found[id];
      return typeof answer !== "object" || answer === null || Object.keys(answer).length === 0;
    }));
  }
}
