import { AsyncQueue } from "../../base/async/queue.ts";
import type { Clock } from "../../base/async/clock.ts";
import type { Net, SocketAddress } from "../../runtime/net.ts";
import type { BusEvent } from "./bus.ts";
import { type BusListener, listenBus } from "./bus_client.ts";

interface WatchOptions {
  net: Net;
  clock: Clock;
  /** Possible addresses of the bus, read again at each attempt; the first that accepts a connection is used. */
  addresses(): readonly SocketAddress[];
  /** True for the events to keep; others are dropped before they are decoded. */
  wants(event: BusEvent): boolean;
  signal?: AbortSignal;
}

/** Milliseconds between two attempts to connect: a restarted master immediately announces the returns that have waited for it. */
const AGAIN_MS = 50;
/** Events held for a slow reader; beyond this number the oldest are dropped. */
const MAX_HELD = 1000;

/**
 * The events of another process's bus, until the reader leaves the loop. If the bus is missing or closes, it is tried again
 * until it is there.
 */
export async function* watchBus(options: WatchOptions): AsyncIterable<BusEvent> {
  const { clock, wants, signal } = options;
  while (!signal?.aborted) {
    const events = new AsyncQueue<BusEvent>({ limit: MAX_HELD, whenFull: "drop-oldest" });
    const bus = await connected(options, events, wants);
    if (bus === undefined) {
      await clock.sleep(AGAIN_MS, signal).catch(() => {});
      continue;
    }
    const stop = () => events.close();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      yield* events;
    } finally {
      signal?.removeEventListener("abort", stop);
      bus.close();
    }
  }
}

async function connected(
  { net, addresses }: WatchOptions,
  events: AsyncQueue<BusEvent>,
  wants: (event: BusEvent) => boolean,
): Promise<BusListener | undefined> {
  for (const address of addresses()) {
    try {
      return await listenBus(net, address, (event) => {
        if (wants(event)) events.offer(event);
      }, () => events.close());
    } catch {
      // No process serves this address: try the next one, or wait and try again.
    }
  }
  return undefined;
}
