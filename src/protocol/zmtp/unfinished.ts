import { ProtocolError, TimeoutError } from "../../base/errors.ts";
import type { Clock } from "../../base/async/clock.ts";
import { hostOf, originOf } from "./endpoint.ts";

/** A peer that is sending a message. */
export interface FrameSender {
  /** The name of the connection, such as `tcp://10.0.0.7:51312`. */
  readonly remote: string;
  /** True while the sender's connection is not read: then the sender does not count as slow. */
  readonly paused: boolean;
  /** Closes the connection for a reason that is logged. */
  fail(error: Error): void;
}

/** Bounds on the memory and time of incomplete messages. Sizes in bytes, durations in milliseconds. */
export interface UnfinishedLimits {
  /** The most bytes of all senders on unknown hosts together, and of those on known hosts beyond the share of their host. */
  unfinishedBytes: number;
  /** The most bytes of the shares of all known hosts together. */
  unfinishedBytesKnown: number;
  /** The share of all senders on one known host: a stranger there has no more room beyond it than one elsewhere. */
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

/** The senders on one host. A host that becomes known while it is sending has two of these. */
interface HeldBy {
  senders: Map<FrameSender, Held>;
  bytes: number;
  /** The bytes of these within the share of a known host. */
  shared: number;
}

const keyOf = ({ known, origin }: Held) => `${known ? "known" : "unknown"} ${origin}`;

/** The least time that counts for a message, in milliseconds: of messages that have just begun, the largest holds most. */
const LEAST_AGE_MS = 1000;

/**
 * The incomplete messages of a socket. A frame announces its length and is then waited for, so any client that connects
 * could make us hold memory for as long as it likes. So all of them together are bounded here in size, and each of them in
 * time. When there is no room, the host that holds most for longest loses a message: a large one that arrives quickly is honest more
 * often than one that drips. Hosts that have authenticated as ours have a share each, which unknown hosts cannot use up.
 */
export class Unfinished {
  readonly #clock: Clock;
  readonly #limits: UnfinishedLimits;
  readonly #held = new Map<FrameSender, Held>();
  /** Bytes within the shares of known hosts, and all others. */
  readonly #totals = { shared: 0, common: 0 };
  readonly #hosts = new Map<string, HeldBy>();
  #stopTimer: (() => void) | undefined;

  constructor(clock: Clock, limits: UnfinishedLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** The bytes held for incomplete messages. */
  get bytes(): number {
    return this.#totals.shared + this.#totals.common;
  }

  /**
   * Records how many bytes a sender's message holds now; 0 once the message is complete, or the sender has disconnected.
   *
   * @param message the number of messages that the sender had completed before
   */
  note(sender: FrameSender, bytes: number, message = 0): void {
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
    this.#count(sender, held, bytes);
    this.#makeRoom("shared", this.#limits.unfinishedBytesKnown);
    this.#makeRoom("common", this.#limits.unfinishedBytes);
  }

  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #forget(sender: FrameSender, held: Held): void {
    this.#held.delete(sender);
    this.#count(sender, held, 0);
    if (this.#held.size === 0) this.stop();
  }

  /** A sender holds so many bytes now. */
  #count(sender: FrameSender, held: Held, bytes: number): void {
    const key = keyOf(held);
    let host = this.#hosts.get(key);
    if (host === undefined) {
      host = { senders: new Map(), bytes: 0, shared: 0 };
      this.#hosts.set(key, host);
    }
    const before = host.bytes - host.shared;
    host.bytes += bytes - held.bytes;
    const shared = held.known ? Math.min(host.bytes, this.#limits.unfinishedBytesOf(hostOf(sender.remote))) : 0;
    this.#totals.shared += shared - host.shared;
    this.#totals.common += host.bytes - shared - before;
    host.shared = shared;
    held.bytes = bytes;
    if (bytes > 0) host.senders.set(sender, held);
    else host.senders.delete(sender);
    if (host.senders.size === 0) this.#hosts.delete(key);
  }

  #makeRoom(part: "shared" | "common", limit: number): void {
    while (this.#totals[part] > limit) {
      const sender = this.#heaviest(part);
      this.#forget(sender, this.#held.get(sender)!);
      sender.fail(new ProtocolError(`Incomplete messages of all peers exceed the limit of ${limit} bytes`));
    }
  }

  /** The sender that holds most for longest on the host that does so. There is one, since the total is above its limit. */
  #heaviest(part: "shared" | "common"): FrameSender {
    const now = this.#clock.now();
    let worst: FrameSender | undefined;
    let most = -1;
    for (const { senders, bytes, shared } of this.#hosts.values()) {
      let heaviest: FrameSender | undefined;
      let [weight, sum] = [-1, 0];
      for (const [sender, held] of senders) {
        const own = held.bytes * (now - held.since + LEAST_AGE_MS);
        sum += own;
        if (own > weight) [heaviest, weight] = [sender, own];
      }
      // Only what counts in this part: a host within its share takes nothing from the others.
      const counted = sum * ((part === "shared" ? shared : bytes - shared) / bytes);
      if (counted > most) [worst, most] = [heaviest, counted];
    }
    return worst!;
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
