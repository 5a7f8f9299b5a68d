import type { Clock } from "../../base/async/clock.ts";
import { deferred } from "../../base/async/deferred.ts";
import type { Net, SocketAddress } from "../../runtime/net.ts";
import type { BusEvent } from "./bus.ts";
import { subscribeBus } from "./bus_subscription.ts";

/** Where a follower stands: `n` is the number of the last event that it has taken of the master process `boot`. */
export interface BusPosition {
  boot: string;
  n: number;
}

export interface FollowBusOptions {
  net: Net;
  clock: Clock;
  /** The master's socket `OWN_BUS`. */
  own: SocketAddress;
  /** Where the follower stands; undefined if it has never been there. */
  last(): BusPosition | undefined;
  /** False if the master has run for a while before there was a follower: what happened before is not for it. */
  fromStart: boolean;
  /** The follower stands there from now on: another master process, or the first one. */
  begin(boot: string, n: number): void;
  /** An event of the follower's own master: what happens on another one of the cluster is for the follower there. */
  take(event: BusEvent, at: BusPosition): void;
  /** The follower did not read for a while, and the master has dropped so many events for it. */
  missed(count: number): void;
  /** The master keeps those after that id no longer. */
  lost(after: string): void;
}

/** Time between two attempts to reach the bus. */
const AGAIN_MS = 50;

/** Follows a master's bus for ever, through its restarts and one's own: each event once and in order, as far as the master keeps them. */
export async function followBus(options: FollowBusOptions): Promise<never> {
  for (let isFirst = true;; isFirst = false) {
    try {
      await followOnce(options, isFirst);
    } catch {
      // The master is about to listen, or about to end: this process ends with it.
    }
    await options.clock.sleep(AGAIN_MS);
  }
}

/** Follows until the master closes the connection. */
async function followOnce({ net, own, fromStart, ...options }: FollowBusOptions, isFirst: boolean): Promise<void> {
  const closed = deferred<void>();
  const last = options.last();
  // Events may come before this function goes on.
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
