import type { ListenOptions } from "../../runtime/net.ts";
import type { Message } from "./frame.ts";
import type { PubOptions, SocketOptions } from "./options.ts";
import type { PeerHandle, PeerInfo } from "./peer.ts";

/*
 * One interface for each pattern, implemented by Brine's sockets and by the adapter over libzmq (`native.ts`), and tested by
 * tests/contract/socket_contract.ts. Frames given to a socket belong to it: they MUST NOT be changed afterwards. Received
 * frames may be views of a larger buffer: copy frames that are kept for long.
 */

/** The methods that all patterns have. */
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
  /** Calls `handler` for each peer that has disconnected. */
  onDisconnect(handler: (peer: PeerInfo, error: Error | undefined) => void): void;
  /** The peers whose handshake is done; always empty with libzmq, which does not report them. */
  peers(): Iterable<PeerInfo>;
  /** Sends queued messages, for `lingerMs` at most, then closes. A second call does nothing. */
  close(): Promise<void>;
}

/** Receives messages: with a handler for all, or one at a time. */
export interface Receiver extends AsyncIterable<Message> {
  /** Calls `handler` for every message as it arrives; errors of the handler are logged. The high-water mark does not apply then. */
  onMessage(handler: (message: Message) => void): void;
  /** The next message: the message itself if one is queued, else a promise. Undefined after {@link Socket.close}. */
  receive(): Message | undefined | Promise<Message | undefined>;
}

/** PUB: sends to every subscriber of a prefix of the first frame. A subscriber at its high-water mark loses the message. */
export interface Pub extends Socket {
  /** Sends a message to every peer that subscribed to a prefix of its first frame. */
  send(message: Message | Uint8Array): void;
  /** The number of messages lost so far, because a subscriber was at its high-water mark; undefined if the socket library does not report it. */
  readonly dropped?: number;
}

/** SUB: receives the topics it has subscribed to; nothing before its first subscription. */
export interface Sub extends Socket, Receiver {
  /** Subscribes to messages whose first frame begins with `topic`; `""` means all. */
  subscribe(topic: Uint8Array | string): void;
  /** Ends a subscription; to be called as often as {@link Sub.subscribe} was. */
  unsubscribe(topic: Uint8Array | string): void;
  /** True if subscribers have to introduce themselves: with some transports, publishers send nothing before. */
  readonly introduces: boolean;
  /** Sends an introduction to the connected publishers. Does nothing if {@link Sub.introduces} is false. */
  introduce(message: Uint8Array): void;
}

/** PUSH: sends each message to one peer, in turn. */
export interface Push extends Socket {
  /** Returns nothing if the message was queued; if there is no room, a promise that the caller has to wait for. */
  send(message: Message | Uint8Array): void | Promise<void>;
}

/** PULL: receives from all peers. */
export interface Pull extends Socket, Receiver {}

/** DEALER: sends like PUSH, receives like PULL. */
export interface Dealer extends Push, Receiver {}

/** Options of one request. */
export interface RequestOptions {
  /** Cancels the request, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The time from the call to the reply in milliseconds, including the time in the queue. @default none */
  timeoutMs?: number;
}

/** REQ: one request, then its reply. */
export interface Req extends Socket {
  /**
   * Sends a request once earlier requests have their replies. After a timeout or an abort the connection is replaced by a new one,
   * so that a late reply cannot answer a later request.
   *
   * @throws {TimeoutError} and for an abort the signal's reason
   * @throws {SystemError} `ECONNRESET` if the connection was lost while waiting for the reply
   */
  request(message: Message | Uint8Array, options?: RequestOptions): Promise<Message>;
}

/** REP: replies to requests. */
export interface Rep extends Socket {
  /**
   * Replies to each request with the result of `handler`; requests of different peers run concurrently, those of one
   * peer in order. If the handler throws, the reply is one empty frame, since a REQ without a reply would be stuck.
   */
  serve(handler: (message: Message, peer: PeerHandle) => Message | Uint8Array | Promise<Message | Uint8Array>): void;
}

/** ROUTER: receives from all peers, and sends to the peer that the caller names. */
export interface Router extends Socket {
  /**
   * Reports that a peer's request gets no answer, or waits for something else than this process: a new connection may take its place
   * (`admitAtOnce`). A request that is answered needs no report.
   */
  settle?(peer: PeerHandle): void;
  /** The number of connections that wait for their handshake (`admitAtOnce`); undefined if the socket library does not report it. */
  readonly outside?: number;
  /** Calls `handler` with each message and the peer that sent it. */
  onMessage(handler: (peer: PeerHandle, frames: Message) => void): void;
  /** Returns false if the peer is gone or its queue is full: the message is dropped then. */
  send(peer: PeerHandle | Uint8Array, message: Message | Uint8Array): boolean;
}

/** Makes sockets: Brine's, or libzmq's. */
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
