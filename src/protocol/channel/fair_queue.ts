import type { Sender } from "./sign_in_queue.ts";

export interface FairQueueOptions<C extends Sender> {
  /** Milliseconds. */
  now(): number;
  /** Calls back in the next turn of the event loop, after what has arrived was read. */
  later(callback: () => void): void;
  /** Begins to answer a message; must not throw. */
  begin(sender: C, frames: Uint8Array[]): void;
  /** How long messages are begun before sockets are read again. @default 10 */
  sliceMs?: number;
  /** Bytes of messages that wait at most, each counted with {@link OVERHEAD}. @default 33554432 (32 MiB) */
  limit?: number;
  /** Whether a message goes before others, by a cheap look at its bytes. @default none does */
  isUrgent?(frames: readonly Uint8Array[]): boolean;
  /** For how long a sender goes before others once it was hurried. @default 2000 */
  hurryMs?: number;
  /** Stops and goes on reading from a sender; @default it is read from all the time */
  pause?(sender: C): void;
  resume?(sender: C): void;
}

/** Memory of a waiting message beside its bytes. */
export const OVERHEAD = 1024;

/** Bytes of the last frame up to which a message is short: a job that is published, a small return; but no grains, which go with pillar. */
export const SHORT = 1536;

/** Short messages that may go one after the other before a long one that waits. */
const SHORT_RUN = 3;

/** Messages of hurried senders that may go one after the other before one of another sender. */
const HURRIED_RUN = 3;

/** Messages of one sender that go before others for each time that it is hurried: what it was asked for before, and this. */
const HURRIED_OF_ONE = 4;

/** By how much a turn is shorter while a sender is hurried. */
const HURRIED_SLICE = 4;

/**
 * Messages of one sender that may wait before nothing more is read from it: otherwise one connection with many small requests takes
 * all of the room, and of the time.
 */
export const MOST_OF_ONE = 1024;

interface Waiting<C> {
  sender: C;
  /** It goes before others. */
  hurried: boolean;
  /** Its first message was urgent. */
  urgent: boolean;
  /** In the order in which they came. */
  messages: Uint8Array[][];
  /** How many of them have begun: to remove each from a long array takes time. */
  begun: number;
  paused: boolean;
}

/** Senders with waiting messages, the newest last. */
interface Stacks<C> {
  /** Hurried ones, whatever their next message is. */
  hurried: Waiting<C>[];
  /** Those whose next message is short. */
  short: Waiting<C>[];
  long: Waiting<C>[];
}

/**
 * The order of requests when more arrive than can be answered. As long as the event loop keeps up, each message is begun as it
 * arrives. Beyond that they wait here rather than in the sockets: the newest is begun first, since its sender has most of its
 * timeout left, and those of senders that have given up come last. In the order of arrival each would be answered just too
 * late, and sent again: a burst of ten thousand returns would be processed three times, and none acknowledged.
 *
 * Short ones go before long ones, which take three quarters of the places at most: a ping does not wait while a fleet asks for its pillar.
 *
 * Before both, and for three quarters of the places at most, go senders that were hurried and urgent messages: whom a job of a few
 * minions waits for, since a minion sends one request at a time, and somebody who publishes a job. Otherwise they sink below what comes
 * after them, for as long as the burst of a large job lasts.
 */
export class FairQueue<C extends Sender> {
  readonly #options: Required<FairQueueOptions<C>>;
  readonly #stacks: Stacks<C> = { hurried: [], short: [], long: [] };
  /** Short messages since the last long one. */
  #shortRun = 0;
  /** Messages of hurried senders since the last of another one. */
  #hurriedRun = 0;
  /** Connection → until when it is hurried, and for how many messages; the latest last. */
  readonly #hurried = new Map<string, { until: number; left: number }>();
  /** Until when any is. */
  #lastHurried = 0;
  readonly #bySender = new Map<C, Waiting<C>>();
  /** The same by the names of the connections, which may be used again once one has ended. */
  readonly #byRemote = new Map<string, Waiting<C>>();
  /** Messages of senders that have gone: still worth processing when no other waits. */
  readonly #gone: Waiting<C>[] = [];
  #size = 0;
  #sliceEnds = 0;
  #scheduled = false;

  constructor(options: FairQueueOptions<C>) {
    const noPause = { pause() {}, resume() {} };
    this.#options = { sliceMs: 10, limit: 2 ** 25, hurryMs: 2000, isUrgent: () => false, ...noPause, ...options };
  }

  /** The largest that {@link Turns.size} becomes. */
  get limit(): number {
    return this.#options.limit;
  }

  /** Messages that wait, in bytes with their overhead. */
  get size(): number {
    return this.#size;
  }

  /**
   * Has the next messages over these connections, those that wait already among them, go before those of others.
   *
   * @param remotes see {@link Sender.remote}
   */
  hurry(remotes: Iterable<string>): void {
    const now = this.#options.now();
    for (const [remote, { until }] of this.#hurried) {
      if (until > now) break;
      this.#hurried.delete(remote);
    }
    const until = now + this.#options.hurryMs;
    for (const remote of remotes) {
      if (remote === "") continue;
      this.#hurried.delete(remote);
      this.#hurried.set(remote, { until, left: HURRIED_OF_ONE });
      this.#lastHurried = until;
      this.#promote(remote);
    }
  }

  /** Has what waits of a connection go before others. */
  #promote(remote: string): void {
    const entry = this.#byRemote.get(remote);
    if (entry === undefined || entry.hurried) return;
    const stack = this.#stackOf(entry);
    stack.splice(stack.lastIndexOf(entry), 1);
    entry.hurried = this.#takeHurry(remote);
    this.#stackOf(entry).push(entry);
  }

  /** Shorter while somebody waits for a few minions: what they ask for takes several turns of the loop. */
  get #sliceMs(): number {
    const { sliceMs, now } = this.#options;
    return this.#hurried.size > 0 && this.#lastHurried > now() ? sliceMs / HURRIED_SLICE : sliceMs;
  }

  /** True if a message of a connection goes before others; it is one less then. */
  #takeHurry(remote: string): boolean {
    const hurry = this.#hurried.size === 0 ? undefined : this.#hurried.get(remote);
    if (hurry === undefined || hurry.until <= this.#options.now()) return false;
    if (--hurry.left === 0) this.#hurried.delete(remote);
    return true;
  }

  /** Whether the next message of a sender goes before others as the last one did: as many as of one that sends each on its own. */
  #staysHurried({ sender, urgent, begun }: Waiting<C>): boolean {
    return urgent && begun < HURRIED_OF_ONE || this.#takeHurry(sender.remote);
  }

  add(sender: C, frames: Uint8Array[]): void {
    const { now, later, begin, limit, pause, isUrgent } = this.#options;
    if (!this.#scheduled) {
      this.#scheduled = true;
      this.#sliceEnds = now() + this.#sliceMs;
      later(this.#turn);
    }
    if (this.#bySender.size === 0 && now() < this.#sliceEnds) return begin(sender, frames);
    this.#size += sizeOf(frames);
    let entry = this.#bySender.get(sender);
    if (entry === undefined) {
      const urgent = isUrgent(frames);
      const hurried = urgent || this.#takeHurry(sender.remote);
      entry = { sender, hurried, urgent, messages: [frames], begun: 0, paused: false };
      this.#bySender.set(sender, entry);
      this.#byRemote.set(sender.remote, entry);
      this.#stackOf(entry).push(entry);
    } else entry.messages.push(frames);
    if (entry.messages.length - entry.begun >= MOST_OF_ONE && !entry.paused) {
      entry.paused = true;
      pause(sender);
    }
    // Nothing more is read meanwhile, so that a sender without end is slowed down.
    while (this.#size > limit) {
      const oldest = this.#gone.shift();
      if (oldest === undefined) this.#one();
      else this.#size -= oldest.messages.slice(oldest.begun).reduce((sum, message) => sum + sizeOf(message), 0);
    }
  }

  readonly #turn = (): void => {
    const { now, later } = this.#options;
    const ends = now() + this.#sliceMs;
    while (this.#size > 0 && now() < ends) this.#one();
    // A message that arrives before the next turn waits if others do.
    this.#sliceEnds = 0;
    if (this.#size > 0) later(this.#turn);
    else this.#scheduled = false;
  };

  #stackOf({ hurried, messages, begun }: Waiting<C>): Waiting<C>[] {
    if (hurried) return this.#stacks.hurried;
    return (messages[begun]?.at(-1)?.length ?? 0) <= SHORT ? this.#stacks.short : this.#stacks.long;
  }

  /** The stack whose turn it is: hurried senders, then short messages, but now and then another one. */
  #next(): Waiting<C>[] {
    const { hurried, short, long } = this.#stacks;
    if (hurried.length > 0 && (this.#hurriedRun < HURRIED_RUN || short.length + long.length === 0)) {
      this.#hurriedRun++;
      return hurried;
    }
    this.#hurriedRun = 0;
    if (long.length > 0 && (short.length === 0 || this.#shortRun >= SHORT_RUN)) {
      this.#shortRun = 0;
      return long;
    }
    this.#shortRun++;
    return short;
  }

  /** Begins one message: the newest of a connected sender, otherwise one of a sender that has gone. */
  #one(): void {
    for (let stack = this.#next(); stack.length > 0; stack = this.#next()) {
      const entry = stack.at(-1)!;
      if (entry.sender.open) return this.#begin(entry, stack);
      stack.pop();
      this.#forget(entry);
      this.#gone.push(entry);
    }
    const entry = this.#gone.at(-1);
    if (entry !== undefined) this.#begin(entry, this.#gone);
  }

  /** Nothing of a connected sender waits any more. */
  #forget(entry: Waiting<C>): void {
    const { sender } = entry;
    this.#bySender.delete(sender);
    if (this.#byRemote.get(sender.remote) === entry) this.#byRemote.delete(sender.remote);
  }

  #begin(entry: Waiting<C>, from: Waiting<C>[]): void {
    const frames = entry.messages[entry.begun]!;
    entry.messages[entry.begun++] = [];
    this.#size -= sizeOf(frames);
    const next = entry.messages[entry.begun];
    if (next === undefined) {
      from.pop();
      if (from !== this.#gone) this.#forget(entry);
    } else if (from !== this.#gone) {
      const isSlowed = entry.hurried && !this.#staysHurried(entry);
      if (isSlowed) entry.hurried = false;
      const stack = this.#stackOf(entry);
      if (stack !== from) {
        from.pop();
        // Behind all others: on top, what it sends without end would still go first.
        if (isSlowed) stack.unshift(entry);
        else stack.push(entry);
      }
    }
    if (entry.paused && entry.messages.length - entry.begun <= MOST_OF_ONE / 2) {
      entry.paused = false;
      const { later, resume } = this.#options;
      later(() => resume(entry.sender));
    }
    if (entry.begun >= MOST_OF_ONE) {
      entry.messages = entry.messages.slice(entry.begun);
      entry.begun = 0;
    }
    this.#options.begin(entry.sender, frames);
  }
}

function sizeOf(frames: readonly Uint8Array[]): number {
  return frames.reduce((sum, frame) => sum + frame.length, OVERHEAD);
}
