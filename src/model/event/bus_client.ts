import { deferred } from "../../base/async/deferred.ts";
import type { Net, SocketAddress } from "../../runtime/net.ts";
import { IpcFrameReader, type IpcFraming, packIpcFrame, withLength } from "../../protocol/wire/ipc_frame.ts";
import { BusEvent } from "./bus.ts";

/** A connection to the bus of another process, to listen to its events. */
export interface BusListener extends Disposable {
  close(): void;
}

/**
 * Listens to a bus of another process: Brine's or real Salt's. `onEvent` gets every event; `onClose` is called once when the
 * bus has gone, not after {@link BusListener.close}.
 *
 * @throws {SystemError} if no process serves the bus there
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

/** A connection to the bus of another process, to fire events. */
export interface BusSender extends Disposable {
  /**
   * @param event packed, with its stamp
   * @param cause the jid of the job or runner that fires it, for Brine masters
   */
  send(event: Uint8Array, cause?: string): void;
  /** Sends what is buffered, then closes; resolves once the bus has taken all of it, or has gone. */
  close(): Promise<void>;
}

/**
 * Connects to fire events. Brine buses take either framing; the latest releases of real Salt take `length` alone.
 *
 * @throws {SystemError} if no process serves the bus there
 */
export async function sendToBus(net: Net, pull: SocketAddress, framing: IpcFraming = "length"): Promise<BusSender> {
  const connection = await net.dial(pull);
  const closed = deferred<void>();
  connection.start({ onData: () => {}, onClose: () => closed.resolve() });
  const close = () => {
    connection.end();
    return closed.promise;
  };
  const send = (event: Uint8Array, cause?: string) => {
    const frame = packIpcFrame(event, cause === undefined ? undefined : { cause });
    connection.write(framing === "length" ? withLength(frame) : frame);
  };
  return { send, close, [Symbol.dispose]: () => void close() };
}
