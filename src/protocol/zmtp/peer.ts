import type { Clock } from "../../base/async/clock.ts";
import { messageOf, ProtocolError, TimeoutError, TlsError } from "../../base/errors.ts";
import type { Connection, ConnectionHandlers } from "../../runtime/net.ts";
import type { SocketType } from "./command.ts";
import type { Conversation, Line, Wire } from "./conversation.ts";
import type { Message } from "./frame.ts";
import type { ZmtpContext } from "./context.ts";
import type { SocketSettings } from "./options.ts";
import { HandedOver } from "./handed_over.ts";
import { BATCH_SIZE, type JoinCache, Outbox, type OutboxBatch } from "./outbox.ts";
import type { Unfinished } from "./unfinished.ts";
import { ZMTP } from "./zmtp_conversation.ts";

/** Facts about the other end of a connection, for callers. */
export interface PeerInfo {
  /** The name of the connection, such as `tcp://10.0.0.7:51312`; empty if libzmq does not report it. */
  readonly remote: string;
  /** The address on this side. */
  readonly local: string;
  /** The routing id: announced by the peer, or chosen by a ROUTER. Empty for the other patterns. */
  readonly identity: Uint8Array;
  /** The number of messages that wait to be sent to the peer; undefined if the socket library does not report it. */
  readonly waiting?: number;
  /** False once the connection has ended. */
  readonly open: boolean;
  /** Stops reading from the peer; undefined if the socket library cannot stop. */
  pause?(): void;
  /** Continues to read from the peer. */
  resume?(): void;
}

/** A peer of a ROUTER: where to send the reply. After the peer has disconnected it stays valid, with `open` false. */
export type PeerHandle = PeerInfo;

/** The socket a {@link Peer} belongs to. */
export interface PeerHost {
  readonly context: ZmtpContext;
  readonly type: SocketType;
  readonly settings: SocketSettings;
  readonly joins: JoinCache;
  readonly unfinished: Unfinished;
  /** Called when the handshake is done. May throw a ProtocolError to refuse the peer. */
  peerOpened(peer: Peer): void;
  peerMessage(peer: Peer, frames: Message): void;
  /** Called when the peer subscribes or unsubscribes. May throw a ProtocolError. */
  peerSubscribed(peer: Peer, topic: Uint8Array, on: boolean): void;
  /** Called when there is room in the outbox again. */
  peerDrained(peer: Peer): void;
  /** Called once when the peer has disconnected, also for peers that never completed the handshake. */
  peerClosed(peer: Peer, error: Error | undefined): void;
  /** Asks for {@link Peer.flush} at the end of the turn. */
  peerDirty(peer: Peer): void;
}

/** The age in milliseconds from which a connection counts as good, even if no data has arrived. */
const PROVEN_MS = 10_000;
const NO_IDENTITY = new Uint8Array(0);

/**
 * One connection: handshake, then messages both ways.
 *
 * @internal
 */
export class Peer implements PeerInfo, ConnectionHandlers, Line {
  readonly #host: PeerHost;
  readonly #connection: Connection;
  readonly #conversation: Conversation;
  readonly #outbox = new Outbox();
  #handedOver: HandedOver | undefined;
  readonly #wire: Wire;
  /** The time at which the handshake was done. */
  #openedAt: number | undefined;
  #state: "handshake" | "open" | "closing" | "closed" = "handshake";
  #blocked = false;
  /** The bytes of the incomplete message, as last reported to the socket. */
  #unfinished = 0;
  #finished = 0;
  #stopTimer: (() => void) | undefined;
  #ended: (() => void) | undefined;

  identity: Uint8Array = NO_IDENTITY;
  readonly endpoint: string | undefined;
  /** True while the peer waits for {@link Peer.flush}; set by the host. */
  dirty = false;
  /** The topics a subscriber has asked for, as keys of `Subscriptions`; kept by PUB. */
  topics: Set<string> | undefined;

  constructor(host: PeerHost, connection: Connection, endpoint?: string) {
    this.#host = host;
    this.#connection = connection;
    this.endpoint = endpoint;
    this.#wire = host.context.wire ?? ZMTP;
    this.#conversation = this.#wire.converse(this);
  }

  get remote(): string {
    return this.#connection.remote;
  }

  get local(): string {
    return this.#connection.local;
  }

  get open(): boolean {
    return this.#state === "open";
  }

  /** True if the other side has proven to be a peer, and does not only accept connections. */
  get proven(): boolean {
    if (this.#openedAt === undefined) return false;
    return this.#wire.shakesHands || this.#conversation.finished > 0 ||
      this.clock.elapsed() - this.#openedAt >= PROVEN_MS;
  }

  get clock(): Clock {
    return this.#host.context.clock;
  }

  get settings(): SocketSettings {
    return this.#host.settings;
  }

  get type(): SocketType {
    return this.#host.type;
  }

  /** Begins the handshake. */
  start(): void {
    const { handshakeTimeoutMs } = this.settings;
    this.#stopTimer = this.clock.after(handshakeTimeoutMs, () => {
      this.fail(new TimeoutError(`No handshake within ${handshakeTimeoutMs} ms`));
    });
    this.#connection.start(this);
    const { secured } = this.#connection;
    if (secured === undefined) this.#begin();
    // If the TLS handshake fails, the connection is closed with the reason.
    else secured.then(() => this.#begin(), () => {});
  }

  #begin(): void {
    if (this.#state === "handshake") this.#guarded(() => this.#conversation.start());
  }

  // Line

  get blocked(): boolean {
    return this.#blocked;
  }

  opened(identity: Uint8Array): void {
    this.identity = identity;
    this.#state = "open";
    this.#openedAt = this.clock.elapsed();
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#host.peerOpened(this);
  }

  message(frames: Message): void {
    this.#host.peerMessage(this, frames);
  }

  subscribed(topic: Uint8Array, on: boolean): void {
    this.#host.peerSubscribed(this, topic, on);
  }

  handOver(seen: Uint8Array): Connection {
    this.#state = "closed";
    this.#stopTimer?.();
    this.#conversation.stop();
    this.#host.peerClosed(this, undefined);
    return this.#handedOver = new HandedOver(this.#connection, seen);
  }

  // Sending

  /** True when one more message may be queued; tries to make room first. */
  hasRoom(): boolean {
    if (!this.#isFull()) return true;
    this.flush();
    return !this.#isFull();
  }

  #isFull(): boolean {
    const { sendHighWaterMark, sendHighWaterBytes } = this.#host.settings;
    return this.#outbox.messages >= sendHighWaterMark || this.#outbox.bytes >= sendHighWaterBytes;
  }

  /** Queues a message; the caller has checked {@link Peer.hasRoom}, or accepts going above the limit. */
  add(frames: Message): void {
    const { encode } = this.#conversation;
    if (encode === undefined) this.#outbox.add(frames);
    else this.#outbox.share(encode(frames));
    this.#touch();
  }

  /** The number of messages that wait to be sent. */
  get waiting(): number {
    return this.#outbox.messages;
  }

  /** The number of queued bytes that the connection does not take, because the peer does not read. */
  get unread(): number {
    return this.#blocked ? this.#outbox.bytes : 0;
  }

  /** Queues an encoded batch. */
  share(batch: OutboxBatch): void {
    this.#outbox.share(batch);
    this.#touch();
  }

  #touch(): void {
    if (this.#blocked) return;
    if (this.#outbox.bytes >= BATCH_SIZE) this.flush();
    else if (!this.dirty) this.#host.peerDirty(this);
  }

  /** Subscribes to a topic at a publisher, or unsubscribes. */
  sendSubscription(topic: Uint8Array, on: boolean): void {
    const batch = this.#conversation.subscription(topic, on);
    if (batch !== undefined) this.share(batch);
  }

  /** Writes as many queued messages as the connection takes. */
  flush(): void {
    if (this.#blocked || this.#state !== "open" && this.#state !== "closing") return;
    this.#outbox.flush(this, this.#host.joins);
    if (this.#state !== "closing" || this.#blocked) return;
    const { farewell } = this.#conversation;
    if (farewell !== undefined) this.#connection.write(farewell);
    this.#connection.end();
  }

  /** Writes bytes. To be called only by {@link Outbox.flush} and the conversation. */
  write(chunk: Uint8Array): boolean {
    const goOn = this.#connection.write(chunk);
    if (!goOn) this.#blocked = true;
    return goOn;
  }

  /** Removes and returns the batches that were queued and never written. */
  takeUnsent(): OutboxBatch[] {
    return this.#outbox.take();
  }

  // Receiving

  /** Stops reading: further messages wait at the peer. */
  pause(): void {
    this.#conversation.paused = true;
    this.#connection.pause();
  }

  get paused(): boolean {
    return this.#conversation.paused;
  }

  resume(): void {
    if (!this.#conversation.paused) return;
    this.#conversation.paused = false;
    this.#read(undefined);
    if (!this.#conversation.paused && this.#state !== "closed") this.#connection.resume();
  }

  onData(chunk: Uint8Array): boolean {
    if (this.#handedOver !== undefined) return this.#handedOver.onData(chunk);
    return this.#state !== "closed" && this.#read(chunk);
  }

  /** As {@link Conversation.push}. */
  #read(chunk: Uint8Array | undefined): boolean {
    return this.#guarded(() => {
      const copied = this.#conversation.push(chunk);
      this.#noteUnfinished();
      return copied;
    });
  }

  /** Closes the connection if the peer has broken the protocol. */
  #guarded<T>(call: () => T): T | false {
    try {
      return call();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.fail(error);
      return false;
    }
  }

  /** Reports to the socket how many bytes the incomplete message holds. */
  #noteUnfinished(): void {
    const { finished, pendingBytes } = this.#conversation;
    const bytes = this.#state === "closed" ? 0 : pendingBytes;
    if (bytes === this.#unfinished && (bytes === 0 || finished === this.#finished)) return;
    this.#unfinished = bytes;
    this.#finished = finished;
    this.#host.unfinished.note(this, bytes, finished);
  }

  // Ending

  onDrain(): void {
    if (this.#handedOver !== undefined) return this.#handedOver.onDrain();
    if (!this.#blocked) return;
    this.#blocked = false;
    this.flush();
    if (this.#state === "open" && !this.#isFull()) this.#host.peerDrained(this);
  }

  onClose(error?: Error): void {
    if (this.#handedOver !== undefined) return this.#handedOver.onClose(error);
    if (error instanceof TlsError) {
      this.#host.context.log.warning("TLS connection refused", { remote: this.remote, reason: messageOf(error) });
    }
    this.#gone(error);
  }

  /** Sends queued messages, then closes; resolves once the connection has ended. */
  end(): Promise<void> {
    if (this.#state === "closed") return Promise.resolve();
    if (this.#state !== "open") {
      this.destroy();
      return Promise.resolve();
    }
    this.#state = "closing";
    this.#conversation.stop();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = resolve;
    this.flush();
    return promise;
  }

  /** Closes for a reason that is logged for the operator. */
  fail(error: Error): void {
    if (this.#state === "closed") return;
    this.#host.context.log.warning("peer disconnected", {
      remote: this.remote,
      socket: this.#host.type,
      reason: messageOf(error),
    });
    this.#connection.destroy();
    this.#gone(error);
  }

  /** Closes at once. */
  destroy(): void {
    this.#connection.destroy();
    this.#gone(undefined);
  }

  #gone(error: Error | undefined): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#stopTimer?.();
    this.#conversation.close();
    // Messages that had arrived before are still delivered, unless the peer broke the protocol: see resume().
    if (error instanceof ProtocolError || !this.#conversation.paused) this.#conversation.stop();
    this.#host.peerClosed(this, error);
    this.#ended?.();
  }
}
