/** A job that may be removed, and the bytes that this frees. */
interface SizedJob {
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

/** More are forgotten together. */
const MOST = 1000;

/**
 * Which of the jobs that were saved last have a load: a thousand returns of one job ask a thousand times. To be cleared
 * whenever saves are lost or jobs are removed, since the store may then no longer have them.
 */
export class RecentJobs {
  readonly #hasLoad = new Map<string, boolean>();

  /** Undefined if the store must be asked; false for a job that has its jid reserved and no load yet. */
  hasLoad(jid: string): boolean | undefined {
    return this.#hasLoad.get(jid);
  }

  remember(jid: string, hasLoad: boolean): void {
    if (this.#hasLoad.size >= MOST) this.#hasLoad.clear();
    this.#hasLoad.set(jid, hasLoad);
  }

  clear(): void {
    this.#hasLoad.clear();
  }
}
