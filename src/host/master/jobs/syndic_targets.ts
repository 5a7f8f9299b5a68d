import type { Clock } from "../../../base/async/clock.ts";
import { grouped } from "../../../base/async/deferred.ts";
import type { JobCache } from "../../../model/job/job_cache.ts";

/** The targets of one job that one syndic has named and that are not saved yet. */
interface Unsaved {
  ids: Set<string>;
  /** Saves the targets so far; callers during a save share the next one. */
  save(): Promise<void>;
  callers: number;
}

/** The most targets of a job, the master's own and those that syndics name. */
export const MAX_TARGETS = 200_000;

/**
 * How long a list of targets is not written again, in milliseconds for each name in it: a syndic that names its minions one by one
 * has a list of 50,000 names written every five seconds at most.
 */
const REST_MS = 0.1;

/** The most jobs whose lists are remembered as written. */
const MAX_WRITTEN = 10_000;

/**
 * Adds the minions that syndics name to the records of jobs. A list is saved as a whole, so the names of many returns that arrive
 * together are saved together, and a list that grows again and again is saved the less often the longer it is: otherwise a job of n
 * targets would cost n lists of up to n names.
 */
export class SyndicTargets {
  readonly #jobs: Pick<JobCache, "minions" | "saveMinions">;
  readonly #clock: Pick<Clock, "elapsed" | "sleep">;
  readonly #unsaved = new Map<string, Unsaved>();
  /** The lists that have been written, the latest last. */
  readonly #written = new Set<string>();
  /** Syndic → when its list may be written again. */
  readonly #restUntil = new Map<string, number>();

  constructor(jobs: Pick<JobCache, "minions" | "saveMinions">, clock: Pick<Clock, "elapsed" | "sleep">) {
    this.#jobs = jobs;
    this.#clock = clock;
  }

  /**
   * Resolves once the targets are in the record of the job; rejects if they could not be saved.
   *
   * @returns false if the job would have too many targets: none of them is added
   */
  async add(jid: string, syndic: string, ids: readonly string[]): Promise<boolean> {
    const key = `${jid}\0${syndic}`;
    let unsaved = this.#unsaved.get(key);
    if (unsaved === undefined) {
      const names = new Set<string>();
      unsaved = { ids: names, save: grouped(() => this.#save(jid, syndic, names)), callers: 0 };
      this.#unsaved.set(key, unsaved);
    }
    const { ids: names } = unsaved;
    for (const id of ids) names.add(id);
    unsaved.callers++;
    try {
      await unsaved.save();
    } finally {
      if (--unsaved.callers === 0) this.#unsaved.delete(key);
    }
    const refused = ids.filter((id) => names.has(id));
    for (const id of refused) names.delete(id);
    return refused.length === 0;
  }

  /** Saves the names; those that are not saved because there are too many stay in `names`. */
  async #save(jid: string, syndic: string, names: Set<string>): Promise<void> {
    // Wait for this turn of the loop to end: further names that arrive in it are saved together.
    await undefined;
    const key = `${jid}\0${syndic}`;
    const again = this.#written.has(key);
    if (again) await this.#rest(syndic);
    const ids = [...names];
    const known = new Set(await this.#jobs.minions(jid));
    const added = ids.filter((id) => !known.has(id));
    if (known.size + added.length > MAX_TARGETS) {
      for (const id of ids) if (known.has(id)) names.delete(id);
      return;
    }
    // A syndic's list is replaced as a whole. It may hold ids of other syndics as well: the lists are joined when they are read.
    if (added.length > 0) await this.#jobs.saveMinions(jid, [...known, ...added], syndic);
    for (const id of ids) names.delete(id);
    if (again) this.#restUntil.set(syndic, this.#clock.elapsed() + known.size * REST_MS);
    this.#note(key);
  }

  async #rest(syndic: string): Promise<void> {
    for (;;) {
      const left = (this.#restUntil.get(syndic) ?? 0) - this.#clock.elapsed();
      if (left <= 0) return;
      await this.#clock.sleep(left);
    }
  }

  #note(key: string): void {
    this.#written.delete(key);
    this.#written.add(key);
    for (const oldest of this.#written) {
      if (this.#written.size <= MAX_WRITTEN) return;
      this.#written.delete(oldest);
    }
  }
}
