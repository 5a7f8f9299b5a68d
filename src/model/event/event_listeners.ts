import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Connection } from "../../runtime/net.ts";
import { unpackEvent } from "../../protocol/wire/event_frame.ts";
import {
  IpcFrameReader,
  type IpcFraming,
  packIpcFrame,
  packNumberedFrame,
  withLength,
} from "../../protocol/wire/ipc_frame.ts";
import type { BusEvent } from "./bus.ts";
import { SUBSCRIBE } from "./bus_addresses.ts";
import type { EventLogReader } from "./event_log.ts";
import type { KeptEvents } from "./kept_events.ts";

/** Bytes that are joined to one write; a larger frame is written by itself. */
const BATCH_LIMIT = 64 * 1024;
/** Bytes of what a listener may send. */
const MAX_REQUEST = 4096;
const NOTHING = new Uint8Array(0);

/** Bytes that are read at once for a listener that gets what it has missed. */
const AHEAD = 256 * 1024;

/** An event on its way to listeners, and its frames: each is made once for all that want it. */
export class Frames {
  readonly #bytes: Uint8Array;
  readonly #number: number;
  readonly #cause: string | undefined;
  readonly #origin: string | undefined;
  #plain: Uint8Array | undefined;
  #withLength: Uint8Array | undefined;
  #numbered: Uint8Array | undefined;

  /** @param number of the event, from 1 on */
  constructor(bytes: Uint8Array, number: number, cause: string | undefined, origin?: string) {
    this.#bytes = bytes;
    this.#number = number;
    this.#cause = cause;
    this.#origin = origin;
  }

  get plain(): Uint8Array {
    return this.#plain ??= packIpcFrame(this.#bytes);
  }

  get withLength(): Uint8Array {
    return this.#withLength ??= withLength(this.plain);
  }

  get numbered(): Uint8Array {
    if (this.#numbered !== undefined) return this.#numbered;
    const [n, cause, origin] = [this.#number, this.#cause, this.#origin];
    if (cause === undefined && origin === undefined) return this.#numbered = packNumberedFrame(this.#bytes, n);
    const head = { n, ...(cause === undefined ? {} : { cause }), ...(origin === undefined ? {} : { origin }) };
    return this.#numbered = packIpcFrame(this.#bytes, head);
  }
}

/** One listener, with the frames that are to be written to it. */
class Listener {
  readonly connection: Connection;
  readonly #framing: IpcFraming;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Something waits that no other listener gets. */
  #hasOwn = false;
  /** Events that it has missed since it was last told. */
  missed = 0;
  /** It has asked for the numbers of events. */
  numbered = false;
  /** It gets kept events, and those that happen meanwhile after them. */
  reader: EventLogReader | undefined;

  constructor(connection: Connection, framing: IpcFraming) {
    this.connection = connection;
    this.#framing = framing;
  }

  get backlog(): number {
    return this.#pendingBytes + this.connection.buffered;
  }

  /** Takes an event to be written. */
  take(event: Frames): void {
    this.#add(this.numbered ? event.numbered : this.#framing === "length" ? event.withLength : event.plain);
  }

  /** Takes a frame of its own. */
  push(frame: Uint8Array): void {
    this.#hasOwn = true;
    this.#add(this.#framing === "length" ? withLength(frame) : frame);
  }

  #add(frame: Uint8Array): void {
    this.#pending.push(frame);
    this.#pendingBytes += frame.length;
  }

  /** Writes what waits. @param batches the same for listeners that get the same @returns false if `onDrain` is to be waited for */
  flush(batches: Batches): boolean {
    const pending = this.#pending;
    let hasRoom = true;
    if (pending.length === 0) return hasRoom;
    this.#pending = [];
    this.#pendingBytes = 0;
    for (const batch of this.#hasOwn ? batchesOf(pending) : batches.of(pending)) hasRoom = this.connection.write(batch);
    this.#hasOwn = false;
    return hasRoom;
  }
}

/** Frames joined to what is written at once; made once for all listeners that get the same frames in one turn. */
class Batches {
  #frames: readonly Uint8Array[] = [];
  #batches: Uint8Array[] = [];

  of(frames: readonly Uint8Array[]): readonly Uint8Array[] {
    const before = this.#frames;
    // They have all events in their order, so that between two that they share there is nothing else.
    const isSame = before.length === frames.length && before[0] === frames[0] && before.at(-1) === frames.at(-1);
    if (!isSame) {
      this.#frames = frames;
      this.#batches = batchesOf(frames);
    }
    return this.#batches;
  }
}

function batchesOf(frames: readonly Uint8Array[]): Uint8Array[] {
  const batches: Uint8Array[] = [];
  let start = 0;
  while (start < frames.length) {
    let end = start;
    let size = 0;
    while (end < frames.length && (end === start || size + frames[end]!.length <= BATCH_LIMIT)) {
      size += frames[end++]!.length;
    }
    if (end - start === 1) batches.push(frames[start]!);
    else {
      const batch = new Uint8Array(size);
      let at = 0;
      for (let i = start; i < end; i++) {
        batch.set(frames[i]!, at);
        at += frames[i]!.length;
      }
      batches.push(batch);
    }
    start = end;
  }
  return batches;
}

export interface EventListenersOptions {
  log: Logger;
  /** Bytes held for one listener that does not read. */
  listenerBuffer: number;
  /** What is kept for listeners that want what they have missed. */
  kept: KeptEvents;
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
          this.#options.log.warning("event listener sent bytes that are not a subscription: connection closed", {
            error: messageOf(error),
          });
          connection.destroy();
        }
      },
      onDrain: () => {
        this.#catchUp(listener);
        this.#tellMissed(listener);
      },
      onClose: () => {
        this.#listeners.delete(listener);
        this.#dirty.delete(listener);
      },
    });
  }

  /** A listener wants numbers from now on, and first the events after the one that it names. */
  #subscribe(listener: Listener, body: Uint8Array): void {
    const { kept } = this.#options;
    const { tag, data: { after } } = unpackEvent(body);
    if (tag !== SUBSCRIBE || listener.numbered) return;
    listener.numbered = true;
    const { reader, lost } = typeof after === "string" ? kept.since(after) : { reader: undefined, lost: false };
    this.#push(listener, packIpcFrame(NOTHING, { boot: kept.boot, latest: kept.latest, lost }));
    listener.reader = reader;
    this.#catchUp(listener);
  }

  /** Sends a listener a piece of what is kept; the next one once it has room, until it has all. */
  #catchUp(listener: Listener): void {
    const { kept, log, listenerBuffer } = this.#options;
    if (listener.reader === undefined) return;
    try {
      kept.flush();
      const { entries, skipped } = listener.reader.read(Infinity, Math.min(AHEAD, listenerBuffer / 4));
      if (skipped > 0) this.#tell(listener, skipped);
      for (const frame of entries) this.#push(listener, frame);
      if (entries.length === 0) listener.reader = undefined;
    } catch (error) {
      log.error("kept events cannot be read: listener closed", { error: messageOf(error) });
      listener.connection.destroy();
    }
  }

  /** Writes an event to every listener, at the end of this turn of the loop. */
  send(event: Frames): void {
    const { kept, listenerBuffer } = this.#options;
    if (kept.keeps) {
      kept.add(event.numbered);
      this.#schedule();
    }
    for (const listener of this.#listeners) {
      // It comes to this event by itself.
      if (listener.reader !== undefined) continue;
      if (listener.missed > 0) this.#tellMissed(listener);
      if (listener.missed > 0 || listener.backlog > listenerBuffer) this.#drop(listener);
      else {
        listener.take(event);
        this.#dirty.add(listener);
        this.#schedule();
      }
    }
  }

  #drop(listener: Listener): void {
    this.#dropped++;
    if (listener.missed++ > 0) return;
    this.#options.log.warning("event listener does not read: its events are dropped", { waiting: listener.backlog });
  }

  /** Tells a listener that reads again what it has missed, once there is room enough for more than that. */
  #tellMissed(listener: Listener): void {
    const { missed } = listener;
    const { log, listenerBuffer } = this.#options;
    if (missed === 0 || listener.backlog > listenerBuffer / 2) return;
    listener.missed = 0;
    log.warning("event listener reads again, and received the number of missed events", { missed });
    this.#tell(listener, missed);
  }

  #tell(listener: Listener, missed: number): void {
    const { bytes } = this.#options.missedEvent(missed);
    this.#push(listener, packIpcFrame(bytes, listener.numbered ? { missed } : undefined));
  }

  #push(listener: Listener, frame: Uint8Array): void {
    listener.push(frame);
    this.#dirty.add(listener);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.later(() => this.flush());
  }

  /** Writes what waits, and what is to be kept. */
  flush(): void {
    this.#scheduled = false;
    this.#options.kept.flush();
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    const batches = new Batches();
    for (const listener of dirty) {
      const hasRoom = listener.flush(batches);
      if (hasRoom && listener.reader !== undefined) this.#options.later(() => this.#catchUp(listener));
    }
  }

  /** Closes every connection once what is buffered has been sent. */
  end(): void {
    for (const listener of this.#listeners) listener.connection.end();
  }
}
