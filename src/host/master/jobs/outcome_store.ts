import type { JobCache } from "../../../model/job/job_cache.ts";
import type { TargetOutcome } from "../../../model/job/outcome.ts";

/** The outcomes of a job that could not be saved: the last outcome of each target, with the number of its save. */
interface Unsaved {
  outcomes: Map<string, { outcome: TargetOutcome; number: number }>;
  settled: boolean;
}

/**
 * Saves the outcomes of targets and the ends of jobs in the job cache. Outcomes that the cache does not take, because the disk is
 * full, are kept and saved again later: one outcome for each target, however often it changes meanwhile.
 */
export class OutcomeStore {
  readonly #jobs: JobCache;
  readonly #durable: () => Promise<void>;
  readonly #saved: (jid: string, outcomes: readonly TargetOutcome[]) => void;
  #unsaved = new Map<string, Unsaved>();
  /** The jobs with saves that have not ended: how many, and the number of the last save of each target. */
  readonly #saving = new Map<string, { count: number; last: Map<string, number> }>();
  /** The number of saves so far. */
  #number = 0;

  /**
   * @param durable resolves once all saves so far are durable; rejects if they were not kept
   * @param saved called with outcomes that are durable
   */
  constructor(
    jobs: JobCache,
    durable: () => Promise<void>,
    saved: (jid: string, outcomes: readonly TargetOutcome[]) => void,
  ) {
    this.#jobs = jobs;
    this.#durable = durable;
    this.#saved = saved;
  }

  /**
   * Saves outcomes of a job; resolves once they were saved, or are kept to be saved later.
   *
   * @param settled true if the whole job has ended
   */
  save(jid: string, outcomes: readonly TargetOutcome[], settled: boolean): Promise<void> {
    const number = ++this.#number;
    const retry = () => this.#keep(jid, outcomes, settled, number);
    try {
      const saving = [
        outcomes.length > 0 ? this.#jobs.saveOutcomes(jid, outcomes) : undefined,
        settled ? this.#jobs.settle(jid) : undefined,
      ];
      this.#begun(jid, outcomes, number);
      return Promise.all([...saving, this.#durable()]).then(() => this.#saved(jid, outcomes), retry)
        .finally(() => this.#ended(jid));
    } catch {
      // Other saves of the same turn of the loop must learn of the failure, and the next turn must begin afresh.
      this.#durable().catch(() => {});
      retry();
      return Promise.resolve();
    }
  }

  #begun(jid: string, outcomes: readonly TargetOutcome[], number: number): void {
    const saving = this.#saving.get(jid) ?? { count: 0, last: new Map<string, number>() };
    this.#saving.set(jid, saving);
    saving.count++;
    for (const { minion } of outcomes) {
      saving.last.set(minion, number);
      // This outcome replaces one that waits, which would otherwise be saved after it.
      this.#unsaved.get(jid)?.outcomes.delete(minion);
    }
  }

  #ended(jid: string): void {
    const saving = this.#saving.get(jid);
    if (saving !== undefined && --saving.count === 0) this.#saving.delete(jid);
  }

  /** True if an outcome of a job is not in the job cache yet. */
  has(jid: string): boolean {
    return this.#saving.has(jid) || this.#unsaved.has(jid);
  }

  /** True if the job cache has not taken the last outcome of a target yet. */
  lacks(jid: string, minion: string): boolean {
    return this.#unsaved.get(jid)?.outcomes.has(minion) === true;
  }

  /** Keeps outcomes that could not be saved. An earlier save may fail after a later one: its outcomes do not replace later ones. */
  #keep(jid: string, outcomes: readonly TargetOutcome[], settled: boolean, number: number): void {
    const kept: Unsaved = this.#unsaved.get(jid) ?? { outcomes: new Map(), settled: false };
    this.#unsaved.set(jid, kept);
    const last = this.#saving.get(jid)?.last;
    for (const outcome of outcomes) {
      const later = Math.max(kept.outcomes.get(outcome.minion)?.number ?? 0, last?.get(outcome.minion) ?? 0);
      if (later <= number) kept.outcomes.set(outcome.minion, { outcome, number });
    }
    kept.settled ||= settled;
  }

  /** Drops all outcomes that could not be saved: another master decides on these jobs. */
  abandon(): void {
    this.#unsaved = new Map();
  }

  /** The number of targets whose outcomes were not saved yet. */
  get waiting(): number {
    return this.#unsaved.values().reduce((sum, { outcomes }) => sum + outcomes.size, 0);
  }

  /**
   * Saves again the outcomes that could not be saved.
   *
   * @param isCurrent false for an outcome that a later, saved one has replaced
   * @param isOpen whether a job is open: it may have been published to more targets after it had ended
   */
  retry(isCurrent: (jid: string, outcome: TargetOutcome) => boolean, isOpen: (jid: string) => boolean): void {
    const unsaved = this.#unsaved;
    this.#unsaved = new Map();
    for (const [jid, { outcomes, settled }] of unsaved) {
      const current = [...outcomes.values()].map(({ outcome }) => outcome).filter((outcome) => isCurrent(jid, outcome));
      const ended = settled && !isOpen(jid);
      if (current.length > 0 || ended) void this.save(jid, current, ended);
    }
  }
}
