import { type Deferred, deferred } from "./deferred.ts";

type FullPolicy = "wait" | "drop-newest" | "drop-oldest";

interface QueueOptions {
  /** Items held at most. */
  limit: number;
  /** @default "wait" */
  whenFull?: FullPolicy;
}

/**
 * A bounded queue between one or more writers and one reader. With `"wait"`, {@link AsyncQueue.push} resolves once there
 * is room; with the two drop policies it never waits and {@link AsyncQueue.dropped} counts what was lost.
 */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #limit: number;
  readonly #policy: FullPolicy;
  #items: T[] = [];
  #head = 0;
  #reader: Deferred<IteratorResult<T>> | undefined;
  #room: Deferred<void> | undefined;
  #closed = false;
  #error: unknown;

  /** Items lost to a full queue so far. */
  dropped = 0;

  constructor(options: QueueOptions) {
    this.#limit = options.limit;
    this.#policy = options.whenFull ?? "wait";
  }

  /** Items waiting to be read. */
  get size(): number {
    return this.#items.length - this.#head;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Adds an item; false if it was dropped or the queue is closed. Never waits, and may exceed the limit under `"wait"`. */
  offer(item: T): boolean {
    if (this.#closed) return false;
    if (this.#reader !== undefined) {
      const reader = this.#reader;
      this.#reader = undefined;
      reader.resolve({ value: item, done: false });
      return true;
    }
    if (this.size >= this.#limit && this.#policy !== "wait") {
      this.dropped++;
      if (this.#policy === "drop-newest") return false;
      this.#take();
    }
    this.#items.push(item);
    return true;
  }

  /** Adds an item, under `"wait"` only once there is room. */
  async push(item: T): Promise<boolean> {
    while (this.#policy === "wait" && this.size >= this.#limit && !this.#closed) {
      this.#room ??= deferred<void>();
      await this.#room.promise;
    }
    return this.offer(item);
  }

  /** The next item at once, or undefined. */
  poll(): T | undefined {
    return this.size === 0 ? undefined : this.#take();
  }

  /** The next item; `done` after {@link AsyncQueue.close}, once what was queued has been read. */
  next(): Promise<IteratorResult<T>> {
    if (this.size > 0) return Promise.resolve({ value: this.#take(), done: false });
    if (this.#closed) {
      if (this.#error === undefined) return Promise.resolve({ value: undefined, done: true });
      return Promise.reject(this.#error);
    }
    if (this.#reader !== undefined) throw new TypeError("Cannot read a queue: another read is pending");
    this.#reader = deferred<IteratorResult<T>>();
    return this.#reader.promise;
  }

  /** Ends the queue: what is queued can still be read; with an error, the read after the last item rejects with it. */
  close(error?: unknown): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#error = error;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== undefined) {
      if (error === undefined) reader.resolve({ value: undefined, done: true });
      else reader.reject(error);
    }
    this.#room?.resolve();
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return {
      next: () => this.next(),
      return: () => {
        this.close();
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }

  #take(): T {
    const item = this.#items[this.#head] as T;
    this.#items[this.#head] = undefined as T;
    this.#head++;
    // Removing the first item at every read would cost O(n); once half of the array has been read it is cheap.
    if (this.#head > 32 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    if (this.#room !== undefined && this.size < this.#limit) {
      const room = this.#room;
      this.#room = undefined;
      room.resolve();
    }
    return item;
  }
}
