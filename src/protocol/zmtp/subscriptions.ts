/** The longest topic accepted from a subscriber, in bytes; Salt's have 40 at most. */
export const MAX_TOPIC_LENGTH = 1024;

function keyOf(topic: Uint8Array): string {
  return String.fromCharCode(...topic);
}

/**
 * The subscribers of each topic. ZeroMQ matches by prefix; topics are looked up by each length in use, which for Salt is one or
 * two, so that a publish costs the same with ten subscribers as with ten thousand.
 */
export class Subscriptions<P extends { topics: Set<string> | undefined }> {
  readonly #peers = new Map<string, Set<P>>();
  /** Length of topics → number of topics. */
  readonly #lengths = new Map<number, number>();

  /** Adds a subscription; false if the peer had that topic already. */
  add(topic: Uint8Array, peer: P): boolean {
    const key = keyOf(topic);
    peer.topics ??= new Set();
    if (peer.topics.has(key)) return false;
    peer.topics.add(key);
    const peers = this.#peers.get(key);
    if (peers !== undefined) peers.add(peer);
    else {
      this.#peers.set(key, new Set([peer]));
      this.#lengths.set(key.length, (this.#lengths.get(key.length) ?? 0) + 1);
    }
    return true;
  }

  /** Removes a subscription; false if the peer did not have that topic. */
  remove(topic: Uint8Array, peer: P): boolean {
    const key = keyOf(topic);
    if (!peer.topics?.delete(key)) return false;
    this.#forget(key, peer);
    return true;
  }

  removePeer(peer: P): void {
    for (const key of peer.topics ?? []) this.#forget(key, peer);
    peer.topics = undefined;
  }

  /** The peers whose topics a first frame begins with. */
  match(frame: Uint8Array): ReadonlySet<P> | undefined {
    let found: ReadonlySet<P> | undefined;
    let merged = false;
    let text: string | undefined;
    for (const length of this.#lengths.keys()) {
      if (length > frame.length) continue;
      if (length > 0) text ??= keyOf(frame.subarray(0, MAX_TOPIC_LENGTH));
      const peers = this.#peers.get(length === 0 ? "" : text!.slice(0, length));
      if (peers === undefined) continue;
      if (found === undefined) found = peers;
      else {
        if (!merged) found = new Set(found);
        merged = true;
        for (const peer of peers) (found as Set<P>).add(peer);
      }
    }
    return found;
  }

  #forget(key: string, peer: P): void {
    const peers = this.#peers.get(key);
    if (!peers?.delete(peer) || peers.size > 0) return;
    this.#peers.delete(key);
    const left = this.#lengths.get(key.length)! - 1;
    if (left === 0) this.#lengths.delete(key.length);
    else this.#lengths.set(key.length, left);
  }
}
