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
