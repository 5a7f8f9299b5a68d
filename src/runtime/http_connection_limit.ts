import type { HttpServeOptions } from "./http.ts";
import { networkOf } from "./net.ts";

export interface HttpGuest {
  /** The address without the port. */
  readonly address: string;
  /** Closes the connection at once. */
  close(): void;
}

export interface HttpLimits {
  /** The most connections at once. */
  most: number;
  /** The most connections of one address, for IPv6 of one /64 network. */
  mostOfOne: number;
  /** True for an address that many clients share, such as a proxy's: only {@link HttpLimits.most} holds there. @default none */
  isShared?(address: string): boolean;
  /** How long a connection may be without a request before it is closed, in milliseconds. */
  idleMs: number;
}

/** The limits that a server's options set. @param descriptors that one connection takes */
export function limitsOf({ connections, headTimeoutMs = 20_000 }: HttpServeOptions, descriptors: number): HttpLimits {
  const { most = Infinity, mostOfOne = Infinity, descriptors: all = Infinity, isShared } = connections ?? {};
  return {
    most: Math.max(1, Math.min(most, Math.floor(all / descriptors))),
    mostOfOne,
    idleMs: headTimeoutMs,
    ...(isShared === undefined ? {} : { isShared }),
  };
}

/** What closing a connection would cost, least first: it has no request; it has one; its caller is authenticated. */
type Rank = "idle" | "busy" | "known";

interface Place {
  network: string;
  rank: Rank;
  requests: number;
  known: boolean;
  /** When the connection was last active, in milliseconds of the even clock. */
  since: number;
}

type Ranks = Record<Rank, Set<HttpGuest>>;

declare function setInterval(callback: () => void, ms: number): unknown;
declare function clearInterval(timer: unknown): void;

/**
 * Each connection takes a descriptor for as long as its client likes, so that idle strangers could keep everybody out. When there
 * is no room, the longest idle connection of the address with the most idle ones is closed; then one with a request whose caller
 * is not authenticated. Connections of authenticated callers stay; if there are only those, the new connection is closed.
 */
export class HttpConnectionLimit {
  readonly #limits: HttpLimits;
  readonly #places = new Map<HttpGuest, Place>();
  /** Network → its connections by rank, oldest first. */
  readonly #networks = new Map<string, Ranks>();
  readonly #now: () => number;
  #onEmpty: () => void = () => {};
  readonly #timer: unknown;

  /** @param now milliseconds of an even clock */
  constructor(limits: HttpLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#timer = setInterval(() => this.sweep(), Math.max(100, Math.min(limits.idleMs / 4, 5000)));
    (this.#timer as { unref?(): void }).unref?.();
  }

  get size(): number {
    return this.#places.size;
  }

  /** Resolves when no connection is left. */
  empty(): Promise<void> {
    return this.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onEmpty = resolve);
  }

  /** Counts a new connection. If there is no room, the new connection or another one is closed. */
  enter(guest: HttpGuest): void {
    const { most, mostOfOne, isShared } = this.#limits;
    const network = networkOf(guest.address);
    const ranks = this.#networks.get(network) ?? { idle: new Set(), busy: new Set(), known: new Set() };
    this.#networks.set(network, ranks);
    this.#places.set(guest, { network, rank: "idle", requests: 0, known: false, since: this.#now() });
    ranks.idle.add(guest);
    const own = ranks.idle.size + ranks.busy.size + ranks.known.size;
    if (own > mostOfOne && isShared?.(guest.address) !== true) this.#drop(first(ranks.idle)!);
    else if (this.#places.size > most) this.#drop(this.#leastLoss(guest));
  }

  /** Removes a connection that has ended. */
  leave(guest: HttpGuest): void {
    const place = this.#places.get(guest);
    if (place === undefined) return;
    this.#places.delete(guest);
    if (this.#places.size === 0) this.#onEmpty();
    const ranks = this.#networks.get(place.network)!;
    ranks[place.rank].delete(guest);
    if (ranks.idle.size + ranks.busy.size + ranks.known.size === 0) this.#networks.delete(place.network);
  }

  begin(guest: HttpGuest): void {
    this.#change(guest, (place) => place.requests++);
  }

  end(guest: HttpGuest): void {
    this.#change(guest, (place) => {
      place.requests--;
      if (place.requests === 0) place.known = false;
    });
  }

  /** Notes that the caller of the request in progress is authenticated. */
  known(guest: HttpGuest): void {
    this.#change(guest, (place) => place.known = true);
  }

  /** Notes that bytes of a response were sent. */
  active(guest: HttpGuest): void {
    const place = this.#places.get(guest);
    if (place === undefined) return;
    place.since = this.#now();
    if (place.rank !== "idle") return;
    // The oldest one stands first.
    const { idle } = this.#networks.get(place.network)!;
    idle.delete(guest);
    idle.add(guest);
  }

  /** Closes connections that have been idle for too long; called now and then. */
  sweep(): void {
    const until = this.#now() - this.#limits.idleMs;
    for (const { idle } of [...this.#networks.values()]) {
      for (const guest of [...idle]) {
        if (this.#places.get(guest)!.since > until) break;
        this.#drop(guest);
      }
    }
  }

  /** Ends the timer, and closes the connections that are left. */
  close(): void {
    clearInterval(this.#timer);
    for (const guest of [...this.#places.keys()]) this.#drop(guest);
  }

  /** Closes the connections without a request. */
  closeIdle(): void {
    for (const [guest, { rank }] of [...this.#places]) if (rank === "idle") this.#drop(guest);
  }

  #change(guest: HttpGuest, change: (place: Place) => void): void {
    const place = this.#places.get(guest);
    if (place === undefined) return;
    change(place);
    place.since = this.#now();
    const ranks = this.#networks.get(place.network)!;
    ranks[place.rank].delete(guest);
    place.rank = place.requests === 0 ? "idle" : place.known ? "known" : "busy";
    ranks[place.rank].add(guest);
  }

  /** The connection whose end costs least: the newcomer itself if all others are worth more. */
  #leastLoss(newcomer: HttpGuest): HttpGuest {
    const idle = this.#fullest("idle");
    if (idle !== undefined && first(idle) !== newcomer) return first(idle)!;
    // A request in progress ends for a newcomer only if its address has several.
    const busy = this.#fullest("busy");
    return busy !== undefined && busy.size > 1 ? first(busy)! : newcomer;
  }

  /** The connections of that rank of the network that has the most of them. */
  #fullest(rank: Rank): Set<HttpGuest> | undefined {
    let found: Set<HttpGuest> | undefined;
    for (const ranks of this.#networks.values()) {
      if (ranks[rank].size > (found?.size ?? 0)) found = ranks[rank];
    }
    return found;
  }

  #drop(guest: HttpGuest): void {
    this.leave(guest);
    guest.close();
  }
}

function first<T>(set: ReadonlySet<T>): T | undefined {
  for (const one of set) return one;
  return undefined;
}
