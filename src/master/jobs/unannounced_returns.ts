/** Returns that are remembered: as many as a fleet sends while its disk is ill, and no more than a few megabytes. */
const MOST = 50_000;

/**
 * Returns whose flush has failed. A job cache may hold such a one all the same, since what is committed stays though its sync has failed; when its
 * minion sends it again it is not new to the cache, and yet nobody has heard of it.
 */
export class UnannouncedReturns {
  readonly #keys = new Set<string>();

  /** The oldest one is forgotten for one too many: it is then acknowledged without an event. */
  add(jid: string, id: string): void {
    if (this.#keys.size >= MOST) this.#keys.delete(this.#keys.values().next().value!);
    this.#keys.add(`${jid} ${id}`);
  }

  has(jid: string, id: string): boolean {
    return this.#keys.has(`${jid} ${id}`);
  }

  /** True once for one that was added: it is to be announced now. */
  take(jid: string, id: string): boolean {
    return this.#keys.delete(`${jid} ${id}`);
  }
}
