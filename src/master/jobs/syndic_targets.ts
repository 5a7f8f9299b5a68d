import { grouped } from "../../async/grouped.ts";
import type { JobCache } from "../../job/job_cache.ts";

/** Targets of one job that one syndic has named, and that are not saved yet. */
interface Unsaved {
  ids: Set<string>;
  /** Saves what is there; callers during a save share the next one. */
  save(): Promise<void>;
  callers: number;
}

/**
 * Adds the minions that syndics name to the records of jobs. A list is saved as a whole, so the names of many returns that arrive
 * together are saved together: otherwise a job of n targets would cost n lists of up to n names.
 */
export class SyndicTargets {
  readonly #jobs: Pick<JobCache, "minions" | "saveMinions">;
  readonly #unsaved = new Map<string, Unsaved>();

  constructor(jobs: Pick<JobCache, "minions" | "saveMinions">) {
    this.#jobs = jobs;
  }

  /** Resolves once the targets are in the record of the job; rejects if they could not be saved. */
  async add(jid: string, syndic: string, ids: readonly string[]): Promise<void> {
    const key = `${jid}\0${syndic}`;
    let unsaved = this.#unsaved.get(key);
    if (unsaved === undefined) {
      const names = new Set<string>();
      unsaved = { ids: names, save: grouped(() => this.#save(jid, syndic, names)), callers: 0 };
      this.#unsaved.set(key, unsaved);
    }
    for (const id of ids) unsaved.ids.add(id);
    unsaved.callers++;
    try {
      await unsaved.save();
    } finally {
      if (--unsaved.callers === 0) this.#unsaved.delete(key);
    }
  }

  async #save(jid: string, syndic: string, names: Set<string>): Promise<void> {
    // What else arrives in this turn of the loop goes along.
    await undefined;
    const ids = [...names];
    const known = new Set(await this.#jobs.minions(jid));
    const added = ids.filter((id) => !known.has(id));
    // A syndic's list is replaced as a whole. That it has the others' ids as well does no harm: they are joined when read.
    if (added.length > 0) await this.#jobs.saveMinions(jid, [...known, ...added], syndic);
    for (const id of ids) names.delete(id);
  }
}
