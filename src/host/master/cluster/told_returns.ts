/** The most returns of one half of the memory: as many as ten thousand minions send for a few jobs. */
const MAX_RETURNS = 50_000;

/**
 * Remembers the returns whose events a master has fired. The same event can come in two ways: late, from the master that has stored the
 * return, and from the storage, where the return was looked up because the event was late. It remembers the latest fifty to a hundred
 * thousand returns.
 */
export class ToldReturns {
  readonly #most: number;
  #recent = new Set<string>();
  #older = new Set<string>();

  /** @param most how many returns one half of the memory holds */
  constructor(most = MAX_RETURNS) {
    this.#most = most;
  }

  has(jid: string, id: string): boolean {
    const key = `${jid} ${id}`;
    return this.#recent.has(key) || this.#older.has(key);
  }

  /** True once for each return: its event must be fired now. */
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
