import { messageOf, ProtocolError } from "../../base/errors.ts";
import type { SocketType } from "./command.ts";
import type { Message } from "./frame.ts";
import { Inbox } from "./inbox.ts";
import type { ZmtpContext } from "./context.ts";
import type { SocketOptions } from "./options.ts";
import type { Peer, PeerHandle } from "./peer.ts";
import { AddressedSocket } from "./router.ts";
import { framesOf } from "./socket.ts";
import type { Rep } from "./types.ts";

/**
 * Answers one request.
 *
 * @internal
 */
type Handler = Parameters<Rep["serve"]>[0];

/** The most requests of one peer that wait for their turn; a REQ sends one at a time, but a DEALER may send ahead. */
const BACKLOG = 16;

/**
 * REP, built on what a ROUTER does: requests of different peers are served concurrently.
 *
 * @example
 * ```ts
 * import { RepSocket, type ZmtpContext } from "brine/zmtp";
 *
 * export function echo(context: ZmtpContext): RepSocket {
 *   const rep = new RepSocket(context);
 *   rep.serve((message) => message);
 *   return rep;
 * }
 * ```
 */
export class RepSocket extends AddressedSocket implements Rep {
  /** The type of the socket, as it is announced to peers. */
  override readonly type: SocketType = "REP";
  readonly #inbox: Inbox<{ peer: Peer; frames: Message }>;
  /** For each peer being served, its further requests. */
  readonly #busy = new Map<Peer, Message[]>();

  /**
   * Makes a socket without connections: `connect` and `bind` open them.
   *
   * @param options bounds, heartbeats and the like
   */
  constructor(context: ZmtpContext, options: SocketOptions = {}) {
    super(context, options);
    this.#inbox = new Inbox(this.settings.receiveHighWaterMark, context.log);
  }

  serve(handler: Handler): void {
    this.#inbox.handle(({ peer, frames }) => {
      const waiting = this.#busy.get(peer);
      if (waiting === undefined) {
        this.#busy.set(peer, []);
        this.#serve(handler, peer, frames);
      } else {
        waiting.push(frames);
        if (waiting.length >= BACKLOG) peer.pause();
      }
    });
  }

  /** @internal */
  override peerMessage(peer: Peer, frames: Message): void {
    if (!frames.some((frame) => frame.length === 0)) {
      throw new ProtocolError("Cannot read request: it has no empty frame before its body");
    }
    this.admission.asked(peer);
    this.#inbox.deliver(peer, { peer, frames });
  }

  /** @internal */
  protected override detach(peer: Peer, error: Error | undefined): void {
    super.detach(peer, error);
    // The further requests of a disconnected peer are dropped: no replies can be sent.
    this.#busy.get(peer)?.splice(0);
  }

  /** @internal */
  protected override beforeClose(): void {
    this.#inbox.close();
  }

  async #serve(handler: Handler, peer: Peer, frames: Message): Promise<void> {
    for (let request: Message | undefined = frames; request !== undefined;) {
      // The envelope, up to and including the empty frame, is sent back unchanged: a DEALER may have put routing ids in it.
      const body = request.findIndex((frame) => frame.length === 0) + 1;
      this.sendTo(peer, [...request.slice(0, body), ...await this.#answer(handler, peer, request.slice(body))]);
      const waiting: Message[] = this.#busy.get(peer)!;
      request = waiting.shift();
      if (peer.paused && waiting.length < BACKLOG / 2) peer.resume();
    }
    this.#busy.delete(peer);
  }

  async #answer(handler: Handler, peer: PeerHandle, request: Message): Promise<Message> {
    try {
      return framesOf(await handler(request, peer));
    } catch (error) {
      this.context.log.error("request handler failed", { remote: peer.remote, error: messageOf(error) });
      return [new Uint8Array(0)];
    }
  }
}
