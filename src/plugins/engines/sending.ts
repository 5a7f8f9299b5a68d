/** What engines that send events elsewhere have in common: a connection that is made again, and requests that are tried again. */
import { backoffDelay } from "../../base/async/backoff.ts";
import { deferred } from "../../base/async/deferred.ts";
import { messageOf } from "../../base/errors.ts";
import type { EngineContext } from "../../model/loader/engines.ts";
import { proxiesOf } from "../../model/loader/proxies.ts";
import { entriesOf, isMap, mapOf, str } from "../../language/python/values.ts";
import { takeUser } from "../../runtime/http_head.ts";
import type { Connection, SocketAddress } from "../../runtime/net.ts";
import { dumpJson } from "../../language/python/json_dump.ts";

/** Between two attempts to connect. */
const AGAIN = { initialMs: 500, maxMs: 60_000 };
/** Bytes that may wait for a receiver that reads slowly. */
const MOST_BUFFERED = 1024 * 1024;
const REQUEST_MS = 10_000;
const TRIES = 3;
/** Answers that another try may better. */
const PASSING = new Set([408, 425, 429]);

/** A host and a port from options. @throws {TypeError} naming what is wrong */
export function tcpAddress(host: unknown, port: unknown): SocketAddress & { kind: "tcp" } {
  const number = Number(port);
  if (Number.isInteger(number) && number > 0 && number < 65_536) return { kind: "tcp", host: str(host), port: number };
  throw new TypeError(`Cannot use ${str(port)} as port: expected a number from 1 to 65535`);
}

/** A stream to a receiver, which is connected again whenever it is lost. Who sends waits meanwhile. */
export class Outgoing {
  readonly #engine: EngineContext;
  readonly #to: SocketAddress;
  #connection: Connection | undefined;
  #room = deferred<void>();
  #lost = 0;
  #sent = 0;

  constructor(engine: EngineContext, to: SocketAddress) {
    this.#engine = engine;
    this.#to = to;
  }

  /** Resolves when the receiver takes more; returns without sending if the engine is to end. */
  async send(bytes: Uint8Array): Promise<void> {
    const { signal, report } = this.#engine;
    let connection = this.#connection ??= await this.#connected();
    while (connection !== undefined && connection.buffered > MOST_BUFFERED && !signal.aborted) {
      await this.#room.promise;
      connection = this.#connection ??= await this.#connected();
    }
    if (connection === undefined) return;
    connection.write(bytes);
    report({ sent: ++this.#sent });
  }

  #wake(): void {
    this.#room.resolve();
    this.#room = deferred();
  }

  /** Connects, as often as it takes. @returns undefined if the engine is to end */
  async #connected(): Promise<Connection | undefined> {
    const { runtime: { net, clock, random }, signal, log, report } = this.#engine;
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const connection = await net.dial(this.#to, { signal, timeoutMs: REQUEST_MS });
        connection.start({
          onData: () => {},
          onDrain: () => this.#wake(),
          onClose: () => this.#closed(connection),
        });
        signal.addEventListener("abort", () => (connection.end(), this.#wake()), { once: true });
        report({ connected: true, connections_lost: this.#lost });
        return connection;
      } catch (error) {
        report({ connected: false, problem: messageOf(error) });
        if (!signal.aborted) log.warning("events cannot be sent: trying again", { error: messageOf(error) });
        await clock.sleep(backoffDelay(attempt, AGAIN, random()), signal).catch(() => {});
      }
    }
    return undefined;
  }

  #closed(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#engine.report({ connected: false, connections_lost: ++this.#lost });
    this.#wake();
  }
}

/** An address without what may be a secret of it. */
const shown = (url: URL) => `${url.origin}${url.pathname}`;

/** Posts bodies to a web server, each tried a few times. */
export class HttpOut {
  readonly #engine: EngineContext;
  readonly #url: URL;
  readonly #headers: Headers;
  #posted = 0;
  #failed = 0;

  /** @throws {TypeError} for an address that is none of http */
  constructor(engine: EngineContext, url: unknown, headers: unknown = null) {
    this.#engine = engine;
    const parsed = URL.canParse(str(url)) ? new URL(str(url)) : undefined;
    if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
      throw new TypeError("Cannot post events: set url to an address that begins with http:// or https://");
    }
    this.#headers = new Headers({ "content-type": "application/json" });
    if (isMap(headers)) { for (const [name, value] of entriesOf(headers)) this.#headers.set(str(name), str(value)); }
    else if (headers !== null) throw new TypeError("Cannot use headers: expected a map of names and values");
    const authorization = takeUser(parsed);
    if (authorization !== undefined && !this.#headers.has("authorization")) {
      this.#headers.set("authorization", authorization);
    }
    this.#url = parsed;
  }

  /** @returns false if the server would not take it */
  async post(body: string): Promise<boolean> {
    const { runtime: { clock, random }, signal, log, report } = this.#engine;
    for (let made = 1; !signal.aborted; made++) {
      const { problem, again } = await this.#attempt(body);
      if (problem === undefined) {
        report({ posted: ++this.#posted });
        return true;
      }
      if (!again || made >= TRIES) {
        report({ not_posted: ++this.#failed, problem });
        log.warning("event not posted", { url: shown(this.#url), problem, tries: made });
        return false;
      }
      await clock.sleep(backoffDelay(made - 1, { initialMs: 1000, maxMs: 10_000 }, random()), signal).catch(() => {});
    }
    return false;
  }

  async #attempt(body: string): Promise<{ problem?: string; again: boolean }> {
    const signal = AbortSignal.any([this.#engine.signal, AbortSignal.timeout(REQUEST_MS)]);
    try {
      const proxy = proxiesOf(this.#engine)(this.#url);
      // A redirection is a failure: events go nowhere else.
      const response = await this.#engine.runtime.http.request(this.#url.href, {
        method: "POST",
        headers: this.#headers,
        body: new TextEncoder().encode(body),
        signal,
        connectMs: REQUEST_MS,
        ...(proxy === undefined ? {} : { proxy }),
      });
      await response.body?.cancel();
      if (response.ok) return { again: false };
      const again = response.status >= 500 || PASSING.has(response.status);
      return { problem: `it answered ${response.status} ${response.statusText}`.trimEnd(), again };
    } catch (error) {
      return { problem: messageOf(error), again: true };
    }
  }
}

/** A value as JSON can have it: bytes are text, keys are text. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (Array.isArray(value)) return value.map(plain);
  if (isMap(value)) return mapOf(entriesOf(value).map(([key, item]) => [str(key), plain(item)]));
  return value;
}

/** The data of an event as JSON, as Python writes it. */
export const eventJson = (data: unknown): string => dumpJson(plain(data));
