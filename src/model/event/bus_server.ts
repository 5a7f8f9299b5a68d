import type { Logger } from "../../base/log.ts";
import { messageOf } from "../../base/errors.ts";
import type { Connection, Listener, Net } from "../../runtime/net.ts";
import { IpcFrameReader, type IpcFraming } from "../../protocol/wire/ipc_frame.ts";
import { type BusAddresses, BusEvent, type EventBus } from "./bus.ts";
import { EventListeners, Frames } from "./event_listeners.ts";
import { type KeepOptions, KeptEvents } from "./kept_events.ts";
import { EVENTS_MISSED } from "./tag.ts";

export interface ServeBusOptions {
  /** Mode of the sockets that listeners read; only the user of this process may ever send events. @default 0o600 */
  listenMode?: number;
  /** Bytes held for one slow listener; beyond this size that listener loses events. @default 64 MiB */
  listenerBuffer?: number;
  /** Largest event to accept, in bytes. @default 100 MiB */
  maxEventBytes?: number;
  /**
   * The framing that a listener at `pub` understands. Listeners send nothing that shows it, so the host has to detect it.
   * @default "stream"
   */
  framing?(): IpcFraming;
  /** Distinguishes the event ids of this bus from those of the process before it. @default none: ids are not distinguished */
  boot?: string;
  /** Calls back once per turn of the event loop, so that a burst of events is one write. */
  later(callback: () => void): void;
  /** Storage for the latest events, for listeners that reconnect to the own socket. @default no events are kept */
  keep?: KeepOptions;
}

/** The sockets that serve the bus of this process. */
export interface BusServer extends AsyncDisposable {
  readonly listeners: number;
  /** Number of events that slow listeners have lost. */
  readonly dropped: number;
  /** Bytes that wait for the slowest listener, and the maximum. */
  readonly backlog: { bytes: number; limit: number };
  close(): Promise<void>;
}

/**
 * Serves a bus to other processes, as a master or minion does in its `sock_dir`. Events that arrive at `pull` are delivered on
 * the bus, and every event of the bus is sent to every listener at `pub`. A slow listener loses its own events, does not delay
 * others, and receives the number of lost events (`salt/event/missed`). For listeners that reconnect to the own socket, the
 * latest events are kept on disk.
 *
 * @throws {SystemError} if a socket cannot be created
 */
export async function serveBus(
  bus: EventBus,
  net: Net,
  addresses: BusAddresses,
  log: Logger,
  options: ServeBusOptions,
): Promise<BusServer> {
  const { listenMode = 0o600, listenerBuffer = 64 * 1024 * 1024, maxEventBytes = 100 * 1024 * 1024, later } = options;
  const kept = new KeptEvents(
    options.boot ?? "",
    log.child("kept"),
    addresses.own === undefined ? undefined : options.keep,
  );
  const missedEvent = (missed: number) => bus.stamped(EVENTS_MISSED, { missed });
  const listeners = new EventListeners({ log, listenerBuffer, kept, missedEvent, later });
  const senders = new Set<Connection>();
  const listening: Listener[] = [];
  const off = bus.on(({ bytes, cause, origin }) => listeners.send(new Frames(bytes, kept.number(), cause, origin)));
  const closeAll = async () => {
    off();
    listeners.flush();
    await Promise.all(listening.map((listener) => listener.close()));
    listeners.end();
    for (const sender of senders) sender.destroy();
    kept.close();
  };

  const receive = (connection: Connection) => {
    senders.add(connection);
    receiveEvents(connection, bus, log, maxEventBytes, () => senders.delete(connection));
  };
  try {
    // Listen on one socket after the other: if one fails, those before it must be closed.
    const { own, pub, pull } = addresses;
    const mode = { mode: listenMode };
    const accept = (connection: Connection) => listeners.add(connection, options.framing?.() ?? "stream");
    if (own !== undefined) {
      listening.push(await net.listen(own, (connection) => listeners.add(connection, "stream", true), mode));
    }
    listening.push(await net.listen(pub, accept, mode));
    listening.push(await net.listen(pull, receive, { mode: 0o600 }));
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
      return listeners.dropped;
    },
    get backlog() {
      return { bytes: listeners.backlog, limit: listenerBuffer };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Delivers the events that a connection sends. A connection that sends anything else is closed. */
function receiveEvents(
  connection: Connection,
  bus: EventBus,
  log: Logger,
  maxBytes: number,
  onClose: () => void,
): void {
  const reader = new IpcFrameReader({ maxBytes });
  connection.start({
    onData: (chunk) => {
      try {
        reader.push(chunk);
        for (let frame = reader.nextFrame(); frame !== undefined; frame = reader.nextFrame()) {
          const { body, head: { cause } } = frame;
          const event = BusEvent.fromBytes(body, typeof cause === "string" ? cause : undefined);
          if (event.tag === "") log.warning("event without a tag dropped");
          else bus.deliver(event);
        }
      } catch (error) {
        log.warning("event socket received bytes that are not events: connection closed", {
          error: messageOf(error),
        });
        connection.destroy();
      }
    },
    onClose,
  });
}
