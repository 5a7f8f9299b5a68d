import { ProtocolError } from "../../base/errors.ts";
import type { SocketType } from "./command.ts";
import type { Message } from "./frame.ts";
import { Inbox } from "./inbox.ts";
import type { ZmtpContext } from "./context.ts";
import type { SocketOptions } from "./options.ts";
import { Peer, type PeerHandle } from "./peer.ts";
import { framesOf, ZmtpSocket } from "./socket.ts";
import type { Router } from "./types.ts";

function keyOf(identity: Uint8Array): string {
  return String.fromCharCode(...identity);
}

/** The most bytes of replies that a peer may leave unread before its next requests have to wait. */
const UNREAD = 2 ** 18;

/**
 * Peers by identity: what ROUTER and REP share.
 *
 * @internal
 */
export abstract class AddressedSocket extends ZmtpSocket {
  readonly #byIdentity = new Map<string, Peer>();
  #nextId: number;
  /** Peers whose requests are not read until they read their replies. */
  readonly #unread = new Set<Peer>();

  /** The number of messages that {@link AddressedSocket.sendTo} could not queue. */
  dropped = 0;

  constructor(context: ZmtpContext, options: SocketOptions = {}) {
    super(context, options);
    this.#nextId = Math.floor(context.random() * 2 ** 32);
  }

  /** Queues a message for a peer; false, and counted as dropped, if the peer has disconnected or its queue is full. */
  protected sendTo(peer: PeerHandle | Uint8Array | undefined, message: Message): boolean {
    const found = peer instanceof Uint8Array ? this.#byIdentity.get(keyOf(peer)) : peer;
    if (!(found instanceof Peer) || !found.open || !found.hasRoom()) {
      this.dropped++;
      return false;
    }
    this.admission.answered(found);
    found.add(message);
    // Stop reading requests of a peer that does not read its replies.
    if (found.unread > UNREAD && !found.paused) {
      found.pause();
      this.#unread.add(found);
    }
    return true;
  }

  override peerDrained(peer: Peer): void {
    if (this.#unread.delete(peer)) peer.resume();
  }

  /**
   * Gives a peer without an identity one in libzmq's form: a zero byte, then a number. An identity that is in use stays with its
   * first owner: a second peer that announces it is refused, as it could otherwise receive the first peer's replies.
   */
  protected override attach(peer: Peer): void {
    if (peer.identity.length === 0) {
      const id = new Uint8Array(5);
      do {
        this.#nextId = (this.#nextId + 1) >>> 0;
        new DataView(id.buffer).setUint32(1, this.#nextId);
      } while (this.#byIdentity.has(keyOf(id)));
      peer.identity = id;
    }
    const key = keyOf(peer.identity);
    if (this.#byIdentity.has(key)) {
      throw new ProtocolError("Cannot accept the peer: another peer has the same identity");
    }
    this.#byIdentity.set(key, peer);
  }

  protected override detach(peer: Peer, _error: Error | undefined): void {
    this.#byIdentity.delete(keyOf(peer.identity));
    this.#unread.delete(peer);
  }
}

/**
 * ROUTER: receives from all peers, and sends to the peer that the caller names.
 *
 * @example
 * ```ts
 * import { RouterSocket, type ZmtpContext } from "brine/zmtp";
 *
 * export const router = (context: ZmtpContext) => new RouterSocket(context, { maxMessageSize: 1_048_576 });
 * ```
 */
export class RouterSocket extends AddressedSocket implements Router {
  /** The type of the socket, as it is announced to peers. */
  override readonly type: SocketType = "ROUTER";
  readonly #inbox: Inbox<{ peer: Peer; frames: Message }>;

  /**
   * Makes a socket without connections: `connect` and `bind` open them.
   *
   * @param options bounds, heartbeats and the like
   */
  constructor(context: ZmtpContext, options: SocketOptions = {}) {
    super(context, options);
    this.#inbox = new Inbox(this.settings.receiveHighWaterMark, context.log);
  }

  settle(peer: PeerHandle): void {
    this.admission.answered(peer as Peer);
  }

  /** The number of connections that wait for their handshake. */
  get outside(): number {
    return this.admission.waiting;
  }

  /** Handles messages. Before this call, messages are queued; above the high-water mark their senders wait. */
  onMessage(handler: (peer: PeerHandle, frames: Message) => void): void {
    this.#inbox.handle(({ peer, frames }) => handler(peer, frames));
  }

  send(peer: PeerHandle | Uint8Array, message: Message | Uint8Array): boolean {
    return this.sendTo(peer, framesOf(message));
  }

  /** @internal */
  override peerMessage(peer: Peer, frames: Message): void {
    this.admission.asked(peer);
    this.#inbox.deliver(peer, { peer, frames });
  }

  /** @internal */
  protected override beforeClose(): void {
    this.#inbox.close();
  }
}
