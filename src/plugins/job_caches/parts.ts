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

/** Compares by minion id, the order in which every job cache returns what belongs to a job. */
export const byMinion = (a: { minion: string }, b: { minion: string }): number => a.minion < b.minion ? -1 : 1;

/** The targets of a job from the lists that its master and its syndics saved: sorted, each once. */
export function allMinions(lists: Iterable<readonly string[]>): string[] {
  const all = new Set<string>();
  for (const list of lists) for (const id of list) all.add(id);
  return [...all].sort();
}
