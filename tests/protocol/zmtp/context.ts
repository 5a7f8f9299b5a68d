/** Shared by the ZMTP tests: a context whose parts a test may replace, a clock that is moved by hand, a raw peer. */
import { setImmediate } from "node:timers";
import { type Clock, systemClock } from "../../../src/base/async/clock.ts";
import { createLogger, type LogRecord, silentLogger } from "../../../src/base/log.ts";
import { memoryNet } from "../../../src/runtime/memory/net.ts";
import type { Connection, Net } from "../../../src/runtime/net.ts";
import type { ZmtpContext } from "../../../src/protocol/zmtp/mod.ts";
import { parseEndpoint } from "../../../src/protocol/zmtp/mod.ts";

export function testContext(parts: Partial<ZmtpContext> = {}): ZmtpContext {
  return {
    net: memoryNet(),
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
    later: (callback) => void setImmediate(callback),
    ...parts,
  };
}

/** A clock that moves only when a test calls {@link HandClock.pass}. */
export class HandClock implements Clock {
  #now = 0;
  #timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.push(timer);
    return () => this.#timers = this.#timers.filter((one) => one !== timer);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = this.after(ms, resolve);
      signal?.addEventListener("abort", () => {
        stop();
        reject(signal.reason);
      }, { once: true });
    });
  }

  /** Moves the clock by `ms`, and calls the timers that become due, in order. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#now = due.at;
      due.callback();
    }
    this.#now = end;
  }

  /** Milliseconds until each pending timer is due. */
  get waits(): number[] {
    return this.#timers.map((timer) => timer.at - this.#now);
  }
}

export function recordingLogger(): { log: ZmtpContext["log"]; records: LogRecord[] } {
  const records: LogRecord[] = [];
  return { log: createLogger((record) => records.push(record), "info"), records };
}

/** A peer that sends exactly the bytes that a test passes. */
export class RawPeer {
  readonly connection: Connection;
  received = new Uint8Array(0);
  closed = false;

  constructor(connection: Connection) {
    this.connection = connection;
    connection.start({
      onData: (chunk) => {
        const larger = new Uint8Array(this.received.length + chunk.length);
        larger.set(this.received);
        larger.set(chunk, this.received.length);
        this.received = larger;
      },
      onClose: () => this.closed = true,
    });
  }

  static async dial(net: Net, endpoint: string): Promise<RawPeer> {
    return new RawPeer(await net.dial(parseEndpoint(endpoint)));
  }

  /** Writes bytes given as numbers, texts or arrays. */
  say(...parts: (number | string | Uint8Array)[]): void {
    this.connection.write(bytes(...parts));
  }

  text(): string {
    return new TextDecoder("latin1").decode(this.received);
  }
}

export function bytes(...parts: (number | string | Uint8Array)[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) =>
      typeof part === "number"
        ? [part]
        : typeof part === "string"
        ? [...part].map((character) => character.charCodeAt(0))
        : [...part]
    ),
  );
}
