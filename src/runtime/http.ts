/** All that the core knows about serving HTTP. */

/** A listener's view of one WebSocket. */
export interface WebSocketHandlers {
  onOpen?(socket: WebSocketPeer): void;
  /** Text only; a binary message closes the socket. */
  onMessage?(text: string, socket: WebSocketPeer): void;
  /** Called once, whichever side closed. */
  onClose?(): void;
}

/** One WebSocket that is open. */
export interface WebSocketPeer {
  send(text: string): void;
  /** Bytes handed over and not yet taken by the operating system. */
  readonly buffered: number;
  close(code?: number, reason?: string): void;
}

/** Who sent a request, and what can be done with its connection. */
export interface HttpPeer {
  /** The address without the port: `"127.0.0.1"`; `""` where there is none. */
  readonly address: string;
  /**
   * The answer that turns the connection into a WebSocket. MUST be what the handler then returns.
   *
   * @throws {TypeError} where the host cannot do it
   */
  upgrade(handlers: WebSocketHandlers): Response;
  /** The answer is a stream that may be silent for long: timers of idle connections do not count for it. */
  keepOpen(): void;
}

/** Answers a request; MUST NOT throw. */
export type HttpHandler = (request: Request, peer: HttpPeer) => Response | Promise<Response>;

/** A certificate with its key, as PEM; the certificate may be followed by its chain. */
export interface TlsPair {
  cert: string;
  key: string;
}

export interface HttpServeOptions {
  host: string;
  /** 0 takes any free one. */
  port: number;
  /** Connections waiting to be accepted. @default 511 */
  backlog?: number;
  /** @default plain HTTP */
  tls?: TlsPair;
  /** How long a connection may take for the head of a request, and be idle between two, in milliseconds. @default 20000 */
  headTimeoutMs?: number;
}

/** A server that listens. */
export interface HttpServer extends AsyncDisposable {
  /** The real one: never 0. */
  readonly port: number;
  /** Uses another certificate for connections from now on. */
  reloadTls(pair: TlsPair): Promise<void>;
  /**
   * Stops accepting, lets requests in progress end for `graceMs`, then closes what is left. Resolves when all is closed;
   * twice is harmless.
   */
  close(graceMs?: number): Promise<void>;
}

export interface Http {
  /** @throws {SystemError} `EADDRINUSE`, `EACCES` */
  serve(handler: HttpHandler, options: HttpServeOptions): Promise<HttpServer>;
}
