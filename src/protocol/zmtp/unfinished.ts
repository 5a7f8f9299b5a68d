import { ProtocolError, TimeoutError } from "../../base/errors.ts";
import type { Clock } from "../../base/async/clock.ts";
import { hostOf } from "./endpoint.ts";
import { originOf } from "./origin.ts";

/** A peer that is sending a message. */
export interface Sender {
  /** The name of the connection, such as `tcp://10.0.0.7:51312`. */
  readonly remote: string;
  /** True while the sender's connection is not read: then the sender does not count as slow. */
  readonly paused: boolean;
  /** Closes the connection for a reason that is logged. */
  fail(error: Error): void;
}

/** Bounds on the memory and time of incomplete messages. Sizes in bytes, durations in milliseconds. */
export interface UnfinishedLimits {
  /** The most bytes of all senders on unknown hosts together. */
  unfinishedBytes: number;
  /** The most bytes of all senders on known hosts together. */
  unfinishedBytesKnown: number;
  /** The most bytes of all senders on one known host: otherwise a stranger there could take the share of all known hosts. */
  unfinishedBytesOf: (host: string) => number;
  /** True if a minion has authenticated from a host (`10.0.0.7`). */
  knownHost: (host: string) => boolean;
  /** The time within which a sender must send {@link PROGRESS} bytes of an incomplete message, or the rest of it. */
  stallTimeoutMs: number;
  /** The time from the first byte of a message to its last. */
  messageTimeoutMs: number;
}

/** Bytes that count as progress. */
export const PROGRESS = 65_536;

interface Held {
  origin: string;
  known: boolean;
  bytes: number;
  /** The number of messages that the sender had completed before this one. */
  message: number;
  /** The time at which the message began; the next fields hold the last progress. */
  since: number;
  markedAt: number;
  mark: number;
}

/** A host may have become known while it was sending: it counts in both pools then. */
const poolKey = (known: boolean, origin: string) => `${known ? "known" : "unknown"} ${origin}`;

/**
 * The incomplete messages of a socket. A frame announces its length and is then waited for, so any client that connects
 * could make us hold memory for as long as it likes. So all of them together are bounded here in size, and each of them in
 * time. When there is no room, the host that holds most loses its largest; hosts that have authenticated as ours have room
 * of their own, which unknown hosts cannot use up, and each of them its share.
 */
export class Unfinished {
  readonly #clock: Clock;
  readonly #limits: UnfinishedLimits;
  readonly #held = new Map<Sender, Held>();
  readonly #totals = { known: 0, unknown: 0 };
  /** Bytes by pool and origin: see {@link poolKey}. */
  readonly #origins = new Map<string, number>();
  #stopTimer: (() => void) | undefined;

  constructor(clock: Clock, limits: UnfinishedLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** The bytes held for incomplete messages. */
  get bytes(): number {
    return this.#totals.known + this.#totals.unknown;
  }

  /**
   * Records how many bytes a sender's message holds now; 0 once the message is complete, or the sender has disconnected.
   *
   * @param message the number of messages that the sender had completed before
   */
  note(sender: Sender, bytes: number, message = 0): void {
    let held = this.#held.get(sender);
    if (bytes === 0) {
      if (held !== undefined) this.#forget(sender, held);
      return;
    }
    if (held === undefined) {
      const known = this.#limits.knownHost(hostOf(sender.remote));
      held = { origin: originOf(sender.remote), known, bytes: 0, message: -1, since: 0, markedAt: 0, mark: 0 };
      this.#held.set(sender, held);
      this.#watch();
    }
    const another = message !== held.message;
    if (another || bytes - held.mark >= PROGRESS) {
      held.markedAt = this.#clock.now();
      held.mark = bytes;
      if (another) held.since = held.markedAt;
      held.message = message;
    }
    this.#count(held, bytes);
    if (held.known) this.#makeRoomOn(hostOf(sender.remote), held.origin);
    this.#makeRoom(held.known);
  }

  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #forget(sender: Sender, held: Held): void {
    this.#held.delete(sender);
    this.#count(held, 0);
    if (this.#held.size === 0) this.stop();
  }

  /** A sender holds so many bytes now. */
  #count(held: Held, bytes: number): void {
    const more = bytes - held.bytes;
    const key = poolKey(held.known, held.origin);
    const all = (this.#origins.get(key) ?? 0) + more;
    if (all === 0) this.#origins.delete(key);
    else this.#origins.set(key, all);
    this.#totals[held.known ? "known" : "unknown"] += more;
    held.bytes = bytes;
  }

  #makeRoomOn(host: string, origin: string): void {
    const limit = this.#limits.unfinishedBytesOf(host);
    while ((this.#origins.get(poolKey(true, origin)) ?? 0) > limit) {
      this.#drop(this.#largestOn(true, origin), `Incomplete messages of this host exceed its limit of ${limit} bytes`);
    }
  }

  #drop(sender: Sender, reason: string): void {
    this.#forget(sender, this.#held.get(sender)!);
    sender.fail(new ProtocolError(reason));
  }

  #makeRoom(known: boolean): void {
    const limit = known ? this.#limits.unfinishedBytesKnown : this.#limits.unfinishedBytes;
    while (this.#totals[known ? "known" : "unknown"] > limit) {
      this.#drop(this.#largestOf(known), `Incomplete messages of all peers exceed the limit of ${limit} bytes`);
    }
  }

  /** The sender of the largest message on the host that holds most. There is one, since the total is above its limit. */
  #largestOf(known: boolean): Sender {
    let [worst, most] = ["", -1];
    for (const { known: ofKnown, origin } of this.#held.values()) {
      const bytes = this.#origins.get(poolKey(known, origin))!;
      if (ofKnown === known && bytes > most) [worst, most] = [origin, bytes];
    }
    return this.#largestOn(known, worst);
  }

  #largestOn(known: boolean, origin: string): Sender {
    let largest: Sender | undefined;
    let size = -1;
    for (const [sender, held] of this.#held) {
      if (held.known === known && held.origin === origin && held.bytes > size) [largest, size] = [sender, held.bytes];
    }
    return largest!;
  }

  /** Starts the one timer for all messages: most messages end long before it fires. */
  #watch(): void {
    const { stallTimeoutMs, messageTimeoutMs } = this.#limits;
    this.#stopTimer ??= this.#clock.after(Math.min(stallTimeoutMs, messageTimeoutMs) / 2, () => {
      this.#stopTimer = undefined;
      this.#sweep();
      if (this.#held.size > 0) this.#watch();
    });
  }

  #sweep(): void {
    const { stallTimeoutMs, messageTimeoutMs } = this.#limits;
    const now = this.#clock.now();
    for (const [sender, held] of [...this.#held]) {
      if (sender.paused) held.since = held.markedAt = now;
      const stalled = now - held.markedAt >= stallTimeoutMs;
      if (!stalled && now - held.since < messageTimeoutMs) continue;
      this.#forget(sender, held);
      sender.fail(
        new TimeoutError(
          stalled
            ? `Received less than ${PROGRESS} bytes of a message within ${stallTimeoutMs} ms`
            : `A message was not complete within ${messageTimeoutMs} ms`,
        ),
      );
    }
  }
}
