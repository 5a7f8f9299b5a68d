import type { Clock } from "../../base/async/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Net } from "../../runtime/net.ts";
import type { Wire } from "./conversation.ts";

/** The clock, network, log and randomness that a socket uses. */
export interface ZmtpContext {
  /** The byte streams to connect with. */
  net: Net;
  /** The clock for retries and heartbeats. */
  clock: Clock;
  /** A number in [0, 1). */
  random(): number;
  /** The log of the sockets. */
  log: Logger;
  /** Calls back in the next turn of the event loop, after arrived data was read: `setImmediate`. */
  later(callback: () => void): void;
  /** How messages travel over the byte streams. @default ZMTP 3.1 */
  wire?: Wire | undefined;
}
