import { ProtocolError } from "../errors.ts";
import type { SocketType } from "./command.ts";
import type { Message } from "./frame.ts";
import { Inbox } from "./inbox.ts";
import type { SocketOptions, ZmtpContext } from "./options.ts";
import { Peer, type PeerHandle } from "./peer.ts";
import { framesOf, ZmtpSocket } from "./socket.ts";
import type { Router } from "./types.ts";

function keyOf(identity: Uint8Array): string {
  return String.fromCharCode(...identity);
}

/** Bytes of answers that a peer may leave unread before its next requests wait. */
const UNREAD = 2 ** 18;

/** Peers by identity: what ROUTER and REP share. */
export abstract class AddressedSocket extends ZmtpSocket {
  readonly #byIdentity = new Map<string, Peer>();
  #nextId: number;
  /** Peers that are not read until they read. */
  readonly #unread = new Set<Peer>();

  /** Messages that {@link AddressedSocket.sendTo} could not queue. */
  dropped = 0;

  constructor(context: ZmtpContext, options: SocketOptions = {}) {
    super(context, options);
    this.#nextId = Math.floor(context.random() * 2 ** 32);
  }

  /** False, and counted as dropped, if the peer is gone or its queue is full. */
  protected sendTo(peer: PeerHandle | Uint8Array | undefined, message: Message): boolean {
    const found = peer instanceof Uint8Array ? this.#byIdentity.get(keyOf(peer)) : peer;
    if (!(found instanceof Peer) || !found.open || !found.hasRoom()) {
      this.dropped++;
      return false;
    }
    found.add(message);
    // Whoever does not read the answers is not read either.
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
   * Peers without a name get one, as libzmq gives: a zero byte, then a number. A name that is taken stays with its first
   * owner: whoever else comes with it is refused, or could take over another's replies.
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
    if (this.#byIdentity.has(key)) throw new ProtocolError("The peer's identity is taken by another one");
    this.#byIdentity.set(key, peer);
  }

  protected override detach(peer: Peer, _error: Error | undefined): void {
    this.#byIdentity.delete(keyOf(peer.identity));
    this.#unread.delete(peer);
  }
}

/** ROUTER: hears all, and answers the one it names. */
export class RouterSocket extends AddressedSocket implements Router {
  override readonly type: SocketType = "ROUTER";
  readonly #inbox: Inbox<{ peer: Peer; frames: Message }>;

  /** @param options bounds, heartbeats and the like */
  constructor(context: ZmtpContext, options: SocketOptions = {}) {
    super(context, options);
    this.#inbox = new Inbox(this.settings.receiveHighWaterMark, context.log);
  }

  /** Until it is called, messages wait, and beyond the high-water mark their senders do. */
  onMessage(handler: (peer: PeerHandle, frames: Message) => void): void {
    this.#inbox.handle(({ peer, frames }) => handler(peer, frames));
  }

  send(peer: PeerHandle | Uint8Array, message: Message | Uint8Array): boolean {
    return this.sendTo(peer, framesOf(message));
  }

  override peerMessage(peer: Peer, frames: Message): void {
    this.#inbox.deliver(peer, { peer, frames });
  }

  protected override beforeClose(): void {
    this.#inbox.close();
  }
}
