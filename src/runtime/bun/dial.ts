/**
 * Dials with Bun's own sockets: `node:net`, with the streams that it needs, takes 12 ms to load, half of what a command costs. TLS,
 * proxies and names are left to `node:net`.
 */
import { codeOf } from "../../base/errors.ts";
import { releaseWhole } from "../bytes.ts";
import {
  type Connection,
  type ConnectionHandlers,
  type DialOptions,
  type Net,
  printAddress,
  type SocketAddress,
} from "../net.ts";
import { explain } from "../node/net.ts";

/** A socket of `Bun.connect`, as far as it is used here. */
export interface BunSocket {
  /** Returns how many bytes the system has taken; -1 if the socket is closed. */
  write(bytes: Uint8Array): number;
  /** Sends what is written, then the end; data is still received. */
  shutdown(): void;
  /** Closes at once. */
  close(): void;
  pause(): void;
  resume(): void;
  setNoDelay(on: boolean): void;
  setKeepAlive(on: boolean, idleMs: number): void;
  readonly localAddress: string;
  readonly localPort: number;
}

interface BunGlobal {
  connect(options: Record<string, unknown>): Promise<BunSocket>;
}

/** Bytes that may wait for the system before `write` says that there is no room. */
const ROOM = 65_536;

/** A {@link Connection} over a socket of Bun. */
export class BunConnection implements Connection {
  readonly remote: string;
  readonly local: string;
  readonly #socket: BunSocket;
  #handlers: ConnectionHandlers | undefined;
  /** Data that came before the start. */
  #early: Uint8Array[] = [];
  #waiting: Uint8Array[] = [];
  #isFull = false;
  #isEnding = false;
  #isClosed = false;
  #error: Error | undefined;
  buffered = 0;

  constructor(socket: BunSocket, to: SocketAddress) {
    this.#socket = socket;
    this.remote = printAddress(to);
    this.local = to.kind === "unix"
      ? this.remote
      : printAddress({ kind: "tcp", host: socket.localAddress, port: socket.localPort });
    socket.pause();
  }

  start(handlers: ConnectionHandlers): void {
    this.#handlers = handlers;
    const early = this.#early;
    this.#early = [];
    if (early.length > 0) queueMicrotask(() => early.forEach((chunk) => this.#isClosed || this.received(chunk)));
    if (this.#isClosed) queueMicrotask(() => handlers.onClose(this.#error));
    else this.#socket.resume();
  }

  received(chunk: Uint8Array): void {
    if (this.#handlers === undefined) this.#early.push(chunk);
    else if (this.#handlers.onData(chunk) === true) releaseWhole(chunk);
  }

  closed(error: Error | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#error = error;
    this.#waiting = [];
    this.buffered = 0;
    // Bun may call this from inside a call of ours.
    if (this.#handlers !== undefined) queueMicrotask(() => this.#handlers!.onClose(error));
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isClosed || this.#isEnding) return true;
    const sent = this.#waiting.length > 0 ? 0 : Math.max(0, this.#socket.write(chunk));
    if (sent < chunk.length) {
      this.#waiting.push(sent === 0 ? chunk : chunk.subarray(sent));
      this.buffered += chunk.length - sent;
    }
    const isFull = this.buffered >= ROOM;
    // Until the drain, whatever is written meanwhile: somebody may wait for it.
    this.#isFull ||= isFull;
    return !isFull;
  }

  drained(): void {
    while (this.#waiting.length > 0) {
      const [chunk] = this.#waiting;
      const sent = Math.max(0, this.#socket.write(chunk!));
      this.buffered -= sent;
      if (sent < chunk!.length) {
        this.#waiting[0] = chunk!.subarray(sent);
        return;
      }
      this.#waiting.shift();
    }
    if (this.#isEnding) this.#socket.shutdown();
    else if (this.#isFull) {
      this.#isFull = false;
      this.#handlers?.onDrain?.();
    }
  }

  pause(): void {
    if (!this.#isClosed) this.#socket.pause();
  }

  resume(): void {
    if (!this.#isClosed) this.#socket.resume();
  }

  end(): void {
    if (this.#isEnding || this.#isClosed) return;
    this.#isEnding = true;
    if (this.#waiting.length === 0) this.#socket.shutdown();
    // Without reading on, the end of the peer's side would never be noticed.
    this.#socket.resume();
  }

  destroy(): void {
    this.#isEnding = true;
    if (!this.#isClosed) this.#socket.close();
  }
}

/** True for an address of IPv4 or IPv6, without a zone. */
const isAddress = (host: string) => /^(?:\d+\.\d+\.\d+\.\d+|[\da-f]*:[\da-f:.]*)$/i.test(host);

/** An attempt that is given up ends by itself: Bun cannot cancel it. @param otherwise dials what this one does not */
export function bunDial(otherwise: Net["dial"]): Net["dial"] {
  return async (to, options = {}) => {
    const { tls, prepare, local } = options;
    const isPlain = tls === undefined && prepare === undefined && local === undefined;
    return isPlain && (to.kind === "unix" || isAddress(to.host))
      ? await dial(to, options)
      : await otherwise(to, options);
  };
}

function dial(
  to: SocketAddress,
  { signal, timeoutMs = 30_000, keepAliveIdle = 300 }: DialOptions,
): Promise<Connection> {
  const { connect } = (globalThis as unknown as { Bun: BunGlobal }).Bun;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    let connection: BunConnection | undefined;
    let isOver = false;
    const settle = (then: () => void) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      then();
    };
    const onFailure = (error: unknown) =>
      settle(() => reject(explain("connect to", to, codeOf(error) || "EIO", error)));
    const onAbort = () => settle(() => reject(signal!.reason));
    const timer = setTimeout(() => settle(() => reject(explain("connect to", to, "ETIMEDOUT", undefined))), timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    connect({
      ...(to.kind === "unix" ? { unix: to.path } : { hostname: to.host, port: to.port }),
      socket: {
        open(socket: BunSocket) {
          if (isOver) return socket.close();
          if (to.kind === "tcp") {
            socket.setNoDelay(true);
            if (keepAliveIdle !== false) socket.setKeepAlive(true, keepAliveIdle * 1000);
          }
          const opened = connection = new BunConnection(socket, to);
          settle(() => resolve(opened));
        },
        data: (_: BunSocket, chunk: Uint8Array) => connection?.received(chunk),
        drain: () => connection?.drained(),
        close: (_: BunSocket, error?: Error) => connection?.closed(error),
        // A handler of ours that throws comes here, too.
        error(socket: BunSocket, error: Error) {
          if (connection === undefined) return onFailure(error);
          connection.closed(error);
          socket.close();
        },
        connectError: (_: BunSocket, error: Error) => onFailure(error),
      },
    }).catch(onFailure);
  });
}
