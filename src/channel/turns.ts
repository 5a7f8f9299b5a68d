import type { Sender } from "./sign_in_line.ts";

export interface TurnsOptions<C extends Sender> {
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
}

/** What a message that waits takes beside its bytes. */
export const OVERHEAD = 1024;

interface Waiting<C> {
  sender: C;
  /** In the order in which they came. */
  messages: Uint8Array[][];
}

/**
 * Who is answered when more comes in than can be answered. As long as the loop keeps up, each message is begun as it arrives.
 * Beyond, they wait here rather than in the sockets, where the order would be theirs: the newest is begun first, for its
 * caller has most patience left, and whoever has given up comes last. In the order of arrival each would be answered just
 * too late, and would ask again: a burst of ten thousand returns would be worked through three times, and none acknowledged.
 */
export class Turns<C extends Sender> {
  readonly #options: Required<TurnsOptions<C>>;
  /** The newest stands last. */
  #stack: Waiting<C>[] = [];
  readonly #bySender = new Map<C, Waiting<C>>();
  /** What callers brought that have gone: still worth to be taken, when nobody else waits. */
  readonly #gone: Waiting<C>[] = [];
  #size = 0;
  #sliceEnds = 0;
  #scheduled = false;

  constructor(options: TurnsOptions<C>) {
    this.#options = { sliceMs: 10, limit: 2 ** 25, ...options };
  }

  /** Messages that wait, in bytes with their overhead. */
  get size(): number {
    return this.#size;
  }

  add(sender: C, frames: Uint8Array[]): void {
    const { now, later, begin, sliceMs, limit } = this.#options;
    if (!this.#scheduled) {
      this.#scheduled = true;
      this.#sliceEnds = now() + sliceMs;
      later(this.#turn);
    }
    if (this.#stack.length === 0 && now() < this.#sliceEnds) return begin(sender, frames);
    this.#size += sizeOf(frames);
    const known = this.#bySender.get(sender);
    if (known === undefined) {
      const entry = { sender, messages: [frames] };
      this.#bySender.set(sender, entry);
      this.#stack.push(entry);
    } else known.messages.push(frames);
    // While we are at it nothing more is read, so that whoever sends without end is slowed down.
    while (this.#size > limit) {
      const oldest = this.#gone.shift();
      if (oldest === undefined) this.#one();
      else this.#size -= oldest.messages.reduce((sum, message) => sum + sizeOf(message), 0);
    }
  }

  readonly #turn = (): void => {
    const { now, later, sliceMs } = this.#options;
    const ends = now() + sliceMs;
    while (this.#size > 0 && now() < ends) this.#one();
    // What comes before the next turn waits if something does already.
    this.#sliceEnds = 0;
    if (this.#size > 0) later(this.#turn);
    else this.#scheduled = false;
  };

  /** Begins one message: the newest of those who are there, else one of those who have gone. */
  #one(): void {
    for (let entry = this.#stack.at(-1); entry !== undefined; entry = this.#stack.at(-1)) {
      if (entry.sender.open) return this.#begin(entry, this.#stack);
      this.#stack.pop();
      this.#bySender.delete(entry.sender);
      this.#gone.push(entry);
    }
    const entry = this.#gone.at(-1);
    if (entry !== undefined) this.#begin(entry, this.#gone);
  }

  #begin(entry: Waiting<C>, from: Waiting<C>[]): void {
    const frames = entry.messages.shift()!;
    this.#size -= sizeOf(frames);
    if (entry.messages.length === 0) {
      from.pop();
      if (from === this.#stack) this.#bySender.delete(entry.sender);
    }
    this.#options.begin(entry.sender, frames);
  }
}

function sizeOf(frames: readonly Uint8Array[]): number {
  return frames.reduce((sum, frame) => sum + frame.length, OVERHEAD);
}
