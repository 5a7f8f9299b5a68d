import { deferred } from "../async/deferred.ts";
import type { Logger } from "../log.ts";
import { messageOf } from "../errors.ts";
import type { Connection, Listener, Net, SocketAddress } from "../runtime/net.ts";
import { IpcFrameReader, type IpcFraming, packIpcFrame, withLength } from "../wire/ipc_frame.ts";
import { BusEvent, type EventBus } from "./bus.ts";

/** Name in `sock_dir` of the socket that only our programs listen at. */
export const OWN_BUS = "brine_event_pub.ipc";

/** Where the two sockets of a bus are. */
export interface BusAddresses {
  /** Listeners connect here. */
  pub: SocketAddress;
  /** Events are handed in here. */
  pull: SocketAddress;
  /**
   * Brine listeners connect here: a socket that real Salt does not have, on which the framing is never in doubt.
   */
  own?: SocketAddress;
}

export interface ServeBusOptions {
  /** Mode of the sockets that events come out of; nobody but our own user ever puts any in. @default 0o600 */
  listenMode?: number;
  /** Bytes held for one listener that does not read; beyond it that listener loses events. @default 64 MiB */
  listenerBuffer?: number;
  /** Largest event that is taken in. @default 100 MiB */
  maxEventBytes?: number;
  /**
   * The framing that a listener at `pub` understands. Listeners say nothing of themselves, so that the host has to find
   * out. @default "stream"
   */
  framing?(): IpcFraming;
  /** Runs once per turn of the loop, so that a burst of events is one write. */
  later(callback: () => void): void;
}

/** The two sockets of a bus that this process holds. */
export interface BusServer extends AsyncDisposable {
  readonly listeners: number;
  /** Events that slow listeners did not get. */
  readonly dropped: number;
  close(): Promise<void>;
}

/** Above this a frame is written by itself rather than copied into the batch. */
const BATCH_LIMIT = 16 * 1024;

class ListenerPeer {
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

/**
 * Serves a bus to other processes, as a master or minion does in its `sock_dir`: what comes in at `pull` is delivered on
 * the bus, and every event of the bus goes out to every listener at `pub`. A listener that does not read loses events
 * of its own; it holds up nobody.
 *
 * @throws {SystemError} if a socket cannot be made
 */
export async function serveBus(
  bus: EventBus,
  net: Net,
  addresses: BusAddresses,
  log: Logger,
  options: ServeBusOptions,
): Promise<BusServer> {
  const { listenMode = 0o600, listenerBuffer = 64 * 1024 * 1024, maxEventBytes = 100 * 1024 * 1024 } = options;
  const listeners = new Set<ListenerPeer>();
  const senders = new Set<Connection>();
  const dirty = new Set<ListenerPeer>();
  let scheduled = false;
  let dropped = 0;

  const flush = () => {
    scheduled = false;
    for (const peer of dirty) peer.flush();
    dirty.clear();
  };

  const off = bus.on((event) => {
    if (listeners.size === 0) return;
    const frame = packIpcFrame(event.bytes);
    for (const peer of listeners) {
      if (peer.backlog > listenerBuffer) {
        if (dropped++ % 10_000 === 0) {
          log.warning("event listener does not read, events are dropped for it", { dropped });
        }
        continue;
      }
      peer.push(frame);
      dirty.add(peer);
    }
    if (!scheduled && dirty.size > 0) {
      scheduled = true;
      options.later(flush);
    }
  });

  const listening: Listener[] = [];
  const closeAll = async () => {
    off();
    flush();
    await Promise.all(listening.map((listener) => listener.close()));
    for (const peer of listeners) peer.connection.end();
    for (const sender of senders) sender.destroy();
  };

  const accept = (connection: Connection, framing: IpcFraming) => {
    const peer = new ListenerPeer(connection, framing);
    listeners.add(peer);
    connection.start({
      // Listeners have nothing to say.
      onData: () => {},
      onClose: () => {
        listeners.delete(peer);
        dirty.delete(peer);
      },
    });
  };
  try {
    if (addresses.own !== undefined) {
      listening.push(
        await net.listen(addresses.own, (connection) => accept(connection, "stream"), { mode: listenMode }),
      );
    }
    // One after the other: what is open when the next one fails must be closed again.
    listening.push(
      await net.listen(addresses.pub, (connection) => accept(connection, options.framing?.() ?? "stream"), {
        mode: listenMode,
      }),
    );
    listening.push(
      await net.listen(addresses.pull, (connection) => {
        senders.add(connection);
        const reader = new IpcFrameReader({ maxBytes: maxEventBytes });
        connection.start({
          onData: (chunk) => {
            try {
              reader.push(chunk);
              for (let body = reader.next(); body !== undefined; body = reader.next()) {
                const event = BusEvent.fromBytes(body);
                if (event.tag === "") log.warning("event without a tag dropped");
                else bus.deliver(event);
              }
            } catch (error) {
              log.warning("event socket received bytes that are not events, connection closed", {
                error: messageOf(error),
              });
              connection.destroy();
            }
          },
          onClose: () => void senders.delete(connection),
        });
      }, { mode: 0o600 }),
    );
  } catch (error) {
    await closeAll();
    throw error;
  }

  let closing: Promise<void> | undefined;
  const close = () => closing ??= closeAll();
  return {
    get listeners() {
      return listeners.size;
    },
    get dropped() {
      return dropped;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A connection to a bus that another process holds, for listening. */
export interface BusListener extends Disposable {
  close(): void;
}

/**
 * Listens to a bus of another process: Brine's or real Salt's. `onEvent` gets every event; `onClose` is called once when the
 * bus is gone, not after {@link BusListener.close}.
 *
 * @throws {SystemError} if nobody serves the bus there
 */
export async function listenBus(
  net: Net,
  pub: SocketAddress,
  onEvent: (event: BusEvent) => void,
  onClose: (error?: Error) => void = () => {},
): Promise<BusListener> {
  const connection = await net.dial(pub);
  const reader = new IpcFrameReader({});
  let closed = false;
  connection.start({
    onData: (chunk) => {
      if (closed) return;
      try {
        reader.push(chunk);
        for (let body = reader.next(); body !== undefined && !closed; body = reader.next()) {
          onEvent(BusEvent.fromBytes(body));
        }
      } catch (error) {
        closed = true;
        connection.destroy();
        onClose(error as Error);
      }
    },
    onClose: (error) => {
      if (!closed) onClose(error);
      closed = true;
    },
  });
  const close = () => {
    closed = true;
    connection.destroy();
  };
  return { close, [Symbol.dispose]: close };
}

/** A connection to a bus that another process holds, for firing. */
export interface BusSender extends Disposable {
  /** @param event packed, with its stamp */
  send(event: Uint8Array): void;
  /** Sends what is buffered, then closes; resolves once the bus has it all, or is gone. */
  close(): Promise<void>;
}

/**
 * Connects for firing. Our own buses take either framing; the latest releases of real Salt take `length` alone.
 *
 * @throws {SystemError} if nobody serves the bus there
 */
export async function sendToBus(net: Net, pull: SocketAddress, framing: IpcFraming = "length"): Promise<BusSender> {
  const connection = await net.dial(pull);
  const closed = deferred<void>();
  connection.start({ onData: () => {}, onClose: () => closed.resolve() });
  const close = () => {
    connection.end();
    return closed.promise;
  };
  const send = (event: Uint8Array) => {
    const frame = packIpcFrame(event);
    connection.write(framing === "length" ? withLength(frame) : frame);
  };
  return { send, close, [Symbol.dispose]: () => void close() };
}
