import type { Sender } from "./sign_in_queue.ts";

interface FairQueueOptions<C extends Sender> {
  /** The current time, in milliseconds. */
  now(): number;
  /** Calls back in the next turn of the event loop, after arrived data was read. */
  later(callback: () => void): void;
  /** Begins to answer a message; must not throw. */
  begin(sender: C, frames: Uint8Array[]): void;
  /** How long messages are begun before sockets are read again, in milliseconds. @default 10 */
  sliceMs?: number;
  /** The most bytes of waiting messages, each counted with {@link OVERHEAD}. @default 33554432 (32 MiB) */
  limit?: number;
  /** True if a message has priority, decided by a cheap check of its bytes. @default no message has */
  isUrgent?(frames: readonly Uint8Array[]): boolean;
  /** How long a sender has priority after {@link FairQueue.hurry}, in milliseconds. @default 2000 */
  hurryMs?: number;
  /** Stops reading from a sender; `resume` continues. @default senders are always read */
  pause?(sender: C): void;
  resume?(sender: C): void;
}

/** The memory of a waiting message in addition to its frames, in bytes. */
export const OVERHEAD = 1024;

/** The most bytes of a short message's last frame: a publication or a small return is short, a request for pillar, which carries grains, is not. */
export const SHORT_MESSAGE = 1536;

/** The most short messages in a row while a long one waits. */
const SHORT_RUN = 3;

/** The most messages of hurried senders in a row while another sender waits. */
const HURRIED_RUN = 3;

/** The most messages of one sender that have priority after one call of {@link FairQueue.hurry}: its earlier work, and the hurried one. */
const HURRIED_OF_ONE = 4;

/** The factor by which a turn is shorter while a sender is hurried. */
const HURRIED_SLICE = 4;

/**
 * The number of waiting messages of one sender at which reading from it stops: otherwise one connection with many small requests
 * would take all of the room and time.
 */
export const MAX_OF_ONE = 1024;

interface Waiting<C> {
  sender: C;
  /** True if the sender has priority. */
  hurried: boolean;
  /** True if the first message of the sender was urgent. */
  urgent: boolean;
  messages: Uint8Array[][];
  /** How many of the messages have begun: they stay in the array, since removing each from a long array takes time. */
  begun: number;
  paused: boolean;
}

/** Senders with waiting messages, the newest last. */
interface Stacks<C> {
  /** Senders with priority, whatever the size of their next message. */
  hurried: Waiting<C>[];
  /** Other senders whose next message is short. */
  short: Waiting<C>[];
  long: Waiting<C>[];
}

/**
 * Orders requests when more arrive than can be answered. As long as the event loop keeps up, each message is begun as it
 * arrives. Beyond that messages wait here rather than in the sockets: the newest is begun first, since its sender has most of its
 * timeout left, and messages of disconnected senders come last. In the order of arrival each would be answered just too
 * late, and sent again: a burst of ten thousand returns would be processed three times, and none acknowledged.
 *
 * Short messages go before long ones, but at most three in a row: a ping does not wait while a fleet asks for its pillar.
 *
 * Hurried senders and urgent messages go before both, also at most three in a row. Hurried are the minions that a small job waits
 * for, since a minion sends one request at a time; urgent is a request that publishes a job. Without priority, newer messages would
 * overtake both for as long as the burst of a large job lasts.
 */
export class FairQueue<C extends Sender> {
  readonly #options: Required<FairQueueOptions<C>>;
  readonly #stacks: Stacks<C> = { hurried: [], short: [], long: [] };
  /** The number of short messages since the last long one. */
  #shortRun = 0;
  /** The number of messages of hurried senders since the last message of another sender. */
  #hurriedRun = 0;
  /** Connection → until when it is hurried, and for how many more messages; the last hurried one last. */
  readonly #hurried = new Map<string, { until: number; left: number }>();
  /** The time until which any connection is hurried. */
  #lastHurried = 0;
  readonly #bySender = new Map<C, Waiting<C>>();
  /** Waiting senders by the name of their connection; a name may be used again once its connection has ended. */
  readonly #byRemote = new Map<string, Waiting<C>>();
  /** Messages of disconnected senders: still processed when no other message waits. */
  readonly #gone: Waiting<C>[] = [];
  #size = 0;
  #sliceEnds = 0;
  #scheduled = false;

  constructor(options: FairQueueOptions<C>) {
    const noPause = { pause() {}, resume() {} };
    this.#options = { sliceMs: 10, limit: 2 ** 25, hurryMs: 2000, isUrgent: () => false, ...noPause, ...options };
  }

  /** The bound of {@link FairQueue.size}, in bytes. */
  get limit(): number {
    return this.#options.limit;
  }

  /** The bytes of the waiting messages, overhead included. */
  get size(): number {
    return this.#size;
  }

  /**
   * Gives priority to the next messages over these connections, including messages that wait already.
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

  /** Gives priority to the waiting messages of a connection. */
  #promote(remote: string): void {
    const entry = this.#byRemote.get(remote);
    if (entry === undefined || entry.hurried) return;
    const stack = this.#stackOf(entry);
    stack.splice(stack.lastIndexOf(entry), 1);
    entry.hurried = this.#takeHurry(remote);
    this.#stackOf(entry).push(entry);
  }

  /** The length of a turn in milliseconds: shorter while a sender is hurried, whose requests take several turns of the loop. */
  get #sliceMs(): number {
    const { sliceMs, now } = this.#options;
    return this.#hurried.size > 0 && this.#lastHurried > now() ? sliceMs / HURRIED_SLICE : sliceMs;
  }

  /** True if a message of a connection has priority; counts one message of {@link HURRIED_OF_ONE}. */
  #takeHurry(remote: string): boolean {
    const hurry = this.#hurried.size === 0 ? undefined : this.#hurried.get(remote);
    if (hurry === undefined || hurry.until <= this.#options.now()) return false;
    if (--hurry.left === 0) this.#hurried.delete(remote);
    return true;
  }

  /** True if the next message of a hurried sender has priority, too: as many messages have it as if they had arrived one by one. */
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
    if (entry.messages.length - entry.begun >= MAX_OF_ONE && !entry.paused) {
      entry.paused = true;
      pause(sender);
    }
    // Handles messages at once until the size is below the limit. No socket is read meanwhile, which slows down an endless sender.
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
    // A message that arrives before the next turn waits if other messages wait.
    this.#sliceEnds = 0;
    if (this.#size > 0) later(this.#turn);
    else this.#scheduled = false;
  };

  #stackOf({ hurried, messages, begun }: Waiting<C>): Waiting<C>[] {
    if (hurried) return this.#stacks.hurried;
    return (messages[begun]?.at(-1)?.length ?? 0) <= SHORT_MESSAGE ? this.#stacks.short : this.#stacks.long;
  }

  /** The stack to take from: hurried senders first, then short messages, then long ones, within the bounds of the runs. */
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

  /** Removes a sender without waiting messages, or one that has disconnected. */
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
        // The sender goes to the bottom of the stack: on top, an endless sender would still go first.
        if (isSlowed) stack.unshift(entry);
        else stack.push(entry);
      }
    }
    if (entry.paused && entry.messages.length - entry.begun <= MAX_OF_ONE / 2) {
      entry.paused = false;
      const { later, resume } = this.#options;
      later(() => resume(entry.sender));
    }
    if (entry.begun >= MAX_OF_ONE) {
      entry.messages = entry.messages.slice(entry.begun);
      entry.begun = 0;
    }
    this.#options.begin(entry.sender, frames);
  }
}

function sizeOf(frames: readonly Uint8Array[]): number {
  return frames.reduce((sum, frame) => sum + frame.length, OVERHEAD);
}
