import type { SocketAddress } from "../../runtime/net.ts";

/** Name of the socket in `sock_dir` that only Brine programs connect to. */
export const OWN_BUS = "brine_event_pub.ipc";

/** Tag of a listener's request at {@link OWN_BUS}: for numbered events, beginning with those `after` an id. */
export const SUBSCRIBE = "brine/subscribe";

/** Addresses of the sockets of a bus. */
export interface BusAddresses {
  /** Listeners connect here. */
  pub: SocketAddress;
  /** Programs that fire events connect here. */
  pull: SocketAddress;
  /**
   * Brine listeners connect here: a socket that real Salt does not have, on which the framing is never in doubt.
   */
  own?: SocketAddress;
}
