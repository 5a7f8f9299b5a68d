import type { Clock } from "../../base/async/clock.ts";
import type { Connection } from "../../runtime/net.ts";
import type { SocketType } from "./command.ts";
import type { Message } from "./frame.ts";
import type { Settings } from "./options.ts";
import type { Batch } from "./outbox.ts";

/**
 * How messages travel over connections. ZMTP is one way; the transports of `src/protocol/transport` are others, under the same sockets
 * with the same bounds.
 *
 * @internal
 */
export interface Wire {
  /** What a peer is called in messages: `a ZeroMQ peer`. */
  readonly peer: string;
  /** False if a peer that was reached may still be none: then a connection counts as good only once something has arrived over it. */
  readonly shakesHands: boolean;
  /** True if a publisher sends only to subscribers that have said who they are. @default false */
  readonly introduces?: boolean;
  /** A message in the form in which every subscriber receives it. */
  encodePublication(frames: Message): Batch;
  /** Begins with one peer. Nothing is written before {@link Conversation.start}. */
  converse(line: Line): Conversation;
}

/** Both directions of one connection: its handshake, then messages. */
export interface Conversation {
  /** The connection is there: the first bytes may be written. */
  start(): void;
  /**
   * Reads a chunk; without one, what was kept while paused. Returns true if all of it was copied, and none of it is needed any more.
   *
   * @throws {ProtocolError} for bytes that break the protocol; the connection is closed then
   */
  push(chunk?: Uint8Array): boolean;
  /** While true, {@link Line.message} MUST NOT be called; what arrives is kept. */
  paused: boolean;
  /** Bytes held for what is incomplete, and for what is not delivered yet. */
  readonly pendingBytes: number;
  /** Messages delivered so far. */
  readonly finished: number;
  /** A message in wire form. @default undefined: the outbox writes it, as ZMTP frames */
  readonly encode?: ((frames: Message) => Batch) | undefined;
  /** Wire form of a subscription; undefined where the publisher sends everything. */
  subscription(topic: Uint8Array, on: boolean): Batch | undefined;
  /** What to write last, before a connection is closed in order. */
  readonly farewell?: Uint8Array | undefined;
  /** Reads no more: what is incomplete is dropped. Delivered messages stay valid. */
  stop(): void;
  /** Called once when the connection is gone: stops timers. */
  close(): void;
}

/** What a {@link Conversation} is given: the connection, and where to deliver. */
export interface Line {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly type: SocketType;
  /** `tcp://10.0.0.7:51312`. */
  readonly remote: string;
  /** The endpoint that was dialled; undefined for an incoming connection. */
  readonly endpoint: string | undefined;
  /** True while the peer does not read, so that nothing but messages should be written. */
  readonly blocked: boolean;
  /** Writes at once, between messages: parts of the handshake, replies to a PING. */
  write(bytes: Uint8Array): void;
  /** The handshake is done. May throw a ProtocolError: the peer is refused. */
  opened(identity: Uint8Array): void;
  /** Frames may be views of the chunk that was read. */
  message(frames: Message): void;
  /** The peer subscribed or unsubscribed. May throw a ProtocolError. */
  subscribed(topic: Uint8Array, on: boolean): void;
  /** Closes the connection for a reason that is logged. */
  fail(error: Error): void;
  /** Sends what is queued, then closes. */
  end(): unknown;
  /**
   * Leaves the connection to another socket before the handshake is done. The connection that is returned begins with `seen`,
   * and MUST be started in the same turn.
   */
  handOver(seen: Uint8Array): Connection;
}
