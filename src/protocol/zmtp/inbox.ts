import type { Logger } from "../../base/log.ts";
import { messageOf } from "../../base/errors.ts";
import type { Peer } from "./peer.ts";

/**
 * The received messages of a socket, which wait for {@link Inbox.receive}, or are passed at once to a handler.
 * When `limit` messages wait, peers that send more are paused; they resume in the order in which they were paused.
 */
export class Inbox<T> {
  readonly #limit: number;
  readonly #log: Logger;
  #items: T[] = [];
  #head = 0;
  #handler: ((item: T) => void) | undefined;
  #readers: ((item: T | undefined) => void)[] = [];
  #stalled: Peer[] = [];
  #closed = false;

  constructor(limit: number, log: Logger) {
    this.#limit = limit;
    this.#log = log;
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  deliver(peer: Peer, item: T): void {
    if (this.#handler !== undefined) return this.#call(this.#handler, item);
    if (this.#readers.length > 0) return this.#readers.shift()!(item);
    this.#items.push(item);
    if (this.size >= this.#limit && !peer.paused) {
      peer.pause();
      this.#stalled.push(peer);
    }
  }

  /** Passes every message to `handler` from now on, queued ones first. */
  handle(handler: (item: T) => void): void {
    this.#handler = handler;
    while (this.size > 0) this.#call(handler, this.#take());
    this.#goOn();
  }

  /** The next message: the message itself if one is queued, else a promise. Undefined once the socket is closed. */
  receive(): T | undefined | Promise<T | undefined> {
    if (this.size > 0) {
      const item = this.#take();
      if (this.#stalled.length > 0 && this.size <= this.#limit / 2) this.#goOn();
      return item;
    }
    if (this.#closed) return undefined;
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  /** Closes the inbox: queued messages can still be received; after them, `receive` returns undefined. */
  close(): void {
    this.#closed = true;
    this.#stalled = [];
    for (const reader of this.#readers.splice(0)) reader(undefined);
  }

  async *iterate(): AsyncGenerator<T> {
    for (;;) {
      const item = this.receive();
      const got = item instanceof Promise ? await item : item;
      if (got === undefined) return;
      yield got;
    }
  }

  #goOn(): void {
    for (let left = this.#stalled.length; left > 0 && this.size < this.#limit; left--) this.#stalled.shift()!.resume();
  }

  #call(handler: (item: T) => void, item: T): void {
    try {
      handler(item);
    } catch (error) {
      // A failed handler is not the peer's fault, and the next messages must still be handled.
      this.#log.error("message handler failed", { error: messageOf(error) });
    }
  }

  #take(): T {
    const item = this.#items[this.#head] as T;
    this.#items[this.#head] = undefined as T;
    this.#head++;
    if (this.#head === this.#items.length) {
      this.#items = [];
      this.#head = 0;
    } else if (this.#head >= 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
