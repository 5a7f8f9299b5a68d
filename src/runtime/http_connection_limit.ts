/** The connections of an HTTP server, held to limits. */
import type { HttpServeOptions } from "./http.ts";
import { networkOf } from "./network.ts";

/** One connection of a client. */
export interface HttpGuest {
  /** The address without the port. */
  readonly address: string;
  /** Closes the connection at once. */
  close(): void;
}

export interface HttpLimits {
  /** Connections at once. */
  most: number;
  /** Of these, those of one address; for IPv6 of one /64 network. */
  mostOfOne: number;
  /** True for an address that many clients share, such as a proxy's: only {@link HttpLimits.most} holds there. @default none */
  isShared?(address: string): boolean;
  /** A connection without a request is closed after so long, in milliseconds. */
  idleMs: number;
}

/**
 * The limits that a server's options set.
 *
 * @param descriptors that one connection takes
 */
export function limitsOf({ connections, headTimeoutMs = 20_000 }: HttpServeOptions, descriptors: number): HttpLimits {
  const { most = Infinity, mostOfOne = Infinity, descriptors: all = Infinity, isShared } = connections ?? {};
  return {
    most: Math.max(1, Math.min(most, Math.floor(all / descriptors))),
    mostOfOne,
    idleMs: headTimeoutMs,
    ...(isShared === undefined ? {} : { isShared }),
  };
}

/** How much is lost with a connection: it has no request; it has one; its caller has proven who it is. */
type Rank = "idle" | "busy" | "known";

interface Place {
  network: string;
  rank: Rank;
  requests: number;
  known: boolean;
  /** When it last did something, in milliseconds. */
  since: number;
}

type Ranks = Record<Rank, Set<HttpGuest>>;

declare function setInterval(callback: () => void, ms: number): unknown;
declare function clearInterval(timer: unknown): void;

/**
 * Each connection takes a descriptor for as long as its client likes, so that idle strangers could keep everybody out. When there
 * is no room, the one that has been idle for longest goes, of the address with the most of them; then one with a request whose caller
 * is not known. Connections of known callers stay, and a newcomer that finds only those is closed.
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

  /** Connections that are open. */
  get size(): number {
    return this.#places.size;
  }

  /** Resolves when no connection is left. */
  empty(): Promise<void> {
    return this.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onEmpty = resolve);
  }

  /** Counts a connection. If there is no room, it or another one is closed. */
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

  /** A connection has ended. */
  leave(guest: HttpGuest): void {
    const place = this.#places.get(guest);
    if (place === undefined) return;
    this.#places.delete(guest);
    if (this.#places.size === 0) this.#onEmpty();
    const ranks = this.#networks.get(place.network)!;
    ranks[place.rank].delete(guest);
    if (ranks.idle.size + ranks.busy.size + ranks.known.size === 0) this.#networks.delete(place.network);
  }

  /** A request of that connection begins. */
  begin(guest: HttpGuest): void {
    this.#change(guest, (place) => place.requests++);
  }

  /** A request of that connection is over. */
  end(guest: HttpGuest): void {
    this.#change(guest, (place) => {
      place.requests--;
      if (place.requests === 0) place.known = false;
    });
  }

  /** The caller of the request in progress has proven who it is. */
  known(guest: HttpGuest): void {
    this.#change(guest, (place) => place.known = true);
  }

  /** Bytes of an answer have gone out. */
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

  /** The connection whose end loses least: the newcomer itself if all others are worth more. */
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
