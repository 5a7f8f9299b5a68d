import { ProtocolError } from "../../base/errors.ts";
import type { SocketType } from "./command.ts";
import type { Message } from "./frame.ts";
import type { ZmtpContext } from "./context.ts";
import type { PubOptions } from "./options.ts";
import type { Peer, PeerInfo } from "./peer.ts";
import { framesOf, ZmtpSocket } from "./socket.ts";
import { MAX_TOPIC_LENGTH, Subscriptions } from "./subscriptions.ts";
import type { Pub } from "./types.ts";
import { ZMTP } from "./zmtp_conversation.ts";

/** The most bytes of a message from a subscriber: a topic, or a short command of another version, which is ignored. */
export const MAX_RECEIVED = 8192;

/**
 * PUB, which also knows the topics of each subscriber, as XPUB does.
 *
 * @example
 * ```ts
 * import { PubSocket, type ZmtpContext } from "brine/zmtp";
 *
 * export const publisher = (context: ZmtpContext) => new PubSocket(context, { maxTopics: 100 });
 * ```
 */
export class PubSocket extends ZmtpSocket implements Pub {
  /** The type of the socket, as it is announced to peers. */
  override readonly type: SocketType = "PUB";
  readonly #maxTopics: number;
  readonly #subscriptions = new Subscriptions<Peer>();
  readonly #subscribed: ((peer: PeerInfo, topic: Uint8Array, on: boolean) => void)[] = [];
  #subscribers = 0;

  /** The number of messages lost so far, because a subscriber was at its high-water mark; counted for each subscriber. */
  dropped = 0;

  /**
   * Makes a socket without connections: `connect` and `bind` open them.
   *
   * @param options bounds, heartbeats and the like
   */
  constructor(context: ZmtpContext, options: PubOptions = {}) {
    // Subscribers send nothing but topics, and any client may subscribe.
    super(context, { maxMessageSize: MAX_RECEIVED, maxFrames: 8, ...options });
    this.#maxTopics = options.maxTopics ?? 10_000;
  }

  /** Peers with at least one topic. */
  get subscribers(): number {
    return this.#subscribers;
  }

  /** The topics that a peer has subscribed to. */
  topicsOf(peer: PeerInfo): Uint8Array[] {
    const topics = (peer as Peer).topics ?? [];
    return [...topics].map((key) => Uint8Array.from(key, (character) => character.charCodeAt(0)));
  }

  /** Calls `handler` for each subscription that is added or removed. */
  onSubscribe(handler: (peer: PeerInfo, topic: Uint8Array, on: boolean) => void): void {
    this.#subscribed.push(handler);
  }

  /** Sends to every peer with a subscription that the first frame begins with. Never waits. */
  send(message: Message | Uint8Array): void {
    const frames = framesOf(message);
    const peers = this.#subscriptions.match(frames[0]!);
    if (peers === undefined || this.closed) return;
    const batch = (this.context.wire ?? ZMTP).encodePublication(frames);
    for (const peer of peers) {
      if (peer.hasRoom()) peer.share(batch);
      else this.dropped++;
    }
  }

  /** @internal */
  override peerMessage(peer: Peer, frames: Message): void {
    // ZMTP 3.0: a topic is a message that begins with 1 (on) or 0 (off). Other messages of an XSUB are ignored.
    const body = frames[0]!;
    if (frames.length === 1 && (body[0] === 1 || body[0] === 0)) {
      this.peerSubscribed(peer, body.subarray(1), body[0] === 1);
    }
  }

  /** @internal */
  override peerSubscribed(peer: Peer, topic: Uint8Array, on: boolean): void {
    if (topic.length > MAX_TOPIC_LENGTH) {
      throw new ProtocolError(`Cannot subscribe: a topic of ${topic.length} bytes is above ${MAX_TOPIC_LENGTH}`);
    }
    const before = peer.topics?.size ?? 0;
    if (on && before >= this.#maxTopics) {
      throw new ProtocolError(`Cannot subscribe: more than ${this.#maxTopics} topics`);
    }
    const changed = on ? this.#subscriptions.add(topic, peer) : this.#subscriptions.remove(topic, peer);
    if (!changed) return;
    if (on && before === 0) this.#subscribers++;
    if (!on && before === 1) this.#subscribers--;
    // The topic is a view of what the connection received; listeners may keep theirs.
    if (this.#subscribed.length > 0) topic = topic.slice();
    for (const handler of this.#subscribed) this.tell(() => handler(peer, topic, on));
  }

  /** @internal */
  protected override detach(peer: Peer): void {
    const topics = this.#subscribed.length > 0 ? this.topicsOf(peer) : [];
    if ((peer.topics?.size ?? 0) > 0) this.#subscribers--;
    this.#subscriptions.removePeer(peer);
    for (const topic of topics) {
      for (const handler of this.#subscribed) this.tell(() => handler(peer, topic, false));
    }
  }
}
