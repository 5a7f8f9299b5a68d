import { messageOf } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { Connection } from "../runtime/net.ts";
import { unpackEvent } from "../wire/event_frame.ts";
import { IpcFrameReader, type IpcFraming, packIpcFrame, packNumberedFrame, withLength } from "../wire/ipc_frame.ts";
import type { BusEvent } from "./bus.ts";
import { SUBSCRIBE } from "./bus_addresses.ts";
import type { EventHistory, NumberedEvent } from "./event_history.ts";

/** Above this a frame is written by itself rather than copied into a batch. */
const BATCH_LIMIT = 16 * 1024;
/** Bytes of what a listener may send. */
const MAX_REQUEST = 4096;
const NOTHING = new Uint8Array(0);

/** An event on its way to listeners, and in the history. */
export interface SentEvent extends NumberedEvent {
  readonly bytes: Uint8Array;
  readonly cause: string | undefined;
}

/** The frames of one event, each made once for all listeners that want it. */
class Frames {
  readonly #event: SentEvent;
  #plain: Uint8Array | undefined;
  #numbered: Uint8Array | undefined;

  constructor(event: SentEvent) {
    this.#event = event;
  }

  get plain(): Uint8Array {
    return this.#plain ??= packIpcFrame(this.#event.bytes);
  }

  get numbered(): Uint8Array {
    const { bytes, seq, cause } = this.#event;
    return this.#numbered ??= cause === undefined
      ? packNumberedFrame(bytes, seq)
      : packIpcFrame(bytes, { n: seq, cause });
  }
}

/** One listener, with the frames that are to be written to it. */
class Listener {
  readonly connection: Connection;
  readonly #framing: IpcFraming;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Events that it has missed since it was last told. */
  missed = 0;
  /** It has asked for the numbers of events. */
  numbered = false;

  constructor(connection: Connection, framing: IpcFraming) {
    this.connection = connection;
    this.#framing = framing;
  }

  get backlog(): number {
    return this.#pendingBytes + this.connection.buffered;
  }

  push(frame: Uint8Array): void {
    const framed = this.#framing === "length" ? withLength(frame) : frame;
    this.#pending.push(framed);
    this.#pendingBytes += framed.length;
  }

  flush(): void {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    let start = 0;
    while (start < pending.length) {
      let end = start;
      let size = 0;
      while (end < pending.length && (end === start || size + pending[end]!.length <= BATCH_LIMIT * 4)) {
        size += pending[end++]!.length;
      }
      if (end - start === 1) this.connection.write(pending[start]!);
      else {
        const batch = new Uint8Array(size);
        let at = 0;
        for (let i = start; i < end; i++) {
          batch.set(pending[i]!, at);
          at += pending[i]!.length;
        }
        this.connection.write(batch);
      }
      start = end;
    }
  }
}

export interface EventListenersOptions {
  log: Logger;
  /** Bytes held for one listener that does not read. */
  listenerBuffer: number;
  /** What is kept for listeners that want what they have missed. */
  history: EventHistory<SentEvent>;
  /** The event that tells one listener how many it has missed. */
  missedEvent(count: number): BusEvent;
  /** Runs once per turn of the loop, so that a burst of events is one write. */
  later(callback: () => void): void;
}

/**
 * Connections that every event is written to. One that does not read loses events of its own, delays no other, and is told how many it
 * has lost once it reads again.
 */
export class EventListeners {
  readonly #options: EventListenersOptions;
  readonly #listeners = new Set<Listener>();
  /** Those with frames to be written. */
  readonly #dirty = new Set<Listener>();
  #scheduled = false;
  #dropped = 0;

  constructor(options: EventListenersOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Events that slow listeners did not receive. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Bytes that wait for the slowest listener. */
  get backlog(): number {
    let most = 0;
    for (const { backlog } of this.#listeners) most = Math.max(most, backlog);
    return most;
  }

  /** @param maySubscribe it may ask for numbers, and for what it has missed. Others send nothing */
  add(connection: Connection, framing: IpcFraming, maySubscribe = false): void {
    const listener = new Listener(connection, framing);
    this.#listeners.add(listener);
    const reader = maySubscribe ? new IpcFrameReader({ maxBytes: MAX_REQUEST }) : undefined;
    connection.start({
      onData: (chunk) => {
        try {
          reader?.push(chunk);
          for (let body = reader?.next(); body !== undefined; body = reader?.next()) this.#subscribe(listener, body);
        } catch (error) {
          this.#options.log.warning("event listener sent bytes that are no subscription, connection closed", {
            error: messageOf(error),
          });
          connection.destroy();
        }
      },
      onDrain: () => this.#tellMissed(listener),
      onClose: () => {
        this.#listeners.delete(listener);
        this.#dirty.delete(listener);
      },
    });
  }

  /** A listener wants numbers from now on, and first the events after the one that it names. */
  #subscribe(listener: Listener, body: Uint8Array): void {
    const { history } = this.#options;
    const { tag, data: { after } } = unpackEvent(body);
    if (tag !== SUBSCRIBE || listener.numbered) return;
    listener.numbered = true;
    const { events, lost } = typeof after === "string" ? history.since(after) : { events: [], lost: false };
    this.#push(listener, packIpcFrame(NOTHING, { boot: history.boot, latest: history.latest, lost }));
    for (const event of events) this.#push(listener, new Frames(event).numbered);
  }

  /** Writes an event to every listener, at the end of this turn of the loop. */
  send(event: SentEvent): void {
    if (this.#listeners.size === 0) return;
    const frames = new Frames(event);
    for (const listener of this.#listeners) {
      if (listener.missed > 0) this.#tellMissed(listener);
      if (listener.missed > 0 || listener.backlog > this.#options.listenerBuffer) this.#drop(listener);
      else this.#push(listener, listener.numbered ? frames.numbered : frames.plain);
    }
  }

  #drop(listener: Listener): void {
    this.#dropped++;
    if (listener.missed++ > 0) return;
    this.#options.log.warning("event listener does not read, events are dropped for it", { waiting: listener.backlog });
  }

  /** Tells a listener that reads again what it has missed, once there is room enough for more than that. */
  #tellMissed(listener: Listener): void {
    const { missed } = listener;
    const { log, listenerBuffer, missedEvent } = this.#options;
    if (missed === 0 || listener.backlog > listenerBuffer / 2) return;
    listener.missed = 0;
    log.warning("event listener reads again, and was told how many events it has missed", { missed });
    this.#push(listener, packIpcFrame(missedEvent(missed).bytes, listener.numbered ? { missed } : undefined));
  }

  #push(listener: Listener, frame: Uint8Array): void {
    listener.push(frame);
    this.#dirty.add(listener);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.later(() => this.flush());
  }

  flush(): void {
    this.#scheduled = false;
    for (const listener of this.#dirty) listener.flush();
    this.#dirty.clear();
  }

  /** Closes every connection once what is buffered has been sent. */
  end(): void {
    for (const listener of this.#listeners) listener.connection.end();
  }
}
