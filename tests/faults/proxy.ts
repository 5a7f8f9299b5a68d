/** A network that misbehaves: TCP connections on loopback that are dropped, cut off, slowed down and garbled. */
import { createServer, type Server, Socket } from "node:net";
import type { Random } from "./history.ts";

/** What is done to each piece that passes. Probabilities of 0 to 1. */
export interface Weather {
  /** Milliseconds that each piece takes, at most. */
  delayMs: number;
  /** The piece comes twice. */
  duplicate: number;
  /** Only its first half comes, and the connection is closed. */
  truncate: number;
  /** The connection is reset in its place. */
  drop: number;
}

export const FAIR: Weather = { delayMs: 0, duplicate: 0, truncate: 0, drop: 0 };

/** How often each mishap came to pass. */
export interface Mishaps {
  dropped: number;
  delayed: number;
  duplicated: number;
  truncated: number;
  cut: number;
}

/** Stands between a minion and one port of its master. */
export class Proxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<[Socket, Socket]>();
  readonly #random: Random;
  readonly mishaps: Mishaps = { dropped: 0, delayed: 0, duplicated: 0, truncated: 0, cut: 0 };
  weather: Weather = FAIR;
  #cut = false;
  port = 0;

  private constructor(target: number, random: Random) {
    this.#random = random;
    // A half that was closed must not close the other before what is on its way has arrived.
    this.#server = createServer({ allowHalfOpen: true }, (near) => this.#pass(near, target));
  }

  static async open(target: number, random: Random): Promise<Proxy> {
    const proxy = new Proxy(target, random);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once("error", reject);
      proxy.#server.listen(0, "127.0.0.1", resolve);
    });
    proxy.port = (proxy.#server.address() as { port: number }).port;
    return proxy;
  }

  #pass(near: Socket, target: number): void {
    const far = new Socket({ allowHalfOpen: true });
    far.connect({ port: target, host: "127.0.0.1" });
    const pair: [Socket, Socket] = [near, far];
    this.#pairs.add(pair);
    const over = () => this.#close(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on("error", over);
      socket.on("close", over);
      if (this.#cut) socket.pause();
    }
    this.#forward(near, far, pair);
    this.#forward(far, near, pair);
  }

  #forward(from: Socket, to: Socket, pair: [Socket, Socket]): void {
    let last = Promise.resolve();
    const inOrder = (step: () => void | Promise<void>) => void (last = last.then(step));
    from.on("data", (piece: Uint8Array) => inOrder(() => this.#deliver(piece, to, pair)));
    from.on("end", () => inOrder(() => void to.end()));
  }

  async #deliver(piece: Uint8Array, to: Socket, pair: [Socket, Socket]): Promise<void> {
    const { delayMs, duplicate, truncate, drop } = this.weather;
    if (delayMs > 0) {
      this.mishaps.delayed++;
      await new Promise<void>((resolve) => setTimeout(resolve, delayMs * this.#random()));
    }
    if (to.destroyed) return;
    if (drop > 0 && this.#random() < drop) {
      this.mishaps.dropped++;
      return this.#close(pair);
    }
    if (truncate > 0 && this.#random() < truncate) {
      this.mishaps.truncated++;
      to.end(piece.subarray(0, piece.length >> 1));
      this.#pairs.delete(pair);
      for (const socket of pair) if (socket !== to) socket.destroy();
      return;
    }
    to.write(piece);
    if (duplicate > 0 && this.#random() < duplicate) {
      this.mishaps.duplicated++;
      to.write(piece);
    }
  }

  #close(pair: [Socket, Socket]): void {
    this.#pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  }

  /** Resets every connection. */
  drop(): void {
    this.mishaps.dropped += this.#pairs.size;
    for (const pair of [...this.#pairs]) this.#close(pair);
  }

  /** From now on nothing passes and nobody is told, as if a cable had been pulled. */
  cut(): void {
    this.mishaps.cut++;
    this.#cut = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  /**
   * Ends {@link Proxy.cut}.
   *
   * @param forgotten what was connected before is closed, as by a router that was started anew
   */
  restore({ forgotten }: { forgotten: boolean }): void {
    this.#cut = false;
    if (forgotten) this.drop();
    else for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pair of [...this.#pairs]) this.#close(pair);
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
