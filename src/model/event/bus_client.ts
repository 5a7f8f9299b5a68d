import { deferred } from "../../base/async/deferred.ts";
import type { Net, SocketAddress } from "../../runtime/net.ts";
import { IpcFrameReader, type IpcFraming, packIpcFrame, withLength } from "../../protocol/wire/ipc_frame.ts";
import { BusEvent, OWN_BUS } from "./bus.ts";
import { joinPath } from "../../base/paths.ts";
import type { Logger } from "../../base/log.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { pullFraming } from "./salt_framing.ts";

/** A connection that receives the events of another process's bus. */
export interface BusListener extends Disposable {
  close(): void;
}

/**
 * Listens to the bus of another process, Brine's or real Salt's. `onEvent` receives every event. `onClose` is called once if
 * the bus closes the connection, but not after {@link BusListener.close}.
 *
 * @throws {SystemError} if no process serves the bus at this address
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

/** A connection that fires events on the bus of another process. */
export interface BusSender extends Disposable {
  /**
   * @param event the packed event, with its stamp
   * @param cause jid of the job or runner that fires the event, for Brine masters
   */
  send(event: Uint8Array, cause?: string): void;
  /** Sends what is buffered, then closes; resolves once the bus has received everything, or has closed the connection. */
  close(): Promise<void>;
}

/**
 * Connects to a bus to fire events. Brine's buses accept both framings; the latest releases of real Salt accept only `length`.
 *
 * @throws {SystemError} if no process serves the bus at this address
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

/** The options of a master that {@link sendToMasterBus} needs. */
interface MasterBusOpts {
  sock_dir: string;
  config_dir?: unknown;
}

/**
 * Connects to the bus of the master on this host to fire events, for a Brine master or a real one.
 *
 * @throws {SystemError} if no master is running
 */
export function sendToMasterBus(
  { net, fs }: { net: Net; fs: FileSystem },
  log: Logger,
  { sock_dir, config_dir }: MasterBusOpts,
): Promise<BusSender> {
  const isBrine = fs.stat(joinPath(sock_dir, OWN_BUS)) !== undefined;
  const framing = isBrine ? "length" : pullFraming(fs, log, String(config_dir ?? "/etc/salt"));
  return sendToBus(net, { kind: "unix", path: joinPath(sock_dir, "master_event_pull.ipc") }, framing);
}
