/** How far behind the newest request of a minion another one may lie, in seconds. */
const WINDOW_SECONDS = 600;
/** Requests without a time under one session key: current peers always send one. */
const UNDATED_LIMIT = 1000;

interface Seen {
  /** Up to this time, an earlier guard has seen everything. */
  floor: number;
  newest: number;
  dated: DatedPrints;
  undated: Set<number>;
}

/**
 * Messages of one minion that are remembered at once: 400 a second for as long as the window is. Further ones are refused,
 * which costs an honest minion a sign-in, and begins a new table.
 */
const MOST_MESSAGES = 2 ** 18;
/** The least number of places of a table. */
const LEAST_PLACES = 16;

/**
 * Fingerprints of messages with their times, as a table of numbers: a master has some for each minion and a hundred
 * thousand of them after as many returns, for which strings in a map take four times the memory.
 *
 * Places are found by the lowest bits, the next free one where that is taken; zero is a free place.
 */
class DatedPrints {
  #prints = new Float64Array(LEAST_PLACES);
  /** Seconds after {@link #base}: a double for each would say no more than is needed to forget it in time. */
  #times = new Float32Array(LEAST_PLACES);
  #base = 0;
  #taken = 0;
  /** Up to when the last rebuild forgot. */
  #cleared = -Infinity;

  /** False if it is known already, or if the table is full. */
  add(print: number, time: number, oldest: number): boolean {
    if (this.#taken >= MOST_MESSAGES) {
      // Each look through a full table takes milliseconds: only where time has passed it may find room.
      if (oldest < this.#cleared + WINDOW_SECONDS / 10) return false;
      this.#rebuild(oldest);
      if (this.#taken >= MOST_MESSAGES) return false;
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
    // A second of grace: an entry kept too long is harmless, one forgotten too early would let a request be accepted twice.
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

/** Where a fingerprint stands in the table, or would. */
function place(prints: Float64Array, print: number): number {
  const last = prints.length - 1;
  let at = print & last;
  while (prints[at] !== 0 && prints[at] !== print) at = (at + 1) & last;
  return at;
}

/**
 * Remembers which sealed requests were received, so that none is accepted twice. A message is known by its MAC, which no two
 * honest messages share. Messages older than the window need not be remembered: they are refused by their time alone.
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
   * @param floor newest time under the present key that another guard has seen, in seconds: that one may have accepted
   * whatever is not newer
   */
  begin(id: string, floor: number | undefined): void {
    if (floor === undefined) this.#minions.delete(id);
    else this.#begin(id, floor);
  }

  /** Time of the newest message; undefined if there was none, `"unknown"` if one had no time. */
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

/** Six bytes of the MAC as a number that is not zero: as many as a double holds exactly, in less room than text. */
function fingerprint(blob: Uint8Array): number {
  let print = 0;
  for (let at = blob.length - 6; at < blob.length; at++) print = print * 256 + blob[at]!;
  return print + 1;
}
