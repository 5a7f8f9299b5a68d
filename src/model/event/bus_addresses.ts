import type { SocketAddress } from "../../runtime/net.ts";

/** Name in `sock_dir` of the socket that only Brine programs connect to. */
export const OWN_BUS = "brine_event_pub.ipc";

/** Tag of what a listener at {@link OWN_BUS} may send: it wants numbered events, and those `after` an id. */
export const SUBSCRIBE = "brine/subscribe";

/** Where the sockets of a bus are. */
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
