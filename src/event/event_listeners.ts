import type { Logger } from "../log.ts";
import type { Connection } from "../runtime/net.ts";
import { type IpcFraming, packIpcFrame, withLength } from "../wire/ipc_frame.ts";

/** Above this a frame is written by itself rather than copied into a batch. */
const BATCH_LIMIT = 16 * 1024;

/** One listener, with the frames that are to be written to it. */
class Listener {
  readonly connection: Connection;
  readonly #framing: IpcFraming;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

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
  /** Runs once per turn of the loop, so that a burst of events is one write. */
  later(callback: () => void): void;
}

/** Connections that every event is written to. One that does not read loses events of its own, and delays no other. */
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

  add(connection: Connection, framing: IpcFraming): void {
    const listener = new Listener(connection, framing);
    this.#listeners.add(listener);
    connection.start({
      // Listeners send nothing.
      onData: () => {},
      onClose: () => {
        this.#listeners.delete(listener);
        this.#dirty.delete(listener);
      },
    });
  }

  /** Writes an event to every listener, at the end of this turn of the loop. */
  send(event: Uint8Array): void {
    if (this.#listeners.size === 0) return;
    const { listenerBuffer, log, later } = this.#options;
    const frame = packIpcFrame(event);
    for (const listener of this.#listeners) {
      if (listener.backlog > listenerBuffer) {
        if (this.#dropped++ % 10_000 === 0) {
          log.warning("event listener does not read, events are dropped for it", { dropped: this.#dropped });
        }
        continue;
      }
      listener.push(frame);
      this.#dirty.add(listener);
    }
    if (this.#scheduled || this.#dirty.size === 0) return;
    this.#scheduled = true;
    later(() => this.flush());
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
