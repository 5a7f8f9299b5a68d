/** The most targets of other masters' jobs that are remembered; the next constant bounds the jobs. */
const MAX_TARGETS = 500_000;
const MAX_JOBS = 20_000;

/** Jobs of other masters with the targets that have not returned: a return of such a target needs no look into the job cache. */
export class PeerJobs {
  readonly #jobs = new Map<string, Set<string>>();
  #targets = 0;

  add(jid: string, minions: readonly string[]): void {
    const known = this.#jobs.get(jid);
    if (known !== undefined) return;
    this.#jobs.set(jid, new Set(minions));
    this.#targets += minions.length;
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= MAX_JOBS && this.#targets <= MAX_TARGETS) break;
      this.#remove(oldest);
    }
  }

  /** True if the job is for the minion and no return of it is known. False says nothing: the job may be forgotten. */
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
