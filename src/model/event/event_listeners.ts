import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Connection } from "../../runtime/net.ts";
import { unpackEvent } from "../../protocol/wire/event_frame.ts";
import type { IpcFraming } from "../../protocol/wire/ipc_frame.ts";
import { IpcFrameReader, packIpcFrame, packNumberedFrame, withLength } from "../../protocol/wire/ipc_frame.ts";
import { type BusEvent, SUBSCRIBE } from "./bus.ts";
import type { EventLogReader } from "./event_log.ts";
import type { KeptEvents } from "./kept_events.ts";

/** Bytes of frames that are joined to one write, at most; a larger frame is written alone. */
const BATCH_LIMIT = 64 * 1024;
/** Bytes of a listener's request, at most. */
const MAX_REQUEST = 4096;
const NOTHING = new Uint8Array(0);

/** Bytes of kept events that are read at once for a listener that catches up. */
const AHEAD = 256 * 1024;

/** An event to send, and its frames: each form of a frame is made once for all listeners that need it. */
export class Frames {
  readonly #bytes: Uint8Array;
  readonly #number: number;
  readonly #cause: string | undefined;
  readonly #origin: string | undefined;
  #plain: Uint8Array | undefined;
  #withLength: Uint8Array | undefined;
  #numbered: Uint8Array | undefined;

  /** @param number the event's number, counted from 1 */
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

/** One listener, with the frames that wait to be written to it. */
class Listener {
  readonly connection: Connection;
  readonly #framing: IpcFraming;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** True if a pending frame is for this listener only. */
  #hasOwn = false;
  /** Events that the listener has missed since it was last told. */
  missed = 0;
  numbered = false;
  /** Reads kept events while the listener catches up; new events come through it, too. */
  reader: EventLogReader | undefined;

  constructor(connection: Connection, framing: IpcFraming) {
    this.connection = connection;
    this.#framing = framing;
  }

  get backlog(): number {
    return this.#pendingBytes + this.connection.buffered;
  }

  /** Adds an event to the pending frames. */
  take(event: Frames): void {
    this.#add(this.numbered ? event.numbered : this.#framing === "length" ? event.withLength : event.plain);
  }

  /** Adds a frame for this listener only. */
  push(frame: Uint8Array): void {
    this.#hasOwn = true;
    this.#add(this.#framing === "length" ? withLength(frame) : frame);
  }

  #add(frame: Uint8Array): void {
    this.#pending.push(frame);
    this.#pendingBytes += frame.length;
  }

  /**
   * Writes the pending frames.
   *
   * @param batches shared by listeners with the same frames
   * @returns false if the caller must wait for `onDrain`
   */
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

/**
 * Frames joined to batches for writing. They are made once for all listeners that get the same frames in one turn of the event
 * loop.
 */
class Batches {
  #frames: readonly Uint8Array[] = [];
  #batches: Uint8Array[] = [];

  of(frames: readonly Uint8Array[]): readonly Uint8Array[] {
    const before = this.#frames;
    // Listeners get all events in order, so equal first and last frames mean that those between are equal, too.
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

interface EventListenersOptions {
  log: Logger;
  /** Bytes held for one slow listener, at most. */
  listenerBuffer: number;
  /** The latest events, for listeners that reconnect. */
  kept: KeptEvents;
  /** Makes the event that tells one listener how many events it has missed. */
  missedEvent(count: number): BusEvent;
  /** Calls back once per turn of the event loop, so that a burst of events is one write. */
  later(callback: () => void): void;
}

/**
 * The connections that every event is written to. A slow listener loses its own events, does not delay others, and receives the
 * number of lost events once it reads again.
 */
export class EventListeners {
  readonly #options: EventListenersOptions;
  readonly #listeners = new Set<Listener>();
  /** Listeners with pending frames. */
  readonly #dirty = new Set<Listener>();
  /** The events of this turn of the event loop. */
  #turn: Frames[] = [];
  #scheduled = false;
  #dropped = 0;

  constructor(options: EventListenersOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Number of events that slow listeners have lost. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Bytes that wait for the slowest listener. */
  get backlog(): number {
    let most = 0;
    for (const { backlog } of this.#listeners) most = Math.max(most, backlog);
    return most;
  }

  /**
   * Adds a connection. It gets the events of this turn, too: a program that connects, then causes an event, has to receive it,
   * but the event loop may see the event first.
   *
   * @param maySubscribe true if the listener may ask for numbered and missed events; other listeners send nothing
   */
  add(connection: Connection, framing: IpcFraming, maySubscribe = false): void {
    const listener = new Listener(connection, framing);
    this.#listeners.add(listener);
    if (!maySubscribe) { for (const event of this.#turn) this.#take(listener, event); }
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

  /** Handles a listener's request: it gets numbered events from now on, after the kept events that it has missed. */
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

  /** Sends a listener the next piece of kept events, if it has room; continues on drain until it has caught up. */
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

  /** Sends an event to every listener, at the end of this turn of the event loop. */
  send(event: Frames): void {
    const { kept, listenerBuffer } = this.#options;
    if (kept.keeps) kept.add(event.numbered);
    this.#turn.push(event);
    this.#schedule();
    for (const listener of this.#listeners) {
      // The listener's reader will reach this event.
      if (listener.reader !== undefined) continue;
      if (listener.missed > 0) this.#tellMissed(listener);
      if (listener.missed > 0 || listener.backlog > listenerBuffer) this.#drop(listener);
      else this.#take(listener, event);
    }
  }

  #take(listener: Listener, event: Frames): void {
    listener.take(event);
    this.#dirty.add(listener);
    this.#schedule();
  }

  #drop(listener: Listener): void {
    this.#dropped++;
    if (listener.missed++ > 0) return;
    this.#options.log.warning("event listener does not read: its events are dropped", { waiting: listener.backlog });
  }

  /** Tells a listener that reads again how many events it has missed, once its backlog is at most half of the maximum. */
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

  /** Writes pending frames, and the events to keep. */
  flush(): void {
    this.#scheduled = false;
    this.#turn = [];
    this.#options.kept.flush();
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    const batches = new Batches();
    for (const listener of dirty) {
      const hasRoom = listener.flush(batches);
      if (hasRoom && listener.reader !== undefined) this.#options.later(() => this.#catchUp(listener));
    }
  }

  /** Closes every connection after its buffered data has been sent. */
  end(): void {
    for (const listener of this.#listeners) listener.connection.end();
  }
}
