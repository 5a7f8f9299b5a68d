/** HTTP servers and requests: all that the core knows about them. */
import type { Proxy } from "./proxy_net.ts";

export interface WebSocketHandlers {
  onOpen?(socket: WebSocketPeer): void;
  /** Called with each text message; a binary message closes the socket. */
  onMessage?(text: string, socket: WebSocketPeer): void;
  /** Called once, whichever side closed. */
  onClose?(): void;
}

/** The client at the other end of an open WebSocket. */
export interface WebSocketPeer {
  send(text: string): void;
  /** Bytes that were sent and that the operating system has not taken yet. */
  readonly buffered: number;
  close(code?: number, reason?: string): void;
}

/** The most bytes of a message from a client: clients of the gateway send only a few words. A larger message closes the socket. */
export const MAX_SOCKET_MESSAGE = 65_536;

/**
 * The client that sent a request, and what can be done with its connection.
 *
 * @internal
 */
export interface HttpPeer {
  /** The address without the port: `"127.0.0.1"`, for IPv4 also on a dual-stack socket; `""` if there is none. */
  readonly address: string;
  /**
   * Turns the connection into a WebSocket. The handler MUST return the response that this returns.
   *
   * @throws {TypeError} if the request did not ask for one, or the host has no WebSockets
   */
  upgrade(handlers: WebSocketHandlers): Response;
  /**
   * Marks the response as a stream that may be silent for long: idle timers then ignore this connection. To be called only for a
   * caller that has proven its identity.
   */
  keepOpen(): void;
  /** Marks the caller as authenticated: its connection is not closed in favor of others while the request lasts. */
  known(): void;
}

/** Answers a request; MUST NOT throw. The request's signal aborts when the client disconnects before the response is complete. */
export type HttpHandler = (request: Request, peer: HttpPeer) => Response | Promise<Response>;

/** A certificate with its key, as PEM; the certificate may be followed by its chain. */
export interface TlsPair {
  cert: string;
  key: string;
}

export interface HttpServeOptions {
  host: string;
  /** 0 for any free port. */
  port: number;
  /** Connections waiting to be accepted. @default 511 */
  backlog?: number;
  /** The certificate and key of an HTTPS server. @default plain HTTP */
  tls?: TlsPair;
  /** How long a connection may take for the head of a request, and be idle between two, in milliseconds. @default 20000 */
  headTimeoutMs?: number;
  /**
   * Connections at once, and those of one address (for IPv6: one /64) unless it `isShared` by many clients. Where there is no room,
   * the server closes one without a request first. `descriptors` is what all of them together may take of the process: more than one each
   * on some runtimes. @default no limits
   */
  connections?: { most: number; mostOfOne: number; descriptors?: number; isShared?(address: string): boolean };
}

export interface HttpServer extends AsyncDisposable {
  /** The actual port: never 0. */
  readonly port: number;
  /** Uses another certificate for new connections. Does nothing without TLS. */
  reloadTls(pair: TlsPair): Promise<void>;
  /**
   * Stops accepting, lets requests in progress finish for `graceMs` milliseconds, then ends the rest: their clients get an
   * error or 503. Resolves when all are closed; a second call is harmless, and resolves at the same time. Open WebSockets are
   * closed at once, with code 1001.
   *
   * @param graceMs @default 0
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * HTTP as the core needs it of a runtime.
 *
 * @internal
 */
export interface Http {
  /** Starts a server. @throws {SystemError} `EADDRINUSE`, `EACCES` */
  serve(handler: HttpHandler, options: HttpServeOptions): Promise<HttpServer>;
  /**
   * Sends one request over http or https. The body of the response is as the server sent it, whatever its content-encoding; a
   * redirection is a response like any other. The body MUST fail where the connection breaks off before its end. The environment's
   * proxies MUST NOT be used.
   */
  request(url: string, request: HttpRequest): Promise<Response>;
}

/** What is sent to a server. */
export interface HttpRequest {
  /** The HTTP method. @default GET */
  method?: string;
  headers?: Headers;
  body?: Uint8Array;
  /** Ends the request, also while its body is read. */
  signal?: AbortSignal;
  /** The authorities to trust and the client's own certificate, for https. */
  tls?: HttpTrust;
  /** The proxy that is asked for the address. For https it only relays bytes and sees no content. @default none */
  proxy?: Proxy;
  /** Time for the connection, with the proxy and TLS, in milliseconds. @default 30000 */
  connectMs?: number;
}

export interface HttpTrust {
  /** False takes any certificate. @default true */
  verify?: boolean;
  /** Certificates of authorities, as PEM, instead of the host's. */
  ca?: string;
  /** The client's certificate, as PEM, and its key; the key may be in the same text as the certificate. */
  cert?: string;
  key?: string;
}

/** Close codes of WebSockets: the server stops; a message was not text; a message was too large. */
export const GOING_AWAY = 1001;
export const NOT_TEXT = 1003;
export const TOO_LARGE = 1009;

/** The address of a peer for display: IPv4 clients of a dual-stack socket arrive as `::ffff:127.0.0.1`. */
export function plainAddress(address: string | undefined): string {
  return (address ?? "").replace(/^::ffff:(?=\d+\.)/, "");
}
