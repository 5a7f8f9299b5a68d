import { AsyncQueue } from "../../base/async/queue.ts";
import { eventStamp, eventTag, packEvent, unpackEvent } from "../../protocol/wire/event_frame.ts";

/** The data of an event: text keys; values as in msgpack, or `Packed` ones that are passed on without decoding. */
export type EventData = Record<string, unknown>;

/**
 * One event of the bus. Made from data or from bytes; the other form is made on first use, and kept.
 *
 * @example
 * ```ts
 * const event = BusEvent.fromData("my/tag", { answer: 42, _stamp: "2026-11-21T10:15:00.000000" });
 * console.log(BusEvent.fromBytes(event.bytes).data.answer); // 42
 * ```
 */
export class BusEvent {
  /** What the event is about, such as `salt/job/<jid>/ret/<id>`. */
  readonly tag: string;
  #data: EventData | undefined;
  #bytes: Uint8Array | undefined;
  /** The jid of the job or runner that has fired it, where that is known; no part of the data. */
  readonly cause: string | undefined;
  /** The master of the cluster on which it happened, where that is another one; no part of the data. */
  readonly origin: string | undefined;

  private constructor(
    tag: string,
    data: EventData | undefined,
    bytes: Uint8Array | undefined,
    cause?: string,
    origin?: string,
  ) {
    this.tag = tag;
    this.#data = data;
    this.#bytes = bytes;
    this.cause = cause;
    this.origin = origin;
  }

  /**
   * An event made from data.
   *
   * @param data must carry its `_stamp` already
   */
  static fromData(tag: string, data: EventData, cause?: string): BusEvent {
    return new BusEvent(tag, data, undefined, cause);
  }

  /**
   * An event made from the bytes that carry it.
   *
   * @throws {ProtocolError} if the bytes have no tag
   */
  static fromBytes(bytes: Uint8Array, cause?: string, origin?: string): BusEvent {
    return new BusEvent(eventTag(bytes), undefined, bytes, cause, origin);
  }

  /**
   * What the event carries, decoded on first use.
   *
   * @throws {ProtocolError} if the bytes are not an event
   */
  get data(): EventData {
    this.#data ??= unpackEvent(this.#bytes!).data;
    return this.#data;
  }

  /** `tag ‖ "\n\n" ‖ msgpack(data)`, as it crosses processes. */
  get bytes(): Uint8Array {
    this.#bytes ??= packEvent(this.tag, this.#data!);
    return this.#bytes;
  }
}

export interface SubscribeOptions {
  /** Ends the subscription. */
  signal?: AbortSignal;
  /** Events held for a slow reader; beyond it the oldest is dropped. @default 100000 */
  limit?: number;
}

/** The event bus inside one process. Listeners are called in order, at once; one that throws does not affect the others. */
export class EventBus {
  readonly #listeners = new Set<(event: BusEvent) => void>();
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;

  /** @param now milliseconds since the epoch, for `_stamp` */
  constructor(now: () => number, onError: (error: unknown) => void = () => {}) {
    this.#now = now;
    this.#onError = onError;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Stamps the data (`_stamp`, last key if new) and delivers the event to every listener. */
  fire(tag: string, data: EventData, cause?: string): void {
    this.deliver(this.stamped(tag, data, cause));
  }

  /** As {@link EventBus.fire}, of data that nobody else has: the stamp is put into them, and no copy is made. */
  fireOwn(tag: string, data: EventData): void {
    data._stamp = eventStamp(this.#now());
    this.deliver(BusEvent.fromData(tag, data));
  }

  /** An event with a stamp of now, that is delivered to nobody. */
  stamped(tag: string, data: EventData, cause?: string): BusEvent {
    return BusEvent.fromData(tag, { ...data, _stamp: eventStamp(this.#now()) }, cause);
  }

  /** Delivers an event that has its stamp already, such as one of another process. */
  deliver(event: BusEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** Calls `listener` with every event; the returned function unsubscribes. */
  on(listener: (event: BusEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Events whose tag begins with `prefix`, from the moment of the call on. Leaving the loop unsubscribes. */
  subscribe(prefix: string, options: SubscribeOptions = {}): AsyncIterableIterator<BusEvent> & Disposable {
    const queue = new AsyncQueue<BusEvent>({ limit: options.limit ?? 100_000, whenFull: "drop-oldest" });
    const off = this.on((event) => {
      if (event.tag.startsWith(prefix)) queue.offer(event);
    });
    const stop = () => {
      off();
      queue.close();
    };
    if (options.signal?.aborted) stop();
    options.signal?.addEventListener("abort", stop, { once: true });
    return {
      next: () => queue.next(),
      return: () => {
        stop();
        return Promise.resolve({ value: undefined, done: true });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
      [Symbol.dispose]: stop,
    } as AsyncIterableIterator<BusEvent> & Disposable;
  }
}
