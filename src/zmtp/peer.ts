import { messageOf, ProtocolError, TimeoutError } from "../errors.ts";
import type { Connection, ConnectionHandlers } from "../runtime/net.ts";
import {
  decodeCommand,
  decodeProperties,
  encodeCommand,
  encodeError,
  encodePing,
  encodeReady,
  encodeSubscription,
  PARTNERS,
  type SocketType,
} from "./command.ts";
import { FrameDecoder, type FrameSink, type Message } from "./frame.ts";
import { agreedMinor, checkGreeting, greeting, GREETING_SIZE } from "./greeting.ts";
import type { Settings, ZmtpContext } from "./options.ts";
import { type Batch, BATCH_SIZE, type JoinCache, Outbox } from "./outbox.ts";
import type { Unfinished } from "./unfinished.ts";

/** What a caller may know of the other end of a connection. */
export interface PeerInfo {
  /** `tcp://10.0.0.7:51312`; empty where libzmq does not report it. */
  readonly remote: string;
  /** The address on this side. */
  readonly local: string;
  /** The routing id: announced by the peer, or made up by a ROUTER. Empty for the other patterns. */
  readonly identity: Uint8Array;
  /** False once the connection is gone. */
  readonly open: boolean;
}

/** A peer of a ROUTER: where to send the reply. After the peer has disconnected it stays valid, with `open` false. */
export type PeerHandle = PeerInfo;

/** The socket a {@link Peer} belongs to. */
export interface PeerHost {
  readonly context: ZmtpContext;
  readonly type: SocketType;
  readonly settings: Settings;
  readonly joins: JoinCache;
  readonly unfinished: Unfinished;
  /** The handshake is done. May throw a ProtocolError to refuse the peer. */
  peerOpened(peer: Peer): void;
  peerMessage(peer: Peer, frames: Message): void;
  /** The peer subscribed or unsubscribed. May throw a ProtocolError. */
  peerSubscribed(peer: Peer, topic: Uint8Array, on: boolean): void;
  /** There is room in the outbox again. */
  peerDrained(peer: Peer): void;
  /** The peer has disconnected; called once, also for peers that never completed the handshake. */
  peerClosed(peer: Peer, error: Error | undefined): void;
  /** Asks for {@link Peer.flush} at the end of the turn. */
  peerDirty(peer: Peer): void;
}

/** Commands are small: READY with a few properties, a topic, a PING. */
const MAX_COMMAND_SIZE = 8192;
const NO_IDENTITY = new Uint8Array(0);
/** The patterns whose READY carries the identity, as in libzmq's mechanism.cpp. */
const WITH_IDENTITY: ReadonlySet<SocketType> = new Set(["REQ", "DEALER", "ROUTER"]);

/** One connection: handshake, then messages both ways. */
export class Peer implements PeerInfo, ConnectionHandlers, FrameSink {
  readonly #host: PeerHost;
  readonly #connection: Connection;
  readonly #decoder: FrameDecoder;
  readonly #outbox = new Outbox();
  /** The part of the greeting that has arrived; undefined once it is complete. */
  #greeting: Uint8Array | undefined = new Uint8Array(GREETING_SIZE);
  #greetingFilled = 0;
  #minor: 0 | 1 = 1;
  #state: "handshake" | "open" | "closing" | "closed" = "handshake";
  #blocked = false;
  #heard = false;
  /** Bytes of the incomplete message, as last reported to the socket. */
  #unfinished = 0;
  #finished = 0;
  #stopTimer: (() => void) | undefined;
  #stopTtl: (() => void) | undefined;
  #ended: (() => void) | undefined;

  identity: Uint8Array = NO_IDENTITY;
  /** The endpoint that was dialled; undefined for an incoming connection. */
  readonly endpoint: string | undefined;
  /** True while it waits for {@link Peer.flush}; set by the host. */
  dirty = false;
  /** The topics a subscriber has asked for, as keys of `Subscriptions`; kept by PUB. */
  topics: Set<string> | undefined;

  constructor(host: PeerHost, connection: Connection, endpoint?: string) {
    this.#host = host;
    this.#connection = connection;
    this.endpoint = endpoint;
    const { maxMessageSize, maxFrames } = host.settings;
    this.#decoder = new FrameDecoder({ maxMessageSize, maxFrames, maxCommandSize: MAX_COMMAND_SIZE }, this);
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

  /** Begins the handshake. */
  start(): void {
    const { context, settings } = this.#host;
    this.#stopTimer = context.clock.after(settings.handshakeTimeoutMs, () => {
      this.fail(new TimeoutError(`No handshake within ${settings.handshakeTimeoutMs} ms`));
    });
    this.#connection.start(this);
    this.#connection.write(greeting(settings.minor));
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
    this.#outbox.add(frames);
    this.#touch();
  }

  /** Bytes queued that the connection does not take, because the peer does not read. */
  get unread(): number {
    return this.#blocked ? this.#outbox.bytes : 0;
  }

  /** Queues an encoded batch. */
  share(batch: Batch): void {
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
    const bytes = encodeSubscription(topic, on, this.#minor);
    this.share({ parts: [bytes], size: bytes.length, count: 0 });
  }

  /** Writes what the connection takes. */
  flush(): void {
    if (this.#blocked || this.#state !== "open" && this.#state !== "closing") return;
    this.#outbox.flush(this, this.#host.joins);
    if (this.#state === "closing" && !this.#blocked) this.#connection.end();
  }

  /** For {@link Outbox.flush} only. */
  write(chunk: Uint8Array): boolean {
    const goOn = this.#connection.write(chunk);
    if (!goOn) this.#blocked = true;
    return goOn;
  }

  /** Removes and returns what was queued and never written. */
  takeUnsent(): Batch[] {
    return this.#outbox.take();
  }

  // Receiving

  /** Stops reading: further messages wait at the peer. */
  pause(): void {
    this.#decoder.paused = true;
    this.#connection.pause();
  }

  get paused(): boolean {
    return this.#decoder.paused;
  }

  resume(): void {
    if (!this.#decoder.paused) return;
    this.#decoder.paused = false;
    this.#decode(undefined);
    if (!this.#decoder.paused && this.#state !== "closed") this.#connection.resume();
  }

  onData(chunk: Uint8Array): boolean {
    this.#heard = true;
    if (this.#stopTtl !== undefined) {
      this.#stopTtl();
      this.#stopTtl = undefined;
    }
    return this.#decode(chunk);
  }

  /** As {@link FrameDecoder.push}. */
  #decode(chunk: Uint8Array | undefined): boolean {
    try {
      if (this.#greeting !== undefined && chunk !== undefined) {
        chunk = this.#greet(this.#greeting, chunk);
        // What follows it is a view of the same chunk.
        if (chunk !== undefined) this.#decoder.push(chunk);
        this.#noteUnfinished();
        return false;
      }
      const copied = this.#decoder.push(chunk);
      this.#noteUnfinished();
      return copied;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.fail(error);
      return false;
    }
  }

  /** Reports to the socket how many bytes the incomplete message holds. */
  #noteUnfinished(): void {
    const { finished, pendingBytes } = this.#decoder;
    const bytes = this.#state === "closed" ? 0 : pendingBytes;
    if (bytes === this.#unfinished && (bytes === 0 || finished === this.#finished)) return;
    this.#unfinished = bytes;
    this.#finished = finished;
    this.#host.unfinished.note(this, bytes, finished);
  }

  /** Takes the greeting off the front; returns what follows it. */
  #greet(bytes: Uint8Array, chunk: Uint8Array): Uint8Array | undefined {
    const take = Math.min(GREETING_SIZE - this.#greetingFilled, chunk.length);
    bytes.set(chunk.subarray(0, take), this.#greetingFilled);
    this.#greetingFilled += take;
    checkGreeting(bytes, this.#greetingFilled);
    if (this.#greetingFilled < GREETING_SIZE) return undefined;
    const { type, settings } = this.#host;
    this.#minor = Math.min(agreedMinor(bytes), settings.minor) as 0 | 1;
    this.#greeting = undefined;
    // Not earlier: libzmq 4.3 closes the connection of a client that sends READY together with its greeting.
    this.#connection.write(encodeReady(type, WITH_IDENTITY.has(type) ? settings.identity ?? NO_IDENTITY : undefined));
    return take === chunk.length ? undefined : chunk.subarray(take);
  }

  onMessage(frames: Message): void {
    this.#host.peerMessage(this, frames);
  }

  onCommand(body: Uint8Array): void {
    const { name, data } = decodeCommand(body);
    if (this.#state === "handshake") {
      if (name === "READY") return this.#ready(data);
      if (name === "ERROR") throw new ProtocolError(`Refused by the peer: ${textOf(data.subarray(1))}`);
      throw new ProtocolError(`Cannot read handshake: expected READY, got ${JSON.stringify(name)}`);
    }
    switch (name) {
      case "PING":
        return this.#pong(data);
      case "PONG":
        return;
      case "SUBSCRIBE":
        return this.#host.peerSubscribed(this, data, true);
      case "CANCEL":
        return this.#host.peerSubscribed(this, data, false);
      case "ERROR":
        throw new ProtocolError(`Error from the peer: ${textOf(data.subarray(1))}`);
      default:
        // Commands of later versions (JOIN, LEAVE, HELLO) are ignored: they are no reason to disconnect.
        return;
    }
  }

  #ready(data: Uint8Array): void {
    const { type, settings, context } = this.#host;
    const properties = decodeProperties(data);
    const theirs = textOf(properties.get("socket-type") ?? NO_IDENTITY);
    if (!PARTNERS[type].includes(theirs as SocketType)) {
      this.#connection.write(encodeError("Invalid socket type"));
      throw new ProtocolError(`A ${type} socket cannot talk to ${JSON.stringify(theirs)}`);
    }
    const identity = properties.get("identity") ?? NO_IDENTITY;
    if (identity.length > 255 || identity[0] === 0) {
      throw new ProtocolError(
        "Cannot accept the peer's identity: expected at most 255 bytes, the first of them not zero",
      );
    }
    this.identity = identity;
    this.#state = "open";
    this.#decoder.commandsOnly = false;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (settings.heartbeatIntervalMs > 0 && this.#minor >= 1) {
      this.#stopTimer = context.clock.after(settings.heartbeatIntervalMs, () => this.#beat());
    }
    this.#host.peerOpened(this);
  }

  // Heartbeats

  #beat(): void {
    const { settings, context } = this.#host;
    if (this.#heard) {
      this.#heard = false;
      this.#stopTimer = context.clock.after(settings.heartbeatIntervalMs, () => this.#beat());
      return;
    }
    // While we do not read, we cause the silence ourselves.
    if (!this.#blocked) this.#connection.write(encodePing(settings.heartbeatTtlMs));
    this.#stopTimer = context.clock.after(settings.heartbeatTimeoutMs, () => {
      if (this.#heard || this.paused) return this.#beat();
      this.fail(new TimeoutError(`Nothing received within ${settings.heartbeatTimeoutMs} ms of a PING`));
    });
  }

  #pong(data: Uint8Array): void {
    if (data.length < 2) throw new ProtocolError("Cannot read PING: it is cut short");
    const ttlMs = (data[0]! * 256 + data[1]!) * 100;
    this.#stopTtl?.();
    this.#stopTtl = ttlMs === 0 ? undefined : this.#host.context.clock.after(ttlMs, () => {
      if (!this.paused) this.fail(new TimeoutError(`Nothing received within the ${ttlMs} ms that the peer announced`));
    });
    // A peer that does not read must not fill our memory with replies.
    if (!this.#blocked) this.#connection.write(encodeCommand("PONG", data.subarray(2, 18)));
  }

  // Ending

  onDrain(): void {
    if (!this.#blocked) return;
    this.#blocked = false;
    this.flush();
    if (this.#state === "open" && !this.#isFull()) this.#host.peerDrained(this);
  }

  onClose(error?: Error): void {
    this.#gone(error);
  }

  /** Sends what is queued, then closes; resolves once the connection is gone. */
  end(): Promise<void> {
    if (this.#state === "closed") return Promise.resolve();
    if (this.#state !== "open") {
      this.destroy();
      return Promise.resolve();
    }
    this.#state = "closing";
    this.#decoder.stop();
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
    this.#stopTtl?.();
    // What had arrived before is still delivered, unless the peer broke the protocol: see resume().
    if (error instanceof ProtocolError || !this.#decoder.paused) this.#decoder.stop();
    this.#host.peerClosed(this, error);
    this.#ended?.();
  }
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 255));
}
