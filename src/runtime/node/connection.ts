import type net from "node:net";
import { releaseWhole } from "../bytes.ts";
import type { Connection, ConnectionHandlers } from "../net.ts";
import { tlsFailure } from "./tls_failure.ts";

/** Both ends of a connection, as `Connection` names them. */
export interface ConnectionNames {
  remote: string;
  local: string;
}

/** A {@link Connection} over a socket of `node:net` or `node:tls`. */
export class NodeConnection implements Connection {
  readonly remote: string;
  readonly local: string;
  readonly #socket: net.Socket;
  /** True if another connection used the socket before and left it paused. */
  readonly #wasPaused: boolean;
  #handlers: ConnectionHandlers | undefined;
  #error: Error | undefined;
  #closed = false;

  readonly #listeners: [event: string, listener: (...values: never[]) => void][] = [];

  constructor(socket: net.Socket, { remote, local }: ConnectionNames) {
    this.#socket = socket;
    this.#wasPaused = socket.isPaused();
    this.remote = remote;
    this.local = local;
    this.#on("error", (error: Error) => this.#error = tlsFailure(error) ?? error);
    this.#on("close", () => {
      this.#closed = true;
      this.#handlers?.onClose(this.#error);
    });
  }

  #on(event: string, listener: (...values: never[]) => void): void {
    this.#listeners.push([event, listener]);
    this.#socket.on(event, listener as (...values: unknown[]) => void);
  }

  /** Removes the listeners from the socket; data that arrives waits in the socket. */
  detach(): void {
    this.#socket.pause();
    for (const [event, listener] of this.#listeners) {
      this.#socket.off(event, listener as (...values: unknown[]) => void);
    }
  }

  start(handlers: ConnectionHandlers): void {
    this.#handlers = handlers;
    if (this.#closed) {
      queueMicrotask(() => handlers.onClose(this.#error));
      return;
    }
    if (handlers.onDrain !== undefined) this.#on("drain", () => handlers.onDrain!());
    this.#on("data", (chunk: Uint8Array) => {
      if (handlers.onData(chunk) === true) releaseWhole(chunk);
    });
    // After a pause, a listener alone does not make the data flow again.
    if (this.#wasPaused) this.#socket.resume();
  }

  write(chunk: Uint8Array): boolean {
    const socket = this.#socket;
    if (!socket.writable) return true;
    // write() returns false for any chunk of 64 KB, even if the kernel took it at once; the length of the buffer decides.
    return socket.write(chunk) || socket.writableLength < socket.writableHighWaterMark;
  }

  get buffered(): number {
    return this.#socket.writableLength;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  end(): void {
    this.#socket.end();
    // Without reading on, the end of the peer's side would never be noticed.
    this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
