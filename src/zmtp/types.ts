import type { ListenOptions } from "../runtime/net.ts";
import type { Message } from "./frame.ts";
import type { PubOptions, SocketOptions } from "./options.ts";
import type { PeerHandle, PeerInfo } from "./peer.ts";

/*
 * One interface for each pattern, kept by our sockets and by the adapter over libzmq (`native.ts`), and pinned by
 * tests/contract/socket_contract.ts. Frames given to a socket belong to it: they MUST NOT be changed afterwards. Frames
 * received may be views of a larger buffer: copy what is kept for long.
 */

/** What all patterns have in common. */
export interface Socket extends AsyncDisposable {
  /**
   * Listens; resolves to the real endpoint, with the port that was chosen for port 0.
   *
   * @throws {SystemError} `EADDRINUSE`, `EACCES`…
   */
  bind(endpoint: string, options?: ListenOptions): Promise<string>;
  /** Keeps a connection to that endpoint until {@link Socket.close}; returns at once. */
  connect(endpoint: string): void;
  /** Calls `handler` for each peer whose handshake is done from now on. */
  onConnect(handler: (peer: PeerInfo) => void): void;
  /** Calls `handler` for each peer that has gone. */
  onDisconnect(handler: (peer: PeerInfo, error: Error | undefined) => void): void;
  /** The peers whose handshake is done; none where the library does not tell (libzmq). */
  peers(): Iterable<PeerInfo>;
  /** Sends what is queued, for `lingerMs` at most, then closes. Twice is harmless. */
  close(): Promise<void>;
}

/** Receives, one way or the other: a handler for all, or one at a time. */
export interface Receiver extends AsyncIterable<Message> {
  /** Takes every message at once; what it throws is logged. No high-water mark holds then. */
  onMessage(handler: (message: Message) => void): void;
  /** The next message: itself if one is queued, otherwise a promise. Undefined after {@link Socket.close}. */
  receive(): Message | undefined | Promise<Message | undefined>;
}

/** PUB: to every subscriber of a prefix of the first frame. A subscriber at its high-water mark loses the message. */
export interface Pub extends Socket {
  /** Sends a message to every subscriber of its first frame's beginning. */
  send(message: Message | Uint8Array): void;
}

/** SUB: receives what it has subscribed to, and nothing before. */
export interface Sub extends Socket, Receiver {
  /** Asks for messages whose first frame begins with `topic`; `""` is all. */
  subscribe(topic: Uint8Array | string): void;
  /** Ends a subscription; it must be given as often as it was made. */
  unsubscribe(topic: Uint8Array | string): void;
}

/** PUSH: each message to one peer in turn. */
export interface Push extends Socket {
  /** Returns nothing if the message was queued, else a promise: there is no room, and whoever sends has to wait. */
  send(message: Message | Uint8Array): void | Promise<void>;
}

/** PULL: receives from all peers. */
export interface Pull extends Socket, Receiver {}

/** DEALER: sends like PUSH, receives like PULL. */
export interface Dealer extends Push, Receiver {}

/** How one request is made. */
export interface RequestOptions {
  /** Gives the request up: it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** From this call to the reply, time in the queue included. @default none */
  timeoutMs?: number;
}

/** REQ: a question, then its answer. */
export interface Req extends Socket {
  /**
   * Sends once those asked before are answered. After a timeout or an abort the connection is given up for a new one, so
   * that a late reply cannot answer a later request.
   *
   * @throws {TimeoutError} and for an abort the signal's reason
   * @throws {SystemError} `ECONNRESET` if the connection was lost while waiting for the reply
   */
  request(message: Message | Uint8Array, options?: RequestOptions): Promise<Message>;
}

/** REP: answers questions. */
export interface Rep extends Socket {
  /**
   * Answers each request with what `handler` makes of it; requests of different peers run concurrently, those of one
   * peer in order. If it throws, the answer is one empty frame, for a REQ without an answer is stuck.
   */
  serve(handler: (message: Message, peer: PeerHandle) => Message | Uint8Array | Promise<Message | Uint8Array>): void;
}

/** ROUTER: receives from all, and sends to the one it names. */
export interface Router extends Socket {
  /** Calls `handler` with each message and the peer that sent it. */
  onMessage(handler: (peer: PeerHandle, frames: Message) => void): void;
  /** False if the peer is gone or its queue is full: the message is dropped then. */
  send(peer: PeerHandle | Uint8Array, message: Message | Uint8Array): boolean;
}

/** A maker of sockets: ours, or libzmq's. */
export interface SocketFactory {
  /** The library behind the sockets, for logs. */
  readonly name: string;
  /** Makes a PUB socket. */
  pub(options?: PubOptions): Pub;
  /** Makes a SUB socket. */
  sub(options?: SocketOptions): Sub;
  /** Makes a PUSH socket. */
  push(options?: SocketOptions): Push;
  /** Makes a PULL socket. */
  pull(options?: SocketOptions): Pull;
  /** Makes a REQ socket. */
  req(options?: SocketOptions): Req;
  /** Makes a REP socket. */
  rep(options?: SocketOptions): Rep;
  /** Makes a ROUTER socket. */
  router(options?: SocketOptions): Router;
  /** Makes a DEALER socket. */
  dealer(options?: SocketOptions): Dealer;
}
