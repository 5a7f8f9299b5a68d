/** Targets of jobs of other masters that are remembered, and jobs. */
const MOST_TARGETS = 500_000;
const MOST_JOBS = 20_000;

/** Jobs that other masters have published, and which of their targets have not returned: their returns need no look into the job cache. */
export class PeerJobs {
  readonly #jobs = new Map<string, Set<string>>();
  #targets = 0;

  add(jid: string, minions: readonly string[]): void {
    const known = this.#jobs.get(jid);
    if (known !== undefined) return;
    this.#jobs.set(jid, new Set(minions));
    this.#targets += minions.length;
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= MOST_JOBS && this.#targets <= MOST_TARGETS) break;
      this.#remove(oldest);
    }
  }

  /** True if the job is for the minion, and no return of it was heard of. False says nothing. */
  expects(jid: string, id: string): boolean {
    return this.#jobs.get(jid)?.has(id) ?? false;
  }

  returned(jid: string, id: string): void {
    const job = this.#jobs.get(jid);
    if (job?.delete(id) !== true) return;
    this.#targets--;
    if (job.size === 0) this.#jobs.delete(jid);
  }

  #remove(jid: string): void {
    this.#targets -= this.#jobs.get(jid)?.size ?? 0;
    this.#jobs.delete(jid);
  }
}
