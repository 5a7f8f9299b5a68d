import { ProtocolError } from "../../base/errors.ts";
import { hostOf, originOf } from "./endpoint.ts";

/**
 * One end of an incoming connection.
 *
 * @internal
 */
interface Guest {
  /** The name of the connection, such as `tcp://10.0.0.7:51312`. */
  readonly remote: string;
  /** Closes the connection for a reason that is logged. */
  fail(error: Error): void;
}

interface ConnectionLimits {
  /** The most incoming connections. */
  maxConnections: number;
  /** True if a host (`10.0.0.7`) has authenticated. */
  knownHost: (host: string) => boolean;
}

/**
 * The incoming connections of one socket or several. Each takes a file descriptor of the process for as long as the client
 * likes; once descriptors run out, neither a minion nor the host's own programs can connect. When all places are taken, the
 * unknown host with the most connections loses its oldest; if all hosts are known, the new connection is refused.
 *
 * @example
 * ```ts
 * import { ConnectionLimit } from "brine/zmtp";
 *
 * const connectionLimit = new ConnectionLimit({ maxConnections: 1000, knownHost: (host) => host === "127.0.0.1" });
 * console.log(connectionLimit.size); // 0
 * ```
 */
export class ConnectionLimit {
  readonly #limits: ConnectionLimits;
  /** Origin → its connections, oldest first. */
  readonly #origins = new Map<string, Set<Guest>>();
  #size = 0;

  /**
   * Holds connections to the limits that are given.
   *
   * @param limits how many connections at once, and which hosts are known
   */
  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** The number of open connections. */
  get size(): number {
    return this.#size;
  }

  /** Counts a connection. If there is no room, this connection or an older one is closed. */
  add(guest: Guest): void {
    const origin = originOf(guest.remote);
    const others = this.#origins.get(origin);
    if (others === undefined) this.#origins.set(origin, new Set([guest]));
    else others.add(guest);
    this.#size++;
    const { maxConnections } = this.#limits;
    if (this.#size <= maxConnections) return;
    const dropped = this.#oldestUnknown() ?? guest;
    this.remove(dropped);
    dropped.fail(
      new ProtocolError(`Cannot accept the connection: the limit of ${maxConnections} connections is reached`),
    );
  }

  /** Removes a connection that has ended. */
  remove(guest: Guest): void {
    const origin = originOf(guest.remote);
    const others = this.#origins.get(origin);
    if (others === undefined || !others.delete(guest)) return;
    if (others.size === 0) this.#origins.delete(origin);
    this.#size--;
  }

  /** The oldest connection of the unknown host with the most connections. */
  #oldestUnknown(): Guest | undefined {
    let found: Guest | undefined;
    let most = 0;
    for (const guests of this.#origins.values()) {
      if (guests.size <= most) continue;
      for (const guest of guests) {
        if (this.#limits.knownHost(hostOf(guest.remote))) continue;
        found = guest;
        most = guests.size;
        break;
      }
    }
    return found;
  }
}
