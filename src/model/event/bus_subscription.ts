import { deferred } from "../../base/async/deferred.ts";
import type { Net, SocketAddress } from "../../runtime/net.ts";
import { packEvent } from "../../protocol/wire/event_frame.ts";
import { type IpcFrame, IpcFrameReader, packIpcFrame } from "../../protocol/wire/ipc_frame.ts";
import { BusEvent, SUBSCRIBE } from "./bus.ts";
import type { BusListener } from "./bus_client.ts";

interface Subscribed {
  /**
   * Identifies the process of the master: an event's id is `<boot>-<number>`, and only ids with the same `boot` can be
   * compared.
   */
  boot: string;
  latest: number;
  /** True if some events after the requested id are not kept any more. */
  lost: boolean;
}

interface BusSubscriptionOptions {
  /** Id of the last event that the subscriber has; kept events after it are sent first. @default none: events from now on */
  after?: string;
  /** @param n the event's number: 1 more than that of the previous event, unless events were missed */
  onEvent(event: BusEvent, n: number): void;
  /** Called with the number of events that the bus has dropped because the subscriber was slow. */
  onMissed(count: number): void;
  /** Called once if the bus closes the connection, but not after `close()`. */
  onClose(error?: Error): void;
}

/**
 * Listens to the numbered events of a Brine master, so that a subscriber can reconnect and continue where it stopped.
 *
 * @param own address of the master's socket {@link OWN_BUS}
 * @throws {SystemError} if no master serves this socket
 */
export async function subscribeBus(
  net: Net,
  own: SocketAddress,
  { after, onEvent, onMissed, onClose }: BusSubscriptionOptions,
): Promise<BusListener & Subscribed> {
  const connection = await net.dial(own);
  const reader = new IpcFrameReader({});
  const greeted = deferred<Subscribed>();
  let isGreeted = false;
  let closed = false;
  const take = ({ head, body }: IpcFrame) => {
    if (!isGreeted) {
      // Skip events without a number: the bus sent them before it read the request.
      if (typeof head.boot !== "string") return;
      isGreeted = true;
      greeted.resolve({ boot: head.boot, latest: Number(head.latest), lost: head.lost === true });
    } else if (typeof head.missed === "number") onMissed(head.missed);
    else onEvent(BusEvent.fromBytes(body, textOr(head.cause), textOr(head.origin)), Number(head.n));
  };
  const over = (error?: Error) => {
    if (closed) return;
    closed = true;
    connection.destroy();
    if (isGreeted) onClose(error);
    else greeted.reject(error ?? new Error("The master's event bus has closed the connection"));
  };
  connection.start({
    onData: (chunk) => {
      if (closed) return;
      try {
        reader.push(chunk);
        for (let frame = reader.nextFrame(); frame !== undefined && !closed; frame = reader.nextFrame()) take(frame);
      } catch (error) {
        over(error as Error);
      }
    },
    onClose: over,
  });
  connection.write(packIpcFrame(packEvent(SUBSCRIBE, after === undefined ? {} : { after })));
  const subscribed = await greeted.promise;
  const close = () => {
    closed = true;
    connection.destroy();
  };
  return { ...subscribed, close, [Symbol.dispose]: close };
}

const textOr = (value: unknown): string | undefined => typeof value === "string" ? value : undefined;
