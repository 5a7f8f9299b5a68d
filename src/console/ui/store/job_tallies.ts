import { type Api, ApiError } from "../../api.ts";
import { Job } from "../../job.ts";
import { type JobTally, tallyOfJob, tallyOfPart, tallyOfReport } from "../../tally.ts";
import type { FollowedJobs } from "./followed_jobs.ts";

/** The most jobs in one request to a Brine master. */
const ASKED_TOGETHER = 200;
/** The most jobs whose returns are read to count them: returns of a large fleet take megabytes. */
const MAX_READ = 60;
/** The most jobs whose returns are read in one request, if the master does not count outcomes. */
const COUNTED_TOGETHER = 5;

type TakeTally = (jid: string, tally: JobTally) => void;

/** Counts the outcomes of jobs for the rows of the job history. */
export class JobTallies {
  readonly #api: Api;
  readonly #jobs: FollowedJobs;
  /** True if the master counts outcomes (`jobs.tally`), as Brine does; undefined until it was asked. */
  #masterCounts: boolean | undefined;

  constructor(api: Api, jobs: FollowedJobs) {
    this.#api = api;
    this.#jobs = jobs;
  }

  /**
   * Counts the outcomes of these jobs: in one request to a Brine master; from other masters the returns of a few jobs at a
   * time are read and counted here.
   *
   * @param take called with the tally of each job as soon as it is known
   * @param minion counts only this target, which other masters cannot do: then nothing is read from them
   */
  async read(jids: readonly string[], take: TakeTally, minion?: string): Promise<void> {
    const unknown: string[] = [];
    for (const jid of jids) {
      const job = this.#jobs.peek(jid);
      const tally = job === undefined || job.size === 0
        ? undefined
        : minion === undefined
        ? tallyOfJob(job)
        : tallyOfPart(job, minion);
      if (tally === undefined) unknown.push(jid);
      else take(jid, tally);
    }
    for (let at = 0; at < unknown.length; at += ASKED_TOGETHER) {
      if (await this.#fromMaster(unknown.slice(at, at + ASKED_TOGETHER), take, minion)) continue;
      if (minion === undefined) await this.#fromReturns(unknown.slice(at), take);
      return;
    }
  }

  async #fromReturns(jids: readonly string[], take: TakeTally): Promise<void> {
    for (let at = 0; at < Math.min(jids.length, MAX_READ); at += COUNTED_TOGETHER) {
      const some = jids.slice(at, at + COUNTED_TOGETHER);
      const reports = await this.#api.runners(some.map((jid) => ({ fun: "jobs.list_job", jid })));
      for (const [index, jid] of some.entries()) {
        const job = new Job({ jid, fun: "", arg: [], tgt: "", tgtType: "glob" });
        job.takeReport(reports[index]);
        take(jid, tallyOfJob(job));
      }
    }
  }

  /** Reads the counts of the master; false if it does not count outcomes, as Salt does not. */
  async #fromMaster(jids: readonly string[], take: TakeTally, minion: string | undefined): Promise<boolean> {
    if (this.#masterCounts === false) return false;
    try {
      const found = await this.#api.runner("jobs.tally", {
        jids,
        durations: true,
        ...(minion === undefined ? {} : { minion }),
      });
      this.#masterCounts = typeof found === "object" && found !== null;
      if (!this.#masterCounts) return false;
      for (const jid of jids) {
        const tally = tallyOfReport((found as Record<string, unknown>)[jid] ?? {});
        if (tally !== undefined) take(jid, tally);
      }
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || !["failed", "forbidden", "refused"].includes(error.kind)) throw error;
      if (error.status === 503) throw error;
      this.#masterCounts = false;
      return false;
    }
  }
}
