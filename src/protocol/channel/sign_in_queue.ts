import { originOf } from "../zmtp/endpoint.ts";

/** The connection that a request came over. */
export interface Sender {
  /** The name of the connection, unique while it lasts, for {@link originOf}; empty if the socket library does not report it. */
  readonly remote: string;
  /** False once the connection has ended. */
  readonly open: boolean;
}

/** The result of a call that waited in line. */
export type Served<T> =
  | { state: "done"; value: T }
  /** The sender has disconnected, or the call had to make room: there is no answer. */
  | { state: "dropped" }
  /** The sender has to try again after `afterMs` milliseconds. */
  | { state: "later"; afterMs: number };

export interface SignInQueueOptions {
  /** The current time in milliseconds, to measure how long calls take. */
  now(): number;
  /** A number in [0, 1). */
  random(): number;
  /** The most calls that are processed at once. */
  atOnce: number;
  /** The number of connections that have not been read yet: each may bring a call. @default none */
  unread?(): number;
  /** The most calls that wait. @default 5000 */
  limit?: number;
  /** The most calls of one connection that wait. @default 16 */
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

/** How long every caller waits for an answer, in milliseconds: Salt's `auth_timeout`, less the time of the round trip. */
const PATIENCE_MS = 4000;
/** The longest wait that a caller is told, in milliseconds. */
const LATEST_MS = 60_000;
/**
 * The rate in calls a millisecond before it has been measured: as many as one core processes on each runtime. With a lower guess,
 * minions would wait for seconds although the master could answer at once.
 */
const FIRST_RATE = 0.5;
/** The time over which the rate is measured, in milliseconds. */
const WINDOW_MS = 500;

/**
 * The queue of sign-ins. Each sign-in costs private-key operations, so a fleet that connects at once has to wait, and minions that
 * wait give up and try again: work for disconnected senders would take time from those that are still connected. So the
 * newest call goes first, which has most of its timeout left; senders take turns, so that an endless sender does not keep
 * out the others; calls of senders that have disconnected or tried again are skipped; and the queue is bounded. A caller that
 * understands the reply "later" is told when its turn would be, before any work is done for it.
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
  /** The measured rate, in calls a millisecond while calls wait. */
  #rate = FIRST_RATE;
  #windowBegan = 0;
  #windowDone = 0;
  /** The time at which the next caller that is told to wait will find room, in milliseconds. */
  #nextSlotMs = 0;

  /** The number of calls that were not answered, because their sender had disconnected or they had to make room. */
  dropped = 0;

  constructor(options: SignInQueueOptions) {
    this.#options = { limit: 5000, perSender: 16, unread: () => 0, ...options };
  }

  /** The bound of {@link SignInQueue.waiting}. */
  get limit(): number {
    return this.#options.limit;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Waits for its turn, then does the work.
   *
   * @param key identifies the call: a newer call of the same sender with the same key replaces it
   * @param patient true if the caller understands the reply "later"
   */
  async run<T>(sender: Sender, key: string, patient: boolean, work: () => Promise<T>): Promise<Served<T>> {
    const { now, random, atOnce, unread } = this.#options;
    if (this.#closed || !sender.open) {
      this.dropped++;
      return { state: "dropped" };
    }
    if (this.#running < atOnce) this.#running++;
    else {
      const waitMs = (this.#waiting + unread()) / this.#rate;
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
      // The place is passed on rather than freed, so that no other call can take it meanwhile.
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

  /** The newest call of the sender whose turn it is; calls of disconnected senders are skipped. */
  #next(): Waiting | undefined {
    for (const [origin, calls] of this.#origins) {
      this.#origins.delete(origin);
      while (calls.length > 0) {
        const entry = calls.pop()!;
        this.#forget(entry);
        if (entry.sender.open) {
          // The sender goes behind all other senders.
          if (calls.length > 0) this.#origins.set(origin, calls);
          return entry;
        }
        this.#drop(entry);
      }
    }
    return undefined;
  }

  /** Drops a tenth of the calls: first those of disconnected senders, then those that would be served last. */
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
    // A window with an idle time in it does not show the rate.
    if (passed < 2 * WINDOW_MS && this.#waiting > 0) {
      this.#rate = Math.max(0.01, this.#rate * 0.5 + this.#windowDone / passed * 0.5);
    }
    this.#windowBegan = now;
    this.#windowDone = 0;
  }
}
