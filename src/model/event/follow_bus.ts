import type { Clock } from "../../base/async/clock.ts";
import { deferred } from "../../base/async/deferred.ts";
import type { Net, SocketAddress } from "../../runtime/net.ts";
import type { BusEvent } from "./bus.ts";
import { subscribeBus } from "./bus_subscription.ts";

/** Position of a follower: `n` is the number of the last event that it has taken from the master process `boot`. */
export interface BusPosition {
  boot: string;
  n: number;
}

interface FollowBusOptions {
  net: Net;
  clock: Clock;
  own: SocketAddress;
  /** The follower's saved position; undefined if it has none. */
  last(): BusPosition | undefined;
  /**
   * True if events since the master's start are wanted. False if the master ran before there was a follower: earlier events are
   * not for it.
   */
  fromStart: boolean;
  /**
   * Called with a new position: at the beginning, if the master is another process than before, and for an event of another
   * master.
   */
  begin(boot: string, n: number): void;
  /**
   * Called with each event of the follower's own master. Events of other masters of the cluster are left to the followers
   * there.
   */
  take(event: BusEvent, at: BusPosition): void;
  /** Called with the number of events that the master has dropped because the follower was slow. */
  missed(count: number): void;
  /** Called if the master does not keep all events after this id any more. */
  lost(after: string): void;
}

/** Milliseconds between two attempts to reach the bus. */
const AGAIN_MS = 50;

/**
 * Follows a master's bus for ever, through restarts of the master and of this process. Each event comes once and in order, as
 * far as the master keeps events.
 */
export async function followBus(options: FollowBusOptions): Promise<never> {
  for (let isFirst = true;; isFirst = false) {
    try {
      await followOnce(options, isFirst);
    } catch {
      // The master is about to listen, or about to end; this process ends with the master.
    }
    await options.clock.sleep(AGAIN_MS);
  }
}

/** Follows until the master closes the connection. */
async function followOnce({ net, own, fromStart, ...options }: FollowBusOptions, isFirst: boolean): Promise<void> {
  const closed = deferred<void>();
  const last = options.last();
  // Events may arrive before `subscribeBus` resolves.
  const early: [BusEvent, number][] = [];
  let take = (event: BusEvent, n: number): void => void early.push([event, n]);
  const after = last !== undefined ? `${last.boot}-${last.n}` : "none-0";
  const { boot, latest, lost } = await subscribeBus(net, own, {
    after,
    onEvent: (event, n) => take(event, n),
    onMissed: options.missed,
    onClose: () => closed.resolve(),
  });
  const isSame = last?.boot === boot;
  if (isSame && lost) options.lost(after);
  const joinsLate = isFirst && !isSame && !fromStart;
  if (!isSame) options.begin(boot, joinsLate ? latest : 0);
  take = (event, n) => {
    if (joinsLate && n <= latest) return;
    if (event.origin === undefined) options.take(event, { boot, n });
    else options.begin(boot, n);
  };
  for (const [event, n] of early) take(event, n);
  await closed.promise;
}
