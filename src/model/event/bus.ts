import { AsyncQueue } from "../../base/async/queue.ts";
import { eventStamp, eventTag, packEvent, unpackEvent } from "../../protocol/wire/event_frame.ts";
import type { SocketAddress } from "../../runtime/net.ts";

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
  /** The subject of the event, such as `salt/job/<jid>/ret/<id>`. */
  readonly tag: string;
  #data: EventData | undefined;
  #bytes: Uint8Array | undefined;
  /** The jid of the job or runner that fired the event, if known; not part of the data. */
  readonly cause: string | undefined;
  /** The master where the event happened, if that is another master of the cluster; not part of the data. */
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

  /** An event made from data. @param data must carry its `_stamp` already */
  static fromData(tag: string, data: EventData, cause?: string): BusEvent {
    return new BusEvent(tag, data, undefined, cause);
  }

  /** An event made from the bytes that carry it. @throws {ProtocolError} if the bytes have no tag */
  static fromBytes(bytes: Uint8Array, cause?: string, origin?: string): BusEvent {
    return new BusEvent(eventTag(bytes), undefined, bytes, cause, origin);
  }

  /** The data of the event, decoded on first use. @throws {ProtocolError} if the bytes are not an event */
  get data(): EventData {
    this.#data ??= unpackEvent(this.#bytes!).data;
    return this.#data;
  }

  /**
   * The event as sent between processes: `tag ‖ "
   *
   * " ‖ msgpack(data)`.
   */
  get bytes(): Uint8Array {
    this.#bytes ??= packEvent(this.tag, this.#data!);
    return this.#bytes;
  }
}

interface SubscribeOptions {
  /** Ends the subscription. */
  signal?: AbortSignal;
  /** Events held for a slow reader; beyond this number the oldest is dropped. @default 100000 */
  limit?: number;
}

/**
 * The event bus inside one process. Listeners are called in order and synchronously; an exception of one does not affect the
 * others.
 */
export class EventBus {
  readonly #listeners = new Set<(event: BusEvent) => void>();
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;

  /** @param now returns milliseconds since the epoch, for `_stamp` */
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

  /** Fires an event like {@link EventBus.fire}, but puts the stamp into `data` without a copy: nobody else may use `data`. */
  fireOwn(tag: string, data: EventData): void {
    data._stamp = eventStamp(this.#now());
    this.deliver(BusEvent.fromData(tag, data));
  }

  /** Makes an event with the current time as stamp, and delivers it to nobody. */
  stamped(tag: string, data: EventData, cause?: string): BusEvent {
    return BusEvent.fromData(tag, { ...data, _stamp: eventStamp(this.#now()) }, cause);
  }

  /** Delivers an event that has its stamp already, for example from another process. */
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

  /** Events whose tag begins with `prefix`, starting with the call. Leaving the loop unsubscribes. */
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

/** Name of the socket in `sock_dir` that only Brine programs connect to. */
export const OWN_BUS = "brine_event_pub.ipc";

/** Tag of a listener's request at {@link OWN_BUS}: for numbered events, beginning with those `after` an id. */
export const SUBSCRIBE = "brine/subscribe";

export interface BusAddresses {
  /** Listeners connect here. */
  pub: SocketAddress;
  /** Programs that fire events connect here. */
  pull: SocketAddress;
  /** Brine listeners connect here: a socket that real Salt does not have, on which the framing is never in doubt. */
  own?: SocketAddress;
}
