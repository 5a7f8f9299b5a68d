import type { JobCache } from "../../job/job_cache.ts";
import type { TargetOutcome } from "../../job/outcome.ts";

interface Unsaved {
  jid: string;
  outcomes: readonly TargetOutcome[];
  settled: boolean;
}

/**
 * Saves the outcomes of targets and the ends of jobs in the job cache. What the cache does not take, because the disk is
 * full, is kept and saved again later.
 */
export class OutcomeStore {
  readonly #jobs: JobCache;
  readonly #durable: () => Promise<void>;
  #unsaved: Unsaved[] = [];

  /** @param durable resolves once what was saved is durable; rejects if it was not kept */
  constructor(jobs: JobCache, durable: () => Promise<void>) {
    this.#jobs = jobs;
    this.#durable = durable;
  }

  /** @param settled true if the whole job has ended */
  save(jid: string, outcomes: readonly TargetOutcome[], settled: boolean): void {
    const retry = () => void this.#unsaved.push({ jid, outcomes, settled });
    try {
      const saving = [
        outcomes.length > 0 ? this.#jobs.saveOutcomes(jid, outcomes) : undefined,
        settled ? this.#jobs.settle(jid) : undefined,
      ];
      Promise.all([...saving, this.#durable()]).catch(retry);
    } catch {
      // Others that save in the same turn of the loop must learn of the failure, and the next turn must begin afresh.
      this.#durable().catch(() => {});
      retry();
    }
  }

  /**
   * Saves again what was not kept.
   *
   * @param isCurrent false for an outcome that a later one has replaced, which was saved since
   * @param isOpen whether a job is open: it may have been published to more targets after it had ended
   */
  retry(isCurrent: (jid: string, outcome: TargetOutcome) => boolean, isOpen: (jid: string) => boolean): void {
    if (this.#unsaved.length === 0) return;
    for (const { jid, outcomes, settled } of this.#unsaved.splice(0)) {
      const current = outcomes.filter((outcome) => isCurrent(jid, outcome));
      const ended = settled && !isOpen(jid);
      if (current.length > 0 || ended) this.save(jid, current, ended);
    }
  }
}
