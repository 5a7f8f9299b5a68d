import type { Connection, ConnectionHandlers } from "../../runtime/net.ts";

/** A connection that one socket has started and another one continues: it begins with the bytes that were read already. */
export class HandedOver implements Connection, ConnectionHandlers {
  readonly #connection: Connection;
  readonly #seen: Uint8Array;
  #handlers: ConnectionHandlers | undefined;

  constructor(connection: Connection, seen: Uint8Array) {
    this.#connection = connection;
    this.#seen = seen;
  }

  get remote(): string {
    return this.#connection.remote;
  }

  get local(): string {
    return this.#connection.local;
  }

  get buffered(): number {
    return this.#connection.buffered;
  }

  start(handlers: ConnectionHandlers): void {
    this.#handlers = handlers;
    // Delivers later, as every connection does. Nothing else can arrive before the microtask.
    queueMicrotask(() => void handlers.onData(this.#seen));
  }

  onData(chunk: Uint8Array): boolean {
    return this.#handlers?.onData(chunk) === true;
  }

  onDrain(): void {
    this.#handlers?.onDrain?.();
  }

  onClose(error?: Error): void {
    this.#handlers?.onClose(error);
  }

  write(chunk: Uint8Array): boolean {
    return this.#connection.write(chunk);
  }

  pause(): void {
    this.#connection.pause();
  }

  resume(): void {
    this.#connection.resume();
  }

  end(): void {
    this.#connection.end();
  }

  destroy(): void {
    this.#connection.destroy();
  }
}
