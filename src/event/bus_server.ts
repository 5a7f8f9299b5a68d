import type { Logger } from "../log.ts";
import { messageOf } from "../errors.ts";
import type { Connection, Listener, Net } from "../runtime/net.ts";
import { IpcFrameReader, type IpcFraming } from "../wire/ipc_frame.ts";
import { BusEvent, type EventBus } from "./bus.ts";
import type { BusAddresses } from "./bus_addresses.ts";
import { ByteBlocks } from "./byte_blocks.ts";
import { EventHistory } from "./event_history.ts";
import { EventListeners, type SentEvent } from "./event_listeners.ts";
import { EVENTS_MISSED } from "./tag.ts";

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
  /** Distinguishes the ids of this bus's events from those of the one before it. @default none: there is no telling */
  boot?: string;
  /** Runs once per turn of the loop, so that a burst of events is one write. */
  later(callback: () => void): void;
  /** Calls back after so many milliseconds; the returned function cancels it. @default events are kept until others need their room */
  after?(ms: number, callback: () => void): () => void;
}

/** How long events are kept at least for listeners that come back, in milliseconds; and at most twice as long. */
const KEPT_MS = 20_000;

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
 * of its own, delays no other, and is told how many (`salt/event/missed`). Where there is an own socket, the latest events are kept
 * for half a minute for listeners that come back to it.
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
  const history = new EventHistory<SentEvent>({ boot: options.boot ?? "" });
  const missedEvent = (missed: number) => bus.stamped(EVENTS_MISSED, { missed });
  const listeners = new EventListeners({ log, listenerBuffer, history, missedEvent, later });
  const senders = new Set<Connection>();
  const listening: Listener[] = [];
  const keeps = addresses.own !== undefined;
  const blocks = new ByteBlocks();
  const forgetting = keeps && options.after !== undefined
    ? new Forgetting(history, options.after, () => blocks.clear())
    : undefined;
  const off = bus.on(({ bytes, cause }) => {
    const event = { seq: history.latest + 1, size: bytes.length, bytes, cause };
    if (keeps) history.add({ ...event, bytes: blocks.copy(bytes) });
    forgetting?.begin();
    listeners.send(event);
  });
  const closeAll = async () => {
    off();
    forgetting?.stop();
    listeners.flush();
    await Promise.all(listening.map((listener) => listener.close()));
    listeners.end();
    for (const sender of senders) sender.destroy();
  };

  const receive = (connection: Connection) => {
    senders.add(connection);
    receiveEvents(connection, bus, log, maxEventBytes, () => senders.delete(connection));
  };
  try {
    // One after the other: what is open when the next one fails must be closed again.
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

/** Has a history forget what is old, so that a burst of events takes no memory for good. Nothing is timed while there is nothing kept. */
class Forgetting {
  readonly #history: EventHistory<SentEvent>;
  readonly #after: (ms: number, callback: () => void) => () => void;
  #cancel: (() => void) | undefined;
  /** The latest event when it was looked last. */
  #looked = 0;

  readonly #emptied: () => void;

  /** @param emptied nothing is kept any more */
  constructor(
    history: EventHistory<SentEvent>,
    after: (ms: number, callback: () => void) => () => void,
    emptied: () => void,
  ) {
    this.#history = history;
    this.#after = after;
    this.#emptied = emptied;
  }

  begin(): void {
    this.#cancel ??= this.#after(KEPT_MS, () => this.#look());
  }

  #look(): void {
    this.#history.forget(this.#looked);
    this.#looked = this.#history.latest;
    this.#cancel = undefined;
    if (this.#history.size > 0) this.begin();
    else this.#emptied();
  }

  stop(): void {
    this.#cancel?.();
  }
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
        for (let frame = reader.nextFrame(); frame !== undefined; frame = reader.nextFrame()) {
          const { body, head: { cause } } = frame;
          const event = BusEvent.fromBytes(body, typeof cause === "string" ? cause : undefined);
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
