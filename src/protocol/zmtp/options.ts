import { ConnectionLimit } from "./connection_limit.ts";

/** Settings of a socket. Durations are in milliseconds, sizes in bytes. */
export interface SocketOptions {
  /**
   * The most messages that wait for one peer, without those that its connection has taken; 0: no limit. At the limit, PUB drops
   * for that subscriber, ROUTER and REP drop and report it, PUSH and DEALER wait, REQ (for its own queue) rejects.
   * @default 1000
   */
  sendHighWaterMark?: number;
  /** The most bytes of messages that wait for one peer; one message always fits. 0: no limit. @default 67108864 (64 MiB) */
  sendHighWaterBytes?: number;
  /** The number of messages received and not yet read by the caller, of all peers together, at which reading stops. 0: no limit. @default 1000 */
  receiveHighWaterMark?: number;
  /** The name by which a ROUTER knows this socket: 1 to 255 bytes, the first not zero. REQ, DEALER and ROUTER send it. */
  identity?: Uint8Array;
  /** The most bytes of a message: a peer that announces a larger one is disconnected. @default 268435456 (256 MiB) */
  maxMessageSize?: number;
  /** Counts and bounds the incoming connections; several sockets may share one. @default no bound */
  connectionLimit?: ConnectionLimit;
  /**
   * The most incoming connections at once whose handshake is not done, or whose first request is not answered; fewer if fewer are
   * answered in a second. Others wait before their handshake. For ROUTER and REP. @default no bound
   */
  admitAtOnce?: number;
  /** The most frames of a message: a peer that sends more is disconnected. @default 1024 */
  maxFrames?: number;
  /**
   * The most bytes held for incomplete messages of all peers together. Above the limit, the host that holds most for longest loses
   * a message. @default 536870912 (512 MiB)
   */
  unfinishedBytes?: number;
  /** The most bytes held for incomplete messages of peers on known hosts, which are counted separately. @default unfinishedBytes */
  unfinishedBytesKnown?: number;
  /** The share of one known host in these; what its peers hold beyond it counts as that of unknown hosts. @default unfinishedBytesKnown */
  unfinishedBytesOf?: (host: string) => number;
  /** Whether a host (`10.0.0.7`) has authenticated as one of ours. @default none has */
  knownHost?: (host: string) => boolean;
  /** The time for the next 64 KiB of an incomplete message: a slower peer is disconnected. @default 30000 */
  stallTimeoutMs?: number;
  /** The time for a message from its first byte to its last: a slower peer is disconnected. @default 900000 */
  messageTimeoutMs?: number;
  /** Time a peer has from connecting to the end of the handshake. @default 30000 */
  handshakeTimeoutMs?: number;
  /** Silence after which a peer is sent a PING; 0 sends none. PINGs of peers are always answered. @default 0 */
  heartbeatIntervalMs?: number;
  /** Silence after a PING after which the peer is disconnected. @default heartbeatIntervalMs */
  heartbeatTimeoutMs?: number;
  /** Silence after which the peer should close the connection, sent with each PING; 0 sends none. @default 0 */
  heartbeatTtlMs?: number;
  /** The first wait before dialling again. @default 100 */
  reconnectInitialMs?: number;
  /** The longest wait before dialling again; each failure doubles it up to here. @default 5000 */
  reconnectMaxMs?: number;
  /** Share of each wait that is random, so that a fleet does not reconnect all at once: 0 to 1. @default 0.5 */
  reconnectJitter?: number;
  /** Time one dial may take. @default 30000 */
  dialTimeoutMs?: number;
  /** How long `close()` continues to send queued messages; 0 drops them at once, Infinity waits forever. @default 1000 */
  lingerMs?: number;
  /** TCP keep-alive: idle seconds before the first probe; false turns it off. @default 300 */
  keepAliveIdle?: number | false;
  /** Which addresses of a name are dialled, as in `DialOptions`. @default as the system orders them */
  family?: 4 | 6 | undefined;
  /** The minor ZMTP version to announce. @default 1 */
  minor?: 0 | 1;
}

export type SocketSettings = Required<Omit<SocketOptions, "identity" | "family">> & {
  identity: Uint8Array | undefined;
  family: 4 | 6 | undefined;
};

const unlimited = (value: number | undefined, standard: number) => value === 0 ? Infinity : value ?? standard;

/** The options with their defaults. @throws {RangeError} for an identity that no ROUTER may accept */
export function socketSettings(options: SocketOptions): SocketSettings {
  const { identity, heartbeatIntervalMs = 0 } = options;
  if (identity !== undefined && (identity.length === 0 || identity.length > 255 || identity[0] === 0)) {
    throw new RangeError("Cannot use that identity: expected 1 to 255 bytes, the first of them not zero");
  }
  return {
    identity,
    sendHighWaterMark: unlimited(options.sendHighWaterMark, 1000),
    sendHighWaterBytes: unlimited(options.sendHighWaterBytes, 2 ** 26),
    receiveHighWaterMark: unlimited(options.receiveHighWaterMark, 1000),
    maxMessageSize: options.maxMessageSize ?? 2 ** 28,
    maxFrames: options.maxFrames ?? 1024,
    connectionLimit: options.connectionLimit ??
      new ConnectionLimit({ maxConnections: Infinity, knownHost: () => false }),
    admitAtOnce: options.admitAtOnce ?? Infinity,
    unfinishedBytes: options.unfinishedBytes ?? 2 ** 29,
    unfinishedBytesKnown: options.unfinishedBytesKnown ?? options.unfinishedBytes ?? 2 ** 29,
    unfinishedBytesOf: options.unfinishedBytesOf ?? (() => Infinity),
    knownHost: options.knownHost ?? (() => false),
    stallTimeoutMs: options.stallTimeoutMs ?? 30_000,
    messageTimeoutMs: options.messageTimeoutMs ?? 900_000,
    handshakeTimeoutMs: options.handshakeTimeoutMs ?? 30_000,
    heartbeatIntervalMs,
    heartbeatTimeoutMs: options.heartbeatTimeoutMs ?? heartbeatIntervalMs,
    heartbeatTtlMs: options.heartbeatTtlMs ?? 0,
    reconnectInitialMs: options.reconnectInitialMs ?? 100,
    reconnectMaxMs: options.reconnectMaxMs ?? 5000,
    reconnectJitter: options.reconnectJitter ?? 0.5,
    dialTimeoutMs: options.dialTimeoutMs ?? 30_000,
    lingerMs: options.lingerMs ?? 1000,
    keepAliveIdle: options.keepAliveIdle ?? 300,
    family: options.family,
    minor: options.minor ?? 1,
  };
}

/** Options of a PUB socket. */
export interface PubOptions extends SocketOptions {
  /** The most topics of a subscriber: one that asks for more is disconnected. @default 10000 */
  maxTopics?: number;
}
