import type { Clock } from "../../base/async/clock.ts";
import type { Connection } from "../../runtime/net.ts";
import type { SocketType } from "./command.ts";
import type { Message } from "./frame.ts";
import type { SocketSettings } from "./options.ts";
import type { OutboxBatch } from "./outbox.ts";

/**
 * How messages travel over connections. ZMTP is one way; the transports of `src/protocol/transport` are others, under the same sockets
 * with the same bounds.
 *
 * @internal
 */
export interface Wire {
  /** The name of a peer in messages: `a ZeroMQ peer`. */
  readonly peer: string;
  /** True if there is a handshake. Without one, a connection counts as good only once data has arrived, since any program may have accepted it. */
  readonly shakesHands: boolean;
  /** True if a publisher sends only to subscribers that have introduced themselves. @default false */
  readonly introduces?: boolean;
  /** Encodes a message in the form that every subscriber receives. */
  encodePublication(frames: Message): OutboxBatch;
  /** Begins a conversation with one peer. Nothing is written before {@link Conversation.start}. */
  converse(line: Line): Conversation;
}

/** Both directions of one connection: its handshake, then messages. */
export interface Conversation {
  /** Called when the connection is open: the first bytes may be written. */
  start(): void;
  /**
   * Reads a chunk; without an argument, the bytes that were kept while paused. Returns true if the chunk was copied and can be reused.
   *
   * @throws {ProtocolError} for bytes that break the protocol; the connection is closed then
   */
  push(chunk?: Uint8Array): boolean;
  /** While true, {@link Line.message} MUST NOT be called; bytes that arrive are kept. */
  paused: boolean;
  /** The bytes held for incomplete messages, and for messages that are not delivered yet. */
  readonly pendingBytes: number;
  /** The number of messages delivered so far. */
  readonly finished: number;
  /** Encodes a message for the wire. @default undefined: the outbox writes it as ZMTP frames */
  readonly encode?: ((frames: Message) => OutboxBatch) | undefined;
  /** Encodes a subscription; undefined if the publisher sends everything. */
  subscription(topic: Uint8Array, on: boolean): OutboxBatch | undefined;
  /** The last bytes to write before a connection is closed normally. */
  readonly farewell?: Uint8Array | undefined;
  /** Stops reading: incomplete messages are dropped. Delivered messages stay valid. */
  stop(): void;
  /** Called once when the connection has ended: stops timers. */
  close(): void;
}

/** The connection of a {@link Conversation}, and the receiver of its messages. */
export interface Line {
  readonly clock: Clock;
  readonly settings: SocketSettings;
  readonly type: SocketType;
  /** The name of the connection, such as `tcp://10.0.0.7:51312`. */
  readonly remote: string;
  /** The endpoint that was dialled; undefined for an incoming connection. */
  readonly endpoint: string | undefined;
  /** True while the peer does not read, so that only messages should be written. */
  readonly blocked: boolean;
  /** Writes bytes at once, between messages: parts of the handshake, replies to a PING. */
  write(bytes: Uint8Array): void;
  /** Called when the handshake is done. May throw a ProtocolError to refuse the peer. */
  opened(identity: Uint8Array): void;
  /** Called with each message, whose frames may be views of the chunk that was read. */
  message(frames: Message): void;
  /** Called when the peer subscribes or unsubscribes. May throw a ProtocolError. */
  subscribed(topic: Uint8Array, on: boolean): void;
  /** Closes the connection for a reason that is logged. */
  fail(error: Error): void;
  /** Sends queued messages, then closes. */
  end(): unknown;
  /**
   * Hands the connection over to another socket before the handshake is done. The returned connection begins with the bytes `seen`,
   * and MUST be started in the same turn.
   */
  handOver(seen: Uint8Array): Connection;
}
