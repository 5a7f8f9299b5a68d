import type { JobCache } from "../../../model/job/job_cache.ts";
import type { TargetOutcome } from "../../../model/job/outcome.ts";

/** What was not kept of a job: the last outcome of each target, with the number of its save. */
interface Unsaved {
  outcomes: Map<string, { outcome: TargetOutcome; number: number }>;
  settled: boolean;
}

/**
 * Saves the outcomes of targets and the ends of jobs in the job cache. What the cache does not take, because the disk is
 * full, is kept and saved again later: one outcome for each target, however often it changes meanwhile.
 */
export class OutcomeStore {
  readonly #jobs: JobCache;
  readonly #durable: () => Promise<void>;
  readonly #saved: (jid: string, outcomes: readonly TargetOutcome[]) => void;
  #unsaved = new Map<string, Unsaved>();
  /** Jobs of which something is being saved: how often, and the number of the last save of each target. */
  readonly #saving = new Map<string, { count: number; last: Map<string, number> }>();
  /** Saves so far. */
  #number = 0;

  /**
   * @param durable resolves once what was saved is durable; rejects if it was not kept
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
   * Resolves once it was saved, or is kept to be saved later.
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
      // Others that save in the same turn of the loop must learn of the failure, and the next turn must begin afresh.
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
      // It takes the place of what waits, which would be saved after it.
      this.#unsaved.get(jid)?.outcomes.delete(minion);
    }
  }

  #ended(jid: string): void {
    const saving = this.#saving.get(jid);
    if (saving !== undefined && --saving.count === 0) this.#saving.delete(jid);
  }

  /** True if something of the job is not in the job cache yet. */
  has(jid: string): boolean {
    return this.#saving.has(jid) || this.#unsaved.has(jid);
  }

  /** True if the last outcome of that target was not taken by the job cache yet. */
  lacks(jid: string, minion: string): boolean {
    return this.#unsaved.get(jid)?.outcomes.has(minion) === true;
  }

  /** Keeps what could not be saved. An earlier save may fail after a later one, and its outcomes replace no later ones. */
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

  /** What was not kept is for another master to decide. */
  abandon(): void {
    this.#unsaved = new Map();
  }

  /** Targets whose outcomes were not kept yet. */
  get waiting(): number {
    return this.#unsaved.values().reduce((sum, { outcomes }) => sum + outcomes.size, 0);
  }

  /**
   * Saves again what was not kept.
   *
   * @param isCurrent false for an outcome that a later one has replaced, which was saved since
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
