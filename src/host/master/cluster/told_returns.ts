/** Returns of one half: what ten thousand minions send for a few jobs. */
const MOST = 50_000;

/**
 * Returns of which a master has told its subscribers. The same event can come by two ways: from the master that has stored the return, late,
 * and out of the storage, where it was looked up because the event did not come. The latest fifty to a hundred thousand are known.
 *
 * @example
 * ```ts
 * import { ToldReturns } from "./told_returns.ts";
 *
 * const told = new ToldReturns();
 * console.log(told.add("20261124021500000000", "web1"), told.add("20261124021500000000", "web1")); // true false
 * ```
 */
export class ToldReturns {
  readonly #most: number;
  #recent = new Set<string>();
  #older = new Set<string>();

  /** @param most returns of which half of those that are known consists */
  constructor(most = MOST) {
    this.#most = most;
  }

  has(jid: string, id: string): boolean {
    const key = `${jid} ${id}`;
    return this.#recent.has(key) || this.#older.has(key);
  }

  /** True once for each return: it is to be told of now. */
  add(jid: string, id: string): boolean {
    if (this.has(jid, id)) return false;
    const key = `${jid} ${id}`;
    if (this.#recent.size >= this.#most) {
      this.#older = this.#recent;
      this.#recent = new Set();
    }
    this.#recent.add(key);
    return true;
  }
}
