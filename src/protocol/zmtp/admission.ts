import type { Clock } from "../../base/async/clock.ts";
import { hostOf, originOf } from "./endpoint.ts";

/**
 * An incoming connection before its handshake.
 *
 * @internal
 */
interface Newcomer {
  /** The name of the connection, such as `tcp://10.0.0.7:51312`. */
  readonly remote: string;
  /** True once the handshake is done, until the connection ends. */
  readonly open: boolean;
  /** Begins the handshake. */
  start(): void;
}

/** How long a connection counts without a handshake, in milliseconds: silent ones must not keep out others for longer. */
const COUNTED_MS = 1000;
/** The time over which answers are counted, in milliseconds. */
const WINDOW_MS = 500;
/** The least number of connections that may count: a master that answers fewer in a second has enough to do with these. */
const LEAST = 100;

/** The most connections of known hosts in a row while one of another host waits. */
const KNOWN_RUN = 3;

/** Origin → its waiting connections, the newest last; the origin whose turn is next stands first. */
type Line = Map<string, Newcomer[]>;

/**
 * Lets in new connections only as fast as they are answered: a connection counts from its handshake to the answer to its first
 * request. As many may count as were answered in the last second, so that none waits much longer than that. Others wait before their handshake, where each costs the least. If a whole fleet connects at once, handshakes and requests
 * of all would take the time in which the first could be answered, and all would give up and connect again.
 *
 * Hosts take turns, and of one host the newest connection goes first: its peer has most of its timeout left. Hosts that have
 * authenticated have three of four places, so that silent connections of others do not keep them out.
 *
 * @internal
 */
export class Admission {
  readonly #clock: Clock;
  readonly #atOnce: number;
  readonly #later: (callback: () => void) => void;
  readonly #knownHost: (host: string) => boolean;
  /** The connections that count without a request, and since when, the first one first. */
  readonly #greeted = new Map<Newcomer, number>();
  /** The connections that count with their first request. */
  readonly #asking = new Set<Newcomer>();
  /** Connections that have not sent a request yet. */
  readonly #silent = new Set<Newcomer>();
  readonly #outside: { known: Line; unknown: Line } = { known: new Map(), unknown: new Map() };
  #waiting = 0;
  /** The number of connections of known hosts since the last one of another host. */
  #knownRun = 0;
  #stopTimer: (() => void) | undefined;
  #limit = LEAST;
  #windowBegan = 0;
  #windowDone = 0;

  /**
   * @param atOnce the most connections that count
   * @param later calls back in the next turn of the event loop
   * @param knownHost true if a host (`10.0.0.7`) has authenticated
   */
  constructor(
    clock: Clock,
    atOnce: number,
    later: (callback: () => void) => void,
    knownHost: (host: string) => boolean,
  ) {
    this.#clock = clock;
    this.#atOnce = atOnce;
    this.#limit = Math.min(LEAST, atOnce);
    this.#later = later;
    this.#knownHost = knownHost;
  }

  /** The number of connections that wait for their handshake to begin. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Starts a connection, now or later. */
  add(newcomer: Newcomer): void {
    if (this.#atOnce === Infinity) return newcomer.start();
    if (this.#waiting === 0 && this.#hasRoom()) return this.#start(newcomer);
    const origin = originOf(newcomer.remote);
    const line = this.#knownHost(hostOf(newcomer.remote)) ? this.#outside.known : this.#outside.unknown;
    const others = line.get(origin);
    if (others === undefined) line.set(origin, [newcomer]);
    else others.push(newcomer);
    this.#waiting++;
    this.#watch();
  }

  /** The handshake is done. A connection without a request counts no longer: it may be silent for days. */
  opened(newcomer: Newcomer): void {
    if (!this.#silent.has(newcomer)) return;
    this.#later(() => {
      if (this.#silent.has(newcomer) && this.#greeted.delete(newcomer)) this.#fill();
    });
  }

  /** A request has arrived: its connection counts until {@link Admission.answered}, if it is the first one. */
  asked(newcomer: Newcomer): void {
    if (!this.#silent.delete(newcomer)) return;
    this.#greeted.delete(newcomer);
    this.#asking.add(newcomer);
  }

  /** A request was answered, gets no answer, or waits for something else than this process. */
  answered(newcomer: Newcomer): void {
    if (!this.#asking.delete(newcomer)) return;
    this.#measure();
    this.#fill();
  }

  ended(newcomer: Newcomer): void {
    this.#silent.delete(newcomer);
    if (this.#greeted.delete(newcomer) || this.#asking.delete(newcomer)) return this.#fill();
    if (this.#waiting === 0) return;
    const origin = originOf(newcomer.remote);
    for (const line of Object.values(this.#outside)) {
      const others = line.get(origin);
      const at = others?.lastIndexOf(newcomer) ?? -1;
      if (at < 0) continue;
      others!.splice(at, 1);
      if (others!.length === 0) line.delete(origin);
      this.#waiting--;
    }
  }

  #start(newcomer: Newcomer): void {
    this.#greeted.set(newcomer, this.#clock.elapsed());
    this.#silent.add(newcomer);
    newcomer.start();
  }

  /** Counts an answer; from time to time, sets the limit to what is answered in a second. */
  #measure(): void {
    const now = this.#clock.elapsed();
    this.#windowDone++;
    const passed = now - this.#windowBegan;
    if (passed < WINDOW_MS) return;
    // A window with an idle time in it does not show the rate.
    if (passed < 2 * WINDOW_MS && this.#waiting > 0) {
      this.#limit = Math.min(this.#atOnce, Math.max(LEAST, Math.round(this.#windowDone / passed * 1000)));
    }
    this.#windowBegan = now;
    this.#windowDone = 0;
  }

  #hasRoom(): boolean {
    const until = this.#clock.elapsed() - COUNTED_MS;
    for (const [newcomer, since] of this.#greeted) {
      if (since > until) break;
      this.#greeted.delete(newcomer);
    }
    return this.#greeted.size + this.#asking.size < this.#limit;
  }

  /** Starts connections while there is room. */
  #fill(): void {
    while (this.#waiting > 0 && this.#hasRoom()) {
      const line = this.#nextLine();
      const [origin, others] = line.entries().next().value!;
      line.delete(origin);
      const newcomer = others.pop()!;
      if (others.length > 0) line.set(origin, others);
      this.#waiting--;
      this.#start(newcomer);
    }
  }

  #nextLine(): Line {
    const { known, unknown } = this.#outside;
    if (known.size > 0 && (this.#knownRun < KNOWN_RUN || unknown.size === 0)) {
      this.#knownRun++;
      return known;
    }
    this.#knownRun = 0;
    return unknown;
  }

  /** Looks once in a while for connections that count no longer, while others wait. */
  #watch(): void {
    this.#stopTimer ??= this.#clock.after(COUNTED_MS / 4, () => {
      this.#stopTimer = undefined;
      this.#fill();
      if (this.#waiting > 0) this.#watch();
    });
  }
}
