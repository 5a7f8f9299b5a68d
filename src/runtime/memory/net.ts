/** Byte streams inside one process: the reference implementation of `runtime/net.ts`. */
import { SystemError } from "../../base/errors.ts";
import {
  type Connection,
  type ConnectionHandlers,
  type DialOptions,
  type Listener,
  type ListenOptions,
  type Net,
  printAddress,
  type SocketAddress,
} from "../net.ts";

declare function setTimeout(callback: () => void, ms: number): unknown;

export interface MemoryNetOptions {
  /** Calls back in a later turn; a test may control the turns itself. @default the runtime's `setImmediate` */
  later?: (callback: () => void) => void;
  /** Bytes under way in one direction at which `write` returns false. @default 65536 */
  highWaterMark?: number;
  /** Chunks are cut to this size on their way; 1 makes every reader see one byte at a time. @default Infinity */
  chunkSize?: number;
}

class MemoryConnection implements Connection {
  readonly remote: string;
  readonly local: string;
  readonly #options: Required<MemoryNetOptions>;
  #other: MemoryConnection | undefined;
  #handlers: ConnectionHandlers | undefined;
  /** Chunks that the other side has written and this side has not received yet. */
  #incoming: Uint8Array[] = [];
  #incomingBytes = 0;
  #full = false;
  #paused = false;
  #scheduled = false;
  #ending = false;
  #destroyed = false;
  #closed = false;
  #error: Error | undefined;

  constructor(remote: string, local: string, options: Required<MemoryNetOptions>) {
    this.remote = remote;
    this.local = local;
    this.#options = options;
  }

  static pair(
    dialer: string,
    listener: string,
    options: Required<MemoryNetOptions>,
  ): [MemoryConnection, MemoryConnection] {
    const near = new MemoryConnection(listener, dialer, options);
    const far = new MemoryConnection(dialer, listener, options);
    near.#other = far;
    far.#other = near;
    return [near, far];
  }

  start(handlers: ConnectionHandlers): void {
    this.#handlers = handlers;
    this.#schedule();
  }

  /** Stops delivery: data that arrives from now on waits for the next start. */
  detach(): void {
    this.#handlers = undefined;
  }

  write(chunk: Uint8Array): boolean {
    const other = this.#other!;
    if (this.#ending || this.#destroyed || other.#destroyed || chunk.length === 0) return true;
    for (let at = 0; at < chunk.length; at += this.#options.chunkSize) {
      other.#incoming.push(chunk.subarray(at, Math.min(chunk.length, at + this.#options.chunkSize)));
    }
    other.#incomingBytes += chunk.length;
    other.#schedule();
    if (other.#incomingBytes < this.#options.highWaterMark) return true;
    this.#full = true;
    return false;
  }

  get buffered(): number {
    return this.#other!.#incomingBytes;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#schedule();
  }

  end(): void {
    this.#ending = true;
    this.#paused = false;
    this.#other!.#schedule();
    this.#schedule();
  }

  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#ending = true;
    this.#incoming = [];
    this.#incomingBytes = 0;
    this.#schedule();
    this.#other!.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#closed || this.#handlers === undefined) return;
    this.#scheduled = true;
    this.#options.later(() => {
      this.#scheduled = false;
      this.#turn();
    });
  }

  #turn(): void {
    const other = this.#other!;
    const handlers = this.#handlers;
    if (handlers === undefined) return;
    // Delivers only chunks that had arrived when the turn began: a reply to them belongs to a later turn.
    const chunks = this.#incoming;
    this.#incoming = [];
    let at = 0;
    for (; at < chunks.length && !this.#paused && !this.#destroyed && this.#handlers === handlers; at++) {
      this.#incomingBytes -= chunks[at]!.length;
      handlers.onData(chunks[at]!);
    }
    if (at < chunks.length && !this.#destroyed) this.#incoming = [...chunks.slice(at), ...this.#incoming];
    if (this.#incoming.length > 0 && !this.#paused) this.#schedule();
    if (other.#full && this.#incomingBytes === 0 && !other.#destroyed) {
      other.#full = false;
      this.#options.later(() => {
        if (!other.#closed && !other.#destroyed) other.#handlers?.onDrain?.();
      });
    }
    if (this.#destroyed) return this.#close();
    if (this.#incoming.length > 0) return;
    // As with TCP without half-open connections: when the peer ends, this side ends too, once it has read everything.
    if (other.#ending && !this.#paused) {
      this.#ending = true;
      other.#schedule();
      if (other.#incoming.length === 0 || other.#destroyed) this.#close();
    }
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#destroyed = true;
    this.#incoming = [];
    this.#other!.#schedule();
    this.#handlers?.onClose(this.#error);
  }
}

interface MemoryListener {
  address: SocketAddress;
  accept: (connection: Connection) => void;
}

const WILDCARDS = new Set(["0.0.0.0", "::"]);

function keyOf(address: SocketAddress): string {
  if (address.kind === "unix") return address.path;
  return `${address.port} ${address.host === "localhost" ? "127.0.0.1" : address.host}`;
}

/** The listener at an address, or at all addresses of its port. */
function listenerAt(listeners: ReadonlyMap<string, MemoryListener>, to: SocketAddress): MemoryListener | undefined {
  const exact = listeners.get(keyOf(to));
  if (exact !== undefined || to.kind === "unix") return exact;
  for (const host of WILDCARDS) {
    const wild = listeners.get(keyOf({ ...to, host }));
    if (wild !== undefined) return wild;
  }
  return undefined;
}

function noTls(): SystemError {
  return new SystemError("ENOTSUP", "The memory runtime has no TLS", {});
}

/** A separate network: its listeners cannot be reached from another one. */
export function memoryNet(options: MemoryNetOptions = {}): Net {
  const immediate = (globalThis as { setImmediate?: (callback: () => void) => unknown }).setImmediate;
  const settings: Required<MemoryNetOptions> = {
    later: options.later ?? ((callback) => immediate === undefined ? setTimeout(callback, 0) : immediate(callback)),
    highWaterMark: options.highWaterMark ?? 65_536,
    chunkSize: options.chunkSize ?? Infinity,
  };
  const listeners = new Map<string, MemoryListener>();
  let nextPort = 49_152;

  function dial(to: SocketAddress, dialOptions: DialOptions = {}): Promise<Connection> {
    const { signal, local, prepare } = dialOptions;
    if (dialOptions.tls !== undefined) return Promise.reject(noTls());
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => reject(signal!.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      settings.later(() => {
        signal?.removeEventListener("abort", onAbort);
        if (signal?.aborted) return;
        const listener = listenerAt(listeners, to);
        if (listener === undefined) {
          const errno = to.kind === "unix" ? "ENOENT" : "ECONNREFUSED";
          return reject(
            new SystemError(errno, `Cannot connect to ${printAddress(to)}: ${errno}, no process listens there`, {
              address: to,
            }),
          );
        }
        const from = to.kind === "unix" ? printAddress(to) : printAddress({
          kind: "tcp",
          host: local?.host ?? (to.host.includes(":") ? "::1" : "127.0.0.1"),
          port: local?.port || nextPort++,
        });
        const [near, far] = MemoryConnection.pair(from, printAddress(to), settings);
        listener.accept(far);
        if (prepare === undefined) return resolve(near);
        prepare(near, signal ?? new AbortController().signal).then(() => {
          near.detach();
          resolve(near);
        }, (error) => {
          near.destroy();
          reject(error);
        });
      });
    });
  }

  function listen(
    at: SocketAddress,
    accept: (connection: Connection) => void,
    { tls }: ListenOptions = {},
  ): Promise<Listener> {
    if (tls !== undefined) return Promise.reject(noTls());
    const address = at.kind === "tcp" && at.port === 0 ? { ...at, port: nextPort++ } : at;
    const key = keyOf(address);
    if (listeners.has(key)) {
      return Promise.reject(
        new SystemError("EADDRINUSE", `Cannot listen on ${printAddress(at)}: EADDRINUSE, in use`, { address: at }),
      );
    }
    const listener: MemoryListener = { address, accept };
    listeners.set(key, listener);
    return Promise.resolve({
      address,
      close: () => {
        if (listeners.get(key) === listener) listeners.delete(key);
        return Promise.resolve();
      },
    });
  }

  const datagram: Net["datagram"] = ({ host, port }) => {
    const text = `Cannot send a datagram to ${host} port ${port}: the memory runtime has no network of datagrams`;
    return Promise.reject(new SystemError("ENOTSUP", text, {}));
  };

  return { dial, listen, datagram };
}
