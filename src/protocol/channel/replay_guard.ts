/** How much older than a minion's newest request another request may be, in seconds. */
const WINDOW_SECONDS = 600;
/** The most requests without a time under one session key: current peers always send a time. */
const UNDATED_LIMIT = 1000;

interface Seen {
  /** The time up to which an earlier guard has seen all requests, in seconds. */
  floor: number;
  newest: number;
  dated: DatedPrints;
  undated: Set<number>;
}

/**
 * The most messages of one minion that are remembered at once: 400 a second during the whole window. Further ones are refused:
 * an honest minion then has to sign in, which begins a new table.
 */
const MAX_MESSAGES = 2 ** 18;
const LEAST_PLACES = 16;

/**
 * Fingerprints of messages with their times, as a table of numbers: a master has some for each minion and a hundred
 * thousand of them after as many returns, for which strings in a map take four times the memory.
 *
 * The lowest bits of a fingerprint give its place; if that is taken, the next free place is used. Zero means a free place.
 */
class DatedPrints {
  #prints = new Float64Array(LEAST_PLACES);
  /** The time of each message, in seconds after {@link #base}: single precision is enough to forget messages in time. */
  #times = new Float32Array(LEAST_PLACES);
  #base = 0;
  #taken = 0;
  /** The time before which the last rebuild has forgotten all messages, in seconds. */
  #cleared = -Infinity;

  /** Adds a fingerprint; false if it is known already, or if the table is full. */
  add(print: number, time: number, oldest: number): boolean {
    if (this.#taken >= MAX_MESSAGES) {
      // A rebuild of a full table takes milliseconds, and can find room only after some time has passed.
      if (oldest < this.#cleared + WINDOW_SECONDS / 10) return false;
      this.#rebuild(oldest);
      if (this.#taken >= MAX_MESSAGES) return false;
    } else if (this.#taken >= this.#prints.length * 0.75) this.#rebuild(oldest);
    const at = place(this.#prints, print);
    if (this.#prints[at] === print) return false;
    if (this.#taken === 0) this.#base = time;
    this.#prints[at] = print;
    this.#times[at] = time - this.#base;
    this.#taken++;
    return true;
  }

  /** Forgets entries older than `oldest`, and makes room. */
  #rebuild(oldest: number): void {
    const prints = this.#prints;
    const times = this.#times;
    // Keeps entries a second longer: a late removal is harmless, an early one would allow a request to be accepted twice.
    const limit = oldest - this.#base - 1;
    const kept = prints.reduce((count, print, at) => print !== 0 && times[at]! >= limit ? count + 1 : count, 0);
    let places = LEAST_PLACES;
    while (places < kept * 2) places *= 2;
    this.#prints = new Float64Array(places);
    this.#times = new Float32Array(places);
    this.#taken = kept;
    const base = Math.max(oldest, this.#base);
    for (const [at, print] of prints.entries()) {
      if (print === 0 || times[at]! < limit) continue;
      const to = place(this.#prints, print);
      this.#prints[to] = print;
      this.#times[to] = times[at]! + this.#base - base;
    }
    this.#base = base;
    this.#cleared = oldest;
  }
}

/** The place of a fingerprint in the table, or the free place where it would be added. */
function place(prints: Float64Array, print: number): number {
  const last = prints.length - 1;
  let at = print & last;
  while (prints[at] !== 0 && prints[at] !== print) at = (at + 1) & last;
  return at;
}

/**
 * Remembers which sealed requests were received, so that none is accepted twice. A message is identified by its MAC, which no two
 * honest messages share. Messages older than the window need not be remembered: they are refused because of their time.
 */
export class ReplayGuard {
  readonly #minions = new Map<string, Seen>();

  /**
   * True if the message is new.
   *
   * @param blob the sealed message, its last 32 bytes the MAC
   * @param ts the sender's time in seconds, if the message has one
   */
  admit(id: string, blob: Uint8Array, ts: number | undefined): boolean {
    const seen = this.#minions.get(id) ?? this.#begin(id, -Infinity);
    const print = fingerprint(blob);
    if (ts === undefined || !Number.isFinite(ts)) {
      if (seen.floor > -Infinity || seen.undated.has(print) || seen.undated.size >= UNDATED_LIMIT) return false;
      seen.undated.add(print);
      return true;
    }
    const oldest = seen.newest - WINDOW_SECONDS;
    if (ts <= seen.floor || ts < oldest || !seen.dated.add(print, ts, oldest)) return false;
    if (ts > seen.newest) seen.newest = ts;
    return true;
  }

  /**
   * Starts over for a minion: its earlier messages were sealed with another key.
   *
   * @param floor the newest time under the current key that another guard has seen, in seconds: older messages may have been accepted
   * already
   */
  begin(id: string, floor: number | undefined): void {
    if (floor === undefined) this.#minions.delete(id);
    else this.#begin(id, floor);
  }

  /** The time of the newest message; undefined if there was none, `"unknown"` if a message had no time. */
  newest(id: string): number | "unknown" | undefined {
    const seen = this.#minions.get(id);
    if (seen === undefined) return undefined;
    return seen.undated.size > 0 ? "unknown" : seen.newest;
  }

  #begin(id: string, floor: number): Seen {
    const seen: Seen = { floor, newest: floor, dated: new DatedPrints(), undated: new Set() };
    this.#minions.set(id, seen);
    return seen;
  }
}

/** Six bytes of the MAC as a number other than zero: a double holds six bytes exactly, and takes less memory than text. */
function fingerprint(blob: Uint8Array): number {
  let print = 0;
  for (let at = blob.length - 6; at < blob.length; at++) print = print * 256 + blob[at]!;
  return print + 1;
}
