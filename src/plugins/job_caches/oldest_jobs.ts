/** A job that may be removed, and the bytes that this frees. */
export interface SizedJob {
  jid: string;
  size: number;
}

/** The first jobs of a list, oldest first, that together free at least `excess` bytes; all if they do not suffice. */
export function oldestJobs<Job extends SizedJob>(jobs: Iterable<Job>, excess: number): Job[] {
  const chosen: Job[] = [];
  let left = excess;
  for (const job of jobs) {
    if (left <= 0) break;
    chosen.push(job);
    left -= job.size;
  }
  return chosen;
}
