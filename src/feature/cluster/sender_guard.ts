/** The most senders that are remembered: a cluster has a few, and each start of a master is one more. */
const MAX_SENDERS = 1024;

interface Heard {
  last: number;
  atMs: number;
}

/**
 * Refuses messages that were received before. Senders number their messages, and each name is used by one master process only. Messages
 * of an unknown sender from before this guard's start are refused, since an earlier process of this master may have received them.
 */
export class SenderGuard {
  readonly #heard = new Map<string, Heard>();
  #floorMs: number;

  /** @param sinceMs when this master joined, in milliseconds since the epoch */
  constructor(sinceMs: number) {
    this.#floorMs = sinceMs;
  }

  /** True if the message is new; then it is remembered. @param place the channel or stream that the numbers are counted for */
  admit(sender: string, place: string, number: number, atMs: number): boolean {
    const key = `${sender}\0${place}`;
    const heard = this.#heard.get(key);
    if (heard === undefined) {
      if (!(atMs >= this.#floorMs)) return false;
      this.#heard.set(key, { last: number, atMs });
      if (this.#heard.size > MAX_SENDERS) this.#forget();
      return true;
    }
    if (!(number > heard.last)) return false;
    heard.last = number;
    if (atMs > heard.atMs) heard.atMs = atMs;
    return true;
  }

  /** Forgets the sender that was silent for longest. From then on, messages older than its last one are refused from every sender. */
  #forget(): void {
    let [oldest, atMs] = ["", Infinity];
    for (const [key, heard] of this.#heard) if (heard.atMs < atMs) [oldest, atMs] = [key, heard.atMs];
    this.#heard.delete(oldest);
    this.#floorMs = Math.max(this.#floorMs, atMs + 1);
  }
}
