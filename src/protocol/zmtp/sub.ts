import type { SocketType } from "./command.ts";
import type { Message } from "./frame.ts";
import { Inbox } from "./inbox.ts";
import type { ZmtpContext } from "./context.ts";
import type { SocketOptions } from "./options.ts";
import type { Peer } from "./peer.ts";
import { ZmtpSocket } from "./socket.ts";
import type { Pull, Receiver, Sub } from "./types.ts";

/**
 * A socket that receives: by handler, one at a time, or as an async iterable.
 *
 * @internal
 */
abstract class ReceivingSocket extends ZmtpSocket implements Receiver {
  protected readonly inbox: Inbox<Message>;

  constructor(context: ZmtpContext, options: SocketOptions = {}) {
    super(context, options);
    this.inbox = new Inbox(this.settings.receiveHighWaterMark, context.log);
  }

  onMessage(handler: (message: Message) => void): void {
    this.inbox.handle(handler);
  }

  receive(): Message | undefined | Promise<Message | undefined> {
    return this.inbox.receive();
  }

  [Symbol.asyncIterator](): AsyncIterator<Message> {
    return this.inbox.iterate();
  }

  override peerMessage(peer: Peer, frames: Message): void {
    this.inbox.deliver(peer, frames);
  }

  protected override beforeClose(): void {
    this.inbox.close();
  }
}

const encoder = new TextEncoder();

interface Topic {
  bytes: Uint8Array;
  /** How often the topic was subscribed to; the publisher is told once. */
  count: number;
}

/**
 * SUB: sends its topics to every publisher, and again after each reconnect.
 *
 * @example
 * ```ts
 * import { SubSocket, type ZmtpContext } from "brine/zmtp";
 *
 * export function subscribed(context: ZmtpContext): SubSocket {
 *   const sub = new SubSocket(context);
 *   sub.subscribe("weather");
 *   return sub;
 * }
 * ```
 */
export class SubSocket extends ReceivingSocket implements Sub {
  /** The type of the socket, as it is announced to peers. */
  override readonly type: SocketType = "SUB";
  readonly #topics = new Map<string, Topic>();

  subscribe(topic: Uint8Array | string): void {
    const bytes = typeof topic === "string" ? encoder.encode(topic) : topic.slice();
    const key = String.fromCharCode(...bytes);
    const known = this.#topics.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    this.#topics.set(key, { bytes, count: 1 });
    for (const peer of this.peers()) peer.sendSubscription(bytes, true);
  }

  /** Ends a subscription; to be called as often as {@link SubSocket.subscribe} was. */
  unsubscribe(topic: Uint8Array | string): void {
    const bytes = typeof topic === "string" ? encoder.encode(topic) : topic;
    const key = String.fromCharCode(...bytes);
    const known = this.#topics.get(key);
    if (known === undefined || --known.count > 0) return;
    this.#topics.delete(key);
    for (const peer of this.peers()) peer.sendSubscription(known.bytes, false);
  }

  get introduces(): boolean {
    return this.context.wire?.introduces === true;
  }

  introduce(message: Uint8Array): void {
    if (!this.introduces) return;
    for (const peer of this.peers()) (peer as Peer).add([message]);
  }

  /** @internal */
  protected override attach(peer: Peer): void {
    for (const { bytes } of this.#topics.values()) peer.sendSubscription(bytes, true);
    // Flushes in this turn: a new subscriber should miss as few messages as possible.
    peer.flush();
  }

  /** @internal */
  override peerMessage(peer: Peer, frames: Message): void {
    // A publisher may not have received an unsubscribe yet, or may not filter at all.
    if (this.#wants(frames[0]!)) super.peerMessage(peer, frames);
  }

  #wants(frame: Uint8Array): boolean {
    if (this.#topics.has("")) return true;
    for (const { bytes } of this.#topics.values()) {
      if (bytes.length <= frame.length && bytes.every((byte, at) => byte === frame[at])) return true;
    }
    return false;
  }
}

/**
 * PULL: receives from all peers; while its queue is full it does not read, and the PUSH at the other end waits.
 *
 * @example
 * ```ts
 * import { PullSocket, type ZmtpContext } from "brine/zmtp";
 *
 * export const sink = (context: ZmtpContext) => new PullSocket(context);
 * ```
 */
export class PullSocket extends ReceivingSocket implements Pull {
  /** The type of the socket, as it is announced to peers. */
  override readonly type: SocketType = "PULL";
}
