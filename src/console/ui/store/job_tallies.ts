import { type Api, ApiError } from "../../api.ts";
import { Job } from "../../job.ts";
import { type Tally, tallyOfJob, tallyOfReport } from "../../tally.ts";
import type { FollowedJobs } from "./followed_jobs.ts";

/** Jobs whose returns are read in one request to count them, where the master does not count. */
const COUNTED_TOGETHER = 5;

type TakeTally = (jid: string, tally: Tally) => void;

/** Counts the outcomes of jobs for the rows of the job history. */
export class JobTallies {
  readonly #api: Api;
  readonly #jobs: FollowedJobs;
  /** Whether the master counts (`jobs.tally`), as masters of Brine do; undefined until it was asked. */
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
   */
  async read(jids: readonly string[], take: TakeTally): Promise<void> {
    const unknown: string[] = [];
    for (const jid of jids) {
      const job = this.#jobs.peek(jid);
      if (job === undefined || job.size === 0) unknown.push(jid);
      else take(jid, tallyOfJob(job));
    }
    if (unknown.length === 0 || await this.#fromMaster(unknown, take)) return;
    for (let at = 0; at < unknown.length; at += COUNTED_TOGETHER) {
      const some = unknown.slice(at, at + COUNTED_TOGETHER);
      const reports = await this.#api.runners(some.map((jid) => ({ fun: "jobs.list_job", jid })));
      for (const [index, jid] of some.entries()) {
        const job = new Job({ jid, fun: "", arg: [], tgt: "", tgtType: "glob" });
        job.takeReport(reports[index]);
        take(jid, tallyOfJob(job));
      }
    }
  }

  /** False if the master does not count outcomes, as Salt's own does not. */
  async #fromMaster(jids: readonly string[], take: TakeTally): Promise<boolean> {
    if (this.#masterCounts === false) return false;
    try {
      const found = await this.#api.runner("jobs.tally", { jids });
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
