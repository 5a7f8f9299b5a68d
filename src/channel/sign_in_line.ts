import { originOf } from "../zmtp/origin.ts";

/** The connection that a request came over. */
export interface Sender {
  /** Names the connection while it lasts, as {@link originOf} reads it; empty where the library does not tell. */
  readonly remote: string;
  /** False once nobody is there to be answered. */
  readonly open: boolean;
}

/** What came of a call that waited in line. */
export type Served<T> =
  | { state: "done"; value: T }
  /** Nobody waits for it any more, or it had to make room: there is no answer. */
  | { state: "dropped" }
  /** To be told to ask again after so many milliseconds. */
  | { state: "later"; afterMs: number };

export interface SignInLineOptions {
  /** Milliseconds, for how long calls take. */
  now(): number;
  /** A number in [0, 1). */
  random(): number;
  /** Calls that are worked on at once. */
  atOnce: number;
  /** Calls that wait at most. @default 5000 */
  limit?: number;
  /** Of one connection. @default 16 */
  perSender?: number;
}

interface Waiting {
  sender: Sender;
  origin: string;
  /** What of that origin a newer call is in the place of. */
  key: string;
  /** Takes it up, or drops it. */
  start(go: boolean): void;
}

/** How long a caller waits for an answer at least: Salt's `auth_timeout`, less what the way there and back takes. */
const PATIENCE_MS = 4000;
/** The longest that a caller is told to stay away. */
const LATEST_MS = 60_000;
/**
 * Calls a millisecond, until it has been measured: what one core does on each runtime. A lower guess would send minions away
 * for seconds that the master could have let in at once.
 */
const FIRST_RATE = 0.5;
/** Over how many milliseconds the rate is measured. */
const WINDOW_MS = 500;

/**
 * Where sign-ins wait for their turn. Each costs private-key operations, so that a fleet that comes at once has to wait, and
 * those who wait give up and ask again: work for whoever has gone would then take the time of those who are there. So the
 * newest goes first, for it has most of its patience left; senders take turns, so that one that sends without end does not
 * keep out the others; who has gone or has asked anew is passed over; and the line is bounded. A caller that understands it
 * is told when its turn would be, before anything was worked out for it.
 */
export class SignInLine {
  readonly #options: Required<SignInLineOptions>;
  /** Sender → its calls, oldest first; the sender whose turn is next stands first. */
  readonly #origins = new Map<string, Waiting[]>();
  readonly #byKey = new Map<string, Waiting>();
  readonly #bySender = new Map<Sender, Waiting[]>();
  #waiting = 0;
  #running = 0;
  #closed = false;
  /** Calls a millisecond, as long as some wait. */
  #rate = FIRST_RATE;
  #windowBegan = 0;
  #windowDone = 0;
  /** When the next caller that is sent away finds room. */
  #nextSlotMs = 0;

  /** Calls that were not answered since their callers had gone, or had to make room. */
  dropped = 0;

  constructor(options: SignInLineOptions) {
    this.#options = { limit: 5000, perSender: 16, ...options };
  }

  /** Calls that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Does the work once it is its turn.
   *
   * @param key what it asks for: a newer call for the same from the same sender takes its place
   * @param patient the caller understands "later"
   */
  async run<T>(sender: Sender, key: string, patient: boolean, work: () => Promise<T>): Promise<Served<T>> {
    const { now, random, atOnce } = this.#options;
    if (this.#closed) return { state: "dropped" };
    if (this.#running < atOnce) this.#running++;
    else {
      const waitMs = this.#waiting / this.#rate;
      if (patient && waitMs > PATIENCE_MS) {
        this.#nextSlotMs = Math.max(this.#nextSlotMs + 1 / this.#rate, now() + PATIENCE_MS);
        const afterMs = Math.min(this.#nextSlotMs - now(), LATEST_MS) * (1 + random() / 10);
        return { state: "later", afterMs: Math.ceil(afterMs) };
      }
      if (!await this.#turn(sender, key)) return { state: "dropped" };
    }
    try {
      return { state: "done", value: await work() };
    } finally {
      this.#count();
      // The place is handed over rather than freed, so that nobody can slip in between.
      const next = this.#next();
      if (next === undefined) this.#running--;
      else next.start(true);
    }
  }

  /** Lets all go who wait, unanswered; whoever comes is dropped from now on. */
  close(): void {
    this.#closed = true;
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#drop(next);
  }

  #turn(sender: Sender, key: string): Promise<boolean> {
    return new Promise((start) => {
      const origin = originOf(sender.remote);
      const entry: Waiting = { sender, origin, key: `${origin} ${key}`, start };
      const before = this.#byKey.get(entry.key);
      if (before !== undefined) this.#remove(before);
      const own = this.#bySender.get(sender) ?? [];
      if (own.length >= this.#options.perSender) this.#remove(own[0]!);
      if (this.#waiting >= this.#options.limit) this.#makeRoom();

      this.#byKey.set(entry.key, entry);
      this.#bySender.set(sender, [...this.#bySender.get(sender) ?? [], entry]);
      const calls = this.#origins.get(origin);
      if (calls === undefined) this.#origins.set(origin, [entry]);
      else calls.push(entry);
      this.#waiting++;
    });
  }

  /** The newest call of the sender whose turn it is, if its sender is still there. */
  #next(): Waiting | undefined {
    for (const [origin, calls] of this.#origins) {
      this.#origins.delete(origin);
      while (calls.length > 0) {
        const entry = calls.pop()!;
        this.#forget(entry);
        if (entry.sender.open) {
          // Behind all others now.
          if (calls.length > 0) this.#origins.set(origin, calls);
          return entry;
        }
        this.#drop(entry);
      }
    }
    return undefined;
  }

  /** Takes a tenth away: whoever has gone, then those who would be served last. */
  #makeRoom(): void {
    const ranked: { entry: Waiting; rank: number }[] = [];
    for (const calls of this.#origins.values()) {
      for (const [at, entry] of calls.entries()) {
        ranked.push({ entry, rank: entry.sender.open ? calls.length - at : Infinity });
      }
    }
    ranked.sort((a, b) => a.rank - b.rank);
    const keep = Math.floor(this.#options.limit * 0.9);
    for (const [at, { entry, rank }] of ranked.entries()) if (at >= keep || rank === Infinity) this.#remove(entry);
  }

  #remove(entry: Waiting): void {
    const calls = this.#origins.get(entry.origin)!;
    calls.splice(calls.lastIndexOf(entry), 1);
    if (calls.length === 0) this.#origins.delete(entry.origin);
    this.#forget(entry);
    this.#drop(entry);
  }

  #forget(entry: Waiting): void {
    this.#waiting--;
    if (this.#byKey.get(entry.key) === entry) this.#byKey.delete(entry.key);
    const own = this.#bySender.get(entry.sender)!.filter((other) => other !== entry);
    if (own.length === 0) this.#bySender.delete(entry.sender);
    else this.#bySender.set(entry.sender, own);
  }

  #drop(entry: Waiting): void {
    this.dropped++;
    entry.start(false);
  }

  /** Measures how many calls go through while there are more than can be worked on at once. */
  #count(): void {
    const now = this.#options.now();
    this.#windowDone++;
    const passed = now - this.#windowBegan;
    if (passed < WINDOW_MS) return;
    // A window with an idle stretch in it says nothing.
    if (passed < 2 * WINDOW_MS && this.#waiting > 0) {
      this.#rate = Math.max(0.01, this.#rate * 0.5 + this.#windowDone / passed * 0.5);
    }
    this.#windowBegan = now;
    this.#windowDone = 0;
  }
}
