import { deferred } from "../../base/async/deferred.ts";
import type { Net, SocketAddress } from "../../runtime/net.ts";
import { packEvent } from "../../protocol/wire/event_frame.ts";
import { type IpcFrame, IpcFrameReader, packIpcFrame } from "../../protocol/wire/ipc_frame.ts";
import { BusEvent } from "./bus.ts";
import { SUBSCRIBE } from "./bus_addresses.ts";
import type { BusListener } from "./bus_client.ts";

/** What a subscriber is told when it comes. */
export interface Subscribed {
  /** Ids of events are `<boot>-<number>`: those of one master process are comparable. */
  boot: string;
  /** The number of the latest event. */
  latest: number;
  /** Some events after the one that was named are kept no longer. */
  lost: boolean;
}

export interface BusSubscriptionOptions {
  /** The id of the last event that the subscriber has; those after it come first, as far as they are kept. @default none: events from now on */
  after?: string;
  /** @param n number of the event, 1 more than that of the one before it unless some were missed */
  onEvent(event: BusEvent, n: number): void;
  /** The subscriber did not read for a while, and the bus has dropped so many events for it. */
  onMissed(count: number): void;
  /** Called once when the bus has gone, not after `close()`. */
  onClose(error?: Error): void;
}

/**
 * Listens to the events of a Brine master by their numbers, so that a subscriber that was away can go on where it was.
 *
 * @param own the master's socket {@link OWN_BUS}
 * @throws {SystemError} if no master serves it
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
      // Before that come events without a number, of the time before the request was read.
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
