import { ProtocolError } from "../errors.ts";
import { hostOf } from "./endpoint.ts";
import { originOf } from "./origin.ts";

/** One end of a connection that somebody else has made. */
export interface Guest {
  /** `tcp://10.0.0.7:51312`. */
  readonly remote: string;
  /** Closes the connection for a reason worth telling. */
  fail(error: Error): void;
}

export interface CrowdLimits {
  /** Connections that others have made, at most. */
  maxConnections: number;
  /** Whether a host (`10.0.0.7`) has proven to be one of ours. */
  knownHost: (host: string) => boolean;
}

/**
 * The connections that others have made, to one socket or several. Each takes a descriptor of the process, for as long as whoever made it
 * likes, and without one neither a minion nor the host's own programs come in. When all places are taken, the stranger with
 * the most connections loses his oldest; where there are no strangers, whoever comes is turned away.
 */
export class Crowd {
  readonly #limits: CrowdLimits;
  /** Sender → its connections, oldest first. */
  readonly #origins = new Map<string, Set<Guest>>();
  #size = 0;

  /** @param limits connections at once, in all and of one address */
  constructor(limits: CrowdLimits) {
    this.#limits = limits;
  }

  /** Connections that are there. */
  get size(): number {
    return this.#size;
  }

  /** Counts a connection. One that finds no room is closed, or another one in its place. */
  add(guest: Guest): void {
    const origin = originOf(guest.remote);
    const others = this.#origins.get(origin);
    if (others === undefined) this.#origins.set(origin, new Set([guest]));
    else others.add(guest);
    this.#size++;
    const { maxConnections } = this.#limits;
    if (this.#size <= maxConnections) return;
    const leaves = this.#stranger() ?? guest;
    this.remove(leaves);
    leaves.fail(new ProtocolError(`All of the ${maxConnections} connections that there may be are taken`));
  }

  /** Takes a connection out that has ended. */
  remove(guest: Guest): void {
    const origin = originOf(guest.remote);
    const others = this.#origins.get(origin);
    if (others === undefined || !others.delete(guest)) return;
    if (others.size === 0) this.#origins.delete(origin);
    this.#size--;
  }

  /** The oldest connection of the stranger who has most. */
  #stranger(): Guest | undefined {
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
