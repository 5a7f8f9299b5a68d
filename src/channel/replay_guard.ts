/** How far behind the newest request of a minion another one may lie, in seconds. */
const WINDOW_SECONDS = 600;
/** Requests without a time that one session may carry: peers of today always send one. */
const UNDATED_LIMIT = 1000;

interface Seen {
  newest: number;
  /** Message fingerprints → time, in order of arrival. */
  dated: Map<string, number>;
  undated: Set<string>;
}

/**
 * Remembers which sealed requests have been received, so that none is taken twice. A message is known by its MAC, which
 * no two honest messages share. What has left the window need not be remembered: its time alone gives it away.
 */
export class ReplayGuard {
  readonly #minions = new Map<string, Seen>();

  /**
   * True if the message is new.
   *
   * @param blob the sealed message, its last 32 octets the MAC
   * @param ts the sender's time in seconds, if it says one
   */
  admit(id: string, blob: Uint8Array, ts: number | undefined): boolean {
    let seen = this.#minions.get(id);
    if (seen === undefined) {
      seen = { newest: -Infinity, dated: new Map(), undated: new Set() };
      this.#minions.set(id, seen);
    }
    const print = fingerprint(blob);
    if (ts === undefined || !Number.isFinite(ts)) {
      if (seen.undated.has(print) || seen.undated.size >= UNDATED_LIMIT) return false;
      seen.undated.add(print);
      return true;
    }
    if (ts < seen.newest - WINDOW_SECONDS || seen.dated.has(print)) return false;
    seen.dated.set(print, ts);
    if (ts > seen.newest) seen.newest = ts;
    // Arrival order is nearly time order, so that the oldest stand first.
    for (const [old, time] of seen.dated) {
      if (time >= seen.newest - WINDOW_SECONDS) break;
      seen.dated.delete(old);
    }
    return true;
  }

  /** Forgets a minion's messages: they were sealed with a key that is no longer used. */
  forget(id: string): void {
    this.#minions.delete(id);
  }
}

/** Twelve octets of the MAC as a short string: one-byte characters, so that it costs little to keep. */
function fingerprint(blob: Uint8Array): string {
  return String.fromCharCode(...blob.subarray(-12));
}
