/** Sockets: all that the core knows about them. */

/**
 * Where to dial or listen: a TCP address or the path of a Unix socket.
 *
 * @internal
 */
export type SocketAddress =
  | { kind: "tcp"; host: string; /** 0 when listening: any free port. */ port: number }
  | { kind: "unix"; path: string };

/**
 * A byte stream to one peer.
 *
 * - Bytes MUST arrive in order; a chunk MUST NOT be changed by the adapter once it has been handed over.
 * - `onData` MUST NOT be called before {@link Connection.start}, nor after `onClose`.
 * - `onClose` MUST be called exactly once per started connection, whichever side closed, and never from inside `write`,
 *   `end`, `destroy` or `start`: a caller must not find its connection closed in the middle of its own call.
 * - A connection that is never started MUST NOT take more than a bounded amount of the peer's bytes.
 *
 * Callbacks rather than an async iterable: one promise a chunk costs more than a small ZeroMQ message does.
 */
export interface Connection {
  /** `tcp://10.0.0.7:51312` or `ipc:///path`; for logs and for the origin of a peer. */
  readonly remote: string;
  readonly local: string;
  /**
   * For an incoming TLS connection: resolves once the handshake is done. Nothing MUST be written before, and `onData` MUST NOT be
   * called before it has resolved for all who wait for it. If the handshake fails, it rejects, and `onClose` gets a `TlsError` with the reason. Undefined for other connections.
   */
  readonly secured?: Promise<void> | undefined;
  /** Begins delivery of data. To be called once. */
  start(handlers: ConnectionHandlers): void;
  /**
   * Passes bytes to the runtime, which owns them from then on. False means that its buffer is full: continue after `onDrain`.
   * After a close, `write` does nothing.
   */
  write(chunk: Uint8Array): boolean;
  /** Bytes passed to `write` and not yet taken by the operating system. */
  readonly buffered: number;
  /** Stops and resumes delivery of data: back-pressure towards the peer. */
  pause(): void;
  resume(): void;
  /** Sends the buffered bytes, then closes. A second call does nothing. */
  end(): void;
  /** Closes at once. A second call does nothing. */
  destroy(): void;
}

export interface ConnectionHandlers {
  /** Returns true if all of the chunk was copied and none of it is needed any more: its memory may be reused. */
  onData(chunk: Uint8Array): boolean | void;
  /** Called when the buffer has room again. */
  onDrain?(): void;
  /** Called when the connection is closed, with an error if it did not end normally. */
  onClose(error?: Error): void;
}

export interface Listener {
  /** The real address: the port is never 0 here. */
  readonly address: SocketAddress;
  /** Stops accepting; connections already accepted stay open. A Unix path is removed. */
  close(): Promise<void>;
}

/** The certificate of one side, and the authorities that this side trusts, as PEM. */
export interface TlsOptions {
  /** The certificate of this side, followed by those of intermediate authorities. @default none */
  certificate?: string | undefined;
  key?: string | undefined;
  /** Authorities that may sign the other side's certificate. @default those of the runtime */
  authorities?: string | undefined;
  /** The ciphers, in OpenSSL's notation. @default the runtime's */
  ciphers?: string | undefined;
  /** The lowest version of TLS. @default the runtime's, TLS 1.2 at least */
  minVersion?: "TLSv1.2" | "TLSv1.3" | undefined;
  maxVersion?: "TLSv1.2" | "TLSv1.3" | undefined;
}

/** TLS of a connection that is dialled. */
export interface TlsDial extends TlsOptions {
  /** What is checked of the other side: its certificate and that it is for the name that was dialled, the certificate alone, or nothing. */
  verify: "name" | "certificate" | "nothing";
  /** The name to check. @default the host that is dialled */
  serverName?: string | undefined;
}

/** TLS of connections that are accepted. */
export interface TlsListen extends TlsOptions {
  /** Whether clients have to show a certificate; one that is shown is always checked, unless they are not asked for any. */
  clients: "required" | "optional" | "not asked";
}

export interface DialOptions {
  signal?: AbortSignal;
  /** Gives up after this many milliseconds. @default 30000 */
  timeoutMs?: number;
  /** TCP keep-alive: idle seconds before the first probe; false turns it off. @default 300 */
  keepAliveIdle?: number | false;
  /** The addresses of a name that are used. 6: IPv6, or IPv4 if the name has no IPv6 address; 4: only IPv4. @default as the system orders them */
  family?: 4 | 6 | undefined;
  /** The local end of a TCP connection; a missing host is any address, a missing or 0 port any free one. */
  local?: { host?: string; port?: number } | undefined;
  /**
   * Work on the plain connection before it is used, such as asking a proxy to connect on. `prepare` starts the connection; the connection
   * that `dial` resolves to is a new one, which begins with the byte after those that were delivered. Its time counts towards
   * `timeoutMs`.
   */
  prepare?: ((connection: Connection, signal: AbortSignal) => Promise<void>) | undefined;
  /** Speaks TLS; `dial` resolves once the handshake is done. @default none */
  tls?: TlsDial | undefined;
}

/**
 * How a listener accepts.
 *
 * @internal
 */
export interface ListenOptions {
  /** Connections waiting to be accepted. @default 1000 */
  backlog?: number;
  /** Mode of a Unix socket, set before any process can connect. @default 0o600 */
  mode?: number | undefined;
  /** With host `::`, accept IPv4 too. @default true */
  dualStack?: boolean;
  /** TCP keep-alive of accepted connections, as in {@link DialOptions}. @default 300 */
  keepAliveIdle?: number | false;
  /** The descriptor of a listening TCP socket that this process inherited, which is used instead of the address. @default opens a socket */
  descriptor?: number | undefined;
  /** Accepts TLS only. Connections are accepted before their handshake: see {@link Connection.secured}. @default none */
  tls?: TlsListen | undefined;
}

export interface DatagramOptions {
  /** True if the address is a broadcast address, for all hosts of a network. @default false */
  broadcast?: boolean;
  /** How long to wait for a reply, in milliseconds. @default 0: does not wait */
  answerMs?: number;
}

/**
 * Byte streams as the core needs them of a runtime.
 *
 * @internal
 */
export interface Net {
  /**
   * Connects; names are looked up again each time.
   *
   * @throws {SystemError} with `errno` such as `ECONNREFUSED`, `ENOENT`, `ENOTFOUND`, `ETIMEDOUT`
   * @throws {TlsError} if the TLS handshake fails
   */
  dial(to: SocketAddress, options?: DialOptions): Promise<Connection>;
  /**
   * Listens; `accept` is called with each connection. A Unix socket left behind by a dead process is replaced, a live
   * one, or a file that is not a socket, is `EADDRINUSE`.
   *
   * @throws {SystemError} with `errno` such as `EADDRINUSE`, `EADDRNOTAVAIL`, `EACCES`
   */
  listen(at: SocketAddress, accept: (connection: Connection) => void, options?: ListenOptions): Promise<Listener>;
  /**
   * Sends one UDP datagram, and returns the first reply; undefined if none arrived in time.
   *
   * @param to an address, not a name
   * @throws {SystemError} with `errno` such as `EACCES`, `ENETUNREACH`; `ECONNREFUSED` if the host reports that no process listens
   */
  datagram(
    to: { host: string; port: number },
    data: Uint8Array,
    options?: DatagramOptions,
  ): Promise<Uint8Array | undefined>;
  /**
   * Sends one datagram to a Unix socket, such as `/dev/log` or systemd's notify socket, at once: a receiver whose queue is full
   * does not get it. Absent where the runtime cannot open such sockets.
   *
   * @param path from the root, or an abstract name after `@`
   * @throws {SystemError} `EINVAL` for another path, else `EIO`
   */
  unixDatagram?(path: string, data: Uint8Array): void;
}

/** `tcp://host:port` (IPv6 in brackets) or `ipc://path`. */
export function printAddress(address: SocketAddress): string {
  if (address.kind === "unix") return `ipc://${address.path}`;
  return `tcp://${address.host.includes(":") ? `[${address.host}]` : address.host}:${address.port}`;
}

/**
 * The network that counts as one host: for IPv4 the address, for IPv6 its /64, since one host can use all addresses of a /64.
 *
 * @param address without port or brackets; IPv4 also in the form that dual-stack sockets report
 */
export function networkOf(address: string): string {
  const plain = address.split("%")[0]!;
  if (!plain.includes(":")) return plain;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain);
  if (mapped !== null) return mapped[1]!;
  const [front = "", back] = plain.split("::");
  const groups = front === "" ? [] : front.split(":");
  if (back !== undefined) {
    const tail = back === "" ? [] : back.split(":");
    while (groups.length + tail.length < 8) groups.push("0");
    groups.push(...tail);
  }
  return `${groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}
