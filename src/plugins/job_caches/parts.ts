/** The parts that a job cache is put together from; together they are a {@link JobCache} but for `place`, `flush` and `close`. */
import type { JobCache, LocalJobCache } from "../../model/job/job_cache.ts";

export type JobSaves = Pick<
  JobCache,
  "reserve" | "saveLoad" | "saveMinions" | "saveReturn" | "saveOutcomes" | "settle"
>;
export type JobReads = Pick<
  JobCache,
  "load" | "hasLoad" | "hasReturn" | "minions" | "returns" | "returned" | "outcomes" | "unsettled" | "inState"
>;
export type JobRemoval = Pick<JobCache, "expire" | "shrink">;

/** The same of a store on this host, which answers at once. */
export type LocalJobSaves = Pick<LocalJobCache, keyof JobSaves>;
export type LocalJobReads = Pick<LocalJobCache, Exclude<keyof JobReads, "returned">>;
