/** Senders that are remembered: a cluster has a few, and each start of a master is one more. */
const MOST_SENDERS = 1024;

interface Heard {
  last: number;
  atMs: number;
}

/**
 * Refuses messages that were received before. Senders number theirs; a name is used for one run of a master alone. What an unknown sender
 * sent before this guard began is refused by its time, since an earlier run of this master may have received it.
 */
export class SenderGuard {
  readonly #heard = new Map<string, Heard>();
  #floorMs: number;

  /** @param sinceMs when this master joined, in milliseconds since the epoch */
  constructor(sinceMs: number) {
    this.#floorMs = sinceMs;
  }

  /** True, and remembered, if the message is new. @param place what the numbers are counted for: a channel or a stream */
  admit(sender: string, place: string, number: number, atMs: number): boolean {
    const key = `${sender}\0${place}`;
    const heard = this.#heard.get(key);
    if (heard === undefined) {
      if (!(atMs >= this.#floorMs)) return false;
      this.#heard.set(key, { last: number, atMs });
      if (this.#heard.size > MOST_SENDERS) this.#forget();
      return true;
    }
    if (!(number > heard.last)) return false;
    heard.last = number;
    if (atMs > heard.atMs) heard.atMs = atMs;
    return true;
  }

  /** Forgets the one heard of longest ago: whatever is not newer is refused from then on, whoever it is from. */
  #forget(): void {
    let [oldest, atMs] = ["", Infinity];
    for (const [key, heard] of this.#heard) if (heard.atMs < atMs) [oldest, atMs] = [key, heard.atMs];
    this.#heard.delete(oldest);
    this.#floorMs = Math.max(this.#floorMs, atMs + 1);
  }
}
