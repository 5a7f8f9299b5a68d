import type { Logger } from "../log.ts";
import { messageOf } from "../errors.ts";
import type { Connection, Listener, Net } from "../runtime/net.ts";
import { IpcFrameReader, type IpcFraming } from "../wire/ipc_frame.ts";
import { BusEvent, type EventBus } from "./bus.ts";
import type { BusAddresses } from "./bus_addresses.ts";
import { EventListeners } from "./event_listeners.ts";

export interface ServeBusOptions {
  /** Mode of the sockets that events are read from; only the user of this process may ever send any. @default 0o600 */
  listenMode?: number;
  /** Bytes held for one listener that does not read; beyond it that listener loses events. @default 64 MiB */
  listenerBuffer?: number;
  /** Largest event that is accepted. @default 100 MiB */
  maxEventBytes?: number;
  /**
   * The framing that a listener at `pub` understands. Listeners send nothing that tells it, so that the host has to find
   * out. @default "stream"
   */
  framing?(): IpcFraming;
  /** Runs once per turn of the loop, so that a burst of events is one write. */
  later(callback: () => void): void;
}

/** The sockets of the bus of this process. */
export interface BusServer extends AsyncDisposable {
  readonly listeners: number;
  /** Events that slow listeners did not receive. */
  readonly dropped: number;
  /** Bytes that wait for the slowest listener, and how many may wait. */
  readonly backlog: { bytes: number; limit: number };
  close(): Promise<void>;
}

/**
 * Serves a bus to other processes, as a master or minion does in its `sock_dir`: what comes in at `pull` is delivered on
 * the bus, and every event of the bus goes out to every listener at `pub`. A listener that does not read loses events
 * of its own, and delays no other.
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
  const { listenMode = 0o600, listenerBuffer = 64 * 1024 * 1024, maxEventBytes = 100 * 1024 * 1024, later } = options;
  const listeners = new EventListeners({ log, listenerBuffer, later });
  const senders = new Set<Connection>();
  const listening: Listener[] = [];
  const off = bus.on((event) => listeners.send(event.bytes));
  const closeAll = async () => {
    off();
    listeners.flush();
    await Promise.all(listening.map((listener) => listener.close()));
    listeners.end();
    for (const sender of senders) sender.destroy();
  };

  const accept = (connection: Connection, framing: IpcFraming) => listeners.add(connection, framing);
  const receive = (connection: Connection) => {
    senders.add(connection);
    receiveEvents(connection, bus, log, maxEventBytes, () => senders.delete(connection));
  };
  try {
    // One after the other: what is open when the next one fails must be closed again.
    const { own, pub, pull } = addresses;
    const mode = { mode: listenMode };
    if (own !== undefined) listening.push(await net.listen(own, (connection) => accept(connection, "stream"), mode));
    listening.push(await net.listen(pub, (connection) => accept(connection, options.framing?.() ?? "stream"), mode));
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

/** Delivers the events that a connection sends; one that sends anything else is closed. */
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
    onClose,
  });
}
