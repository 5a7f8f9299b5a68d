import type { Clock } from "../../base/async/clock.ts";
import { originOf } from "./origin.ts";

/**
 * An incoming connection before its handshake.
 *
 * @internal
 */
export interface Newcomer {
  /** The name of the connection, such as `tcp://10.0.0.7:51312`. */
  readonly remote: string;
  /** True once the handshake is done, until the connection ends. */
  readonly open: boolean;
  /** Begins the handshake. */
  start(): void;
}

/** How long a connection counts without a handshake or an answer, in milliseconds: silent ones must not keep out others for longer. */
const COUNTED_MS = 1000;

/**
 * Lets in new connections only as fast as they are answered: a connection counts from its handshake to the answer to its first
 * request. Others wait before their handshake, where each costs the least. If a whole fleet connects at once, handshakes and requests
 * of all would take the time in which the first could be answered, and all would give up and connect again.
 *
 * Hosts take turns, and of one host the newest connection goes first: its peer has most of its timeout left.
 *
 * @internal
 */
export class Admission {
  readonly #clock: Clock;
  readonly #atOnce: number;
  readonly #later: (callback: () => void) => void;
  /** The connections that count, and since when, the first one first. */
  readonly #counted = new Map<Newcomer, number>();
  /** Connections that have not sent a request yet. */
  readonly #silent = new Set<Newcomer>();
  /** Origin → its waiting connections, the newest last; the origin whose turn is next stands first. */
  readonly #outside = new Map<string, Newcomer[]>();
  #waiting = 0;
  #stopTimer: (() => void) | undefined;

  /**
   * @param atOnce the most connections that count
   * @param later calls back in the next turn of the event loop
   */
  constructor(clock: Clock, atOnce: number, later: (callback: () => void) => void) {
    this.#clock = clock;
    this.#atOnce = atOnce;
    this.#later = later;
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
    const others = this.#outside.get(origin);
    if (others === undefined) this.#outside.set(origin, [newcomer]);
    else others.push(newcomer);
    this.#waiting++;
    this.#watch();
  }

  /** The handshake is done. A connection without a request counts no longer: it may be silent for days. */
  opened(newcomer: Newcomer): void {
    if (!this.#silent.has(newcomer)) return;
    this.#later(() => {
      if (this.#silent.has(newcomer)) this.#uncount(newcomer);
    });
  }

  /** A request has arrived: its connection counts until {@link Admission.answered}, if it is the first one. */
  asked(newcomer: Newcomer): void {
    if (this.#silent.delete(newcomer)) this.#counted.set(newcomer, this.#clock.elapsed());
  }

  /** A request was answered. */
  answered(newcomer: Newcomer): void {
    this.#uncount(newcomer);
  }

  /** A connection has ended. */
  ended(newcomer: Newcomer): void {
    this.#silent.delete(newcomer);
    if (this.#counted.has(newcomer)) return this.#uncount(newcomer);
    if (this.#waiting === 0) return;
    const origin = originOf(newcomer.remote);
    const others = this.#outside.get(origin);
    const at = others?.lastIndexOf(newcomer) ?? -1;
    if (at < 0) return;
    others!.splice(at, 1);
    if (others!.length === 0) this.#outside.delete(origin);
    this.#waiting--;
  }

  #start(newcomer: Newcomer): void {
    this.#counted.set(newcomer, this.#clock.elapsed());
    this.#silent.add(newcomer);
    newcomer.start();
  }

  #uncount(newcomer: Newcomer): void {
    if (this.#counted.delete(newcomer)) this.#fill();
  }

  #hasRoom(): boolean {
    const until = this.#clock.elapsed() - COUNTED_MS;
    for (const [newcomer, since] of this.#counted) {
      if (since > until) break;
      this.#counted.delete(newcomer);
    }
    return this.#counted.size < this.#atOnce;
  }

  /** Starts connections while there is room. */
  #fill(): void {
    while (this.#waiting > 0 && this.#hasRoom()) {
      const [origin, others] = this.#outside.entries().next().value!;
      this.#outside.delete(origin);
      const newcomer = others.pop()!;
      if (others.length > 0) this.#outside.set(origin, others);
      this.#waiting--;
      this.#start(newcomer);
    }
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
