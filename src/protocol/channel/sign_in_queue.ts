import { originOf } from "../zmtp/origin.ts";

/** The connection that a request came over. */
export interface Sender {
  /** Names the connection while it lasts, as {@link originOf} reads it; empty where the socket library does not report it. */
  readonly remote: string;
  /** False once the connection has ended. */
  readonly open: boolean;
}

/** The result of a call that waited in line. */
export type Served<T> =
  | { state: "done"; value: T }
  /** Its sender has gone, or it had to make room: there is no answer. */
  | { state: "dropped" }
  /** The sender is to ask again after so many milliseconds. */
  | { state: "later"; afterMs: number };

export interface SignInQueueOptions {
  /** Milliseconds, for how long calls take. */
  now(): number;
  /** A number in [0, 1). */
  random(): number;
  /** Calls that are processed at once. */
  atOnce: number;
  /** Calls that wait at most. @default 5000 */
  limit?: number;
  /** Of one connection. @default 16 */
  perSender?: number;
}

interface Waiting {
  sender: Sender;
  origin: string;
  /** A newer call with the same key replaces this one. */
  key: string;
  /** Starts the call, or drops it. */
  start(go: boolean): void;
}

/** How long a caller waits for an answer at least: Salt's `auth_timeout`, less the time of the round trip. */
const PATIENCE_MS = 4000;
/** The longest that a caller is told to wait. */
const LATEST_MS = 60_000;
/**
 * Calls a millisecond, until it has been measured: what one core does on each runtime. A lower guess would make minions wait
 * for seconds that the master could have answered at once.
 */
const FIRST_RATE = 0.5;
/** Over how many milliseconds the rate is measured. */
const WINDOW_MS = 500;

/**
 * The queue of sign-ins. Each costs private-key operations, so that a fleet that connects at once has to wait, and minions that
 * wait give up and ask again: work for senders that have gone would take time from those that are still connected. So the
 * newest goes first, which has most of its timeout left; senders take turns, so that one that sends without end does not keep
 * out the others; senders that have gone or have asked again are skipped; and the queue is bounded. A caller that understands
 * it is told when its turn would be, before any work was done for it.
 */
export class SignInQueue {
  readonly #options: Required<SignInQueueOptions>;
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
  /** When the next caller that is told to wait finds room. */
  #nextSlotMs = 0;

  /** Calls that were not answered because their senders had gone, or because they had to make room. */
  dropped = 0;

  constructor(options: SignInQueueOptions) {
    this.#options = { limit: 5000, perSender: 16, ...options };
  }

  /** Calls that wait at most. */
  get limit(): number {
    return this.#options.limit;
  }

  /** Calls that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Does the work once it is its turn.
   *
   * @param key what it asks for: a newer call of the same sender with the same key replaces it
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
      // The place is passed on rather than freed, so that no other call can take it in between.
      const next = this.#next();
      if (next === undefined) this.#running--;
      else next.start(true);
    }
  }

  /** Drops all calls that wait, and every new one. */
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
          // Now behind all other senders.
          if (calls.length > 0) this.#origins.set(origin, calls);
          return entry;
        }
        this.#drop(entry);
      }
    }
    return undefined;
  }

  /** Drops a tenth: first the calls of senders that have gone, then those that would be served last. */
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

  /** Measures how many calls are answered while more wait than can be processed at once. */
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
