import { SaltError } from "../../base/errors.ts";
import type { SocketType } from "./command.ts";
import type { Message } from "./frame.ts";
import { Inbox } from "./inbox.ts";
import type { ZmtpContext } from "./context.ts";
import type { SocketOptions } from "./options.ts";
import type { OutboxBatch } from "./outbox.ts";
import type { Peer } from "./peer.ts";
import { framesOf, ZmtpSocket } from "./socket.ts";
import type { Dealer, Push } from "./types.ts";

interface Waiting {
  frames: Message;
  resolve?: () => void;
  reject?: (reason: unknown) => void;
}

/**
 * Distributes messages to peers in turn; a peer without room is skipped. With no peer at all, as many messages as fit one
 * peer's queue are queued; beyond that the sender waits.
 *
 * @internal
 */
abstract class DealingSocket extends ZmtpSocket implements Push {
  readonly #dealt: Peer[] = [];
  #next = 0;
  #waiting: Waiting[] = [];
  #emptied: (() => void) | undefined;
  /** Messages that were queued for disconnected peers: they go to the next peer, before all others. */
  #orphans: OutboxBatch[] = [];

  send(message: Message | Uint8Array): void | Promise<void> {
    const frames = framesOf(message);
    if (this.closed) {
      throw new SaltError("CLOSED", `Cannot send: the ${this.type} socket is closed`);
    }
    if (this.#waiting.length === 0) {
      const peer = this.#pick();
      if (peer !== undefined) return peer.add(frames);
    }
    if (this.#dealt.length === 0 && this.#waiting.length < this.settings.sendHighWaterMark) {
      this.#waiting.push({ frames });
      return;
    }
    return new Promise((resolve, reject) => this.#waiting.push({ frames, resolve, reject }));
  }

  #pick(): Peer | undefined {
    const peers = this.#dealt;
    for (let tried = 0; tried < peers.length; tried++) {
      if (this.#next >= peers.length) this.#next = 0;
      const peer = peers[this.#next++]!;
      if (peer.hasRoom()) return peer;
    }
    return undefined;
  }

  #dealWaiting(): void {
    let sent = 0;
    for (; sent < this.#waiting.length; sent++) {
      const peer = this.#pick();
      if (peer === undefined) break;
      const { frames, resolve } = this.#waiting[sent]!;
      peer.add(frames);
      resolve?.();
    }
    if (sent > 0) this.#waiting = this.#waiting.slice(sent);
    if (this.#waiting.length === 0) this.#emptied?.();
  }

  protected override attach(peer: Peer): void {
    this.#dealt.push(peer);
    for (const batch of this.#orphans.splice(0)) peer.share(batch);
    this.#dealWaiting();
  }

  protected override detach(peer: Peer, _error: Error | undefined): void {
    this.#dealt.splice(this.#dealt.indexOf(peer), 1);
    const unsent = peer.takeUnsent();
    const heir = this.#dealt[0];
    if (heir === undefined) this.#orphans.push(...unsent);
    else for (const batch of unsent) heir.share(batch);
  }

  override peerDrained(_peer: Peer): void {
    if (this.#waiting.length > 0) this.#dealWaiting();
  }

  protected override beforeClose(): void {
    const error = new SaltError("CLOSED", `Cannot send: the ${this.type} socket is closed`);
    for (const { reject } of this.#waiting) reject?.(error);
    this.#waiting = this.#waiting.filter(({ reject }) => reject === undefined);
  }

  protected override queued(): Promise<void> {
    if (this.#waiting.length === 0 && this.#orphans.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#emptied = resolve);
  }
}

/**
 * PUSH: each message to one peer.
 *
 * @example
 * ```ts
 * import { PushSocket, type ZmtpContext } from "brine/zmtp";
 *
 * export const source = (context: ZmtpContext) => new PushSocket(context, { sendHighWaterMark: 10 });
 * ```
 */
export class PushSocket extends DealingSocket {
  /** The type of the socket, as it is announced to peers. */
  override readonly type: SocketType = "PUSH";

  /** @internal */
  override peerMessage(): void {
    // Messages of a PULL are ignored, as libzmq does.
  }
}

/**
 * DEALER: a PUSH that also receives from its peers.
 *
 * @example
 * ```ts
 * import { DealerSocket, type ZmtpContext } from "brine/zmtp";
 *
 * export const dealer = (context: ZmtpContext) => new DealerSocket(context);
 * ```
 */
export class DealerSocket extends DealingSocket implements Dealer {
  /** The type of the socket, as it is announced to peers. */
  override readonly type: SocketType = "DEALER";
  readonly #inbox: Inbox<Message>;

  /**
   * Makes a socket without connections: `connect` and `bind` open them.
   *
   * @param options bounds, heartbeats and the like
   */
  constructor(context: ZmtpContext, options: SocketOptions = {}) {
    super(context, options);
    this.#inbox = new Inbox(this.settings.receiveHighWaterMark, context.log);
  }

  onMessage(handler: (message: Message) => void): void {
    this.#inbox.handle(handler);
  }

  receive(): Message | undefined | Promise<Message | undefined> {
    return this.#inbox.receive();
  }

  /** The messages as they arrive, until the socket is closed. */
  [Symbol.asyncIterator](): AsyncIterator<Message> {
    return this.#inbox.iterate();
  }

  /** @internal */
  override peerMessage(peer: Peer, frames: Message): void {
    this.#inbox.deliver(peer, frames);
  }

  /** @internal */
  protected override beforeClose(): void {
    super.beforeClose();
    this.#inbox.close();
  }
}
