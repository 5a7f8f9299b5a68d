import { messageIn } from "../../model/api_answer.ts";
import { backoffDelay } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/async/clock.ts";
import type { UrlBase } from "../../model/config/url.ts";
import { codeOf, messageOf, ProtocolError, TimeoutError } from "../../base/errors.ts";
import { abortable } from "../../base/async/within.ts";
import { ClientError } from "../client_error.ts";
import { bodyText, discard, errorBody } from "./bounded_body.ts";
import { type Asked, httpFailure, isRedirect, redirected } from "./http_failure.ts";

interface ExchangeOptions {
  url: UrlBase;
  clock: Clock;
  /** Makes the requests. If undefined, the global `fetch` is looked up at each request, since a host may replace it. */
  fetch: ((request: Request) => Promise<Response>) | undefined;
  /** A random number in [0, 1). */
  random(): number;
  /** The largest answer, in bytes. */
  maxBytes: number;
  /** The number of attempts after the first one, for a request that may be repeated. */
  retries: number;
}

/** One request. */
export interface HttpMessage {
  method: "GET" | "POST";
  /** Segments of the path below the server's address. */
  path: readonly string[];
  /** The query parameters of the address. */
  query?: Record<string, string>;
  /** The body, which is sent as JSON. */
  body?: unknown;
  token?: string;
  accept?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** True if the request may be sent again although it may have been processed. @default false */
  safe?: boolean;
}

/** The waits between two attempts, in milliseconds. */
const RETRY = { initialMs: 250, maxMs: 5000 };
/** The codes of failures after which another attempt may succeed. */
const PASSING: readonly string[] = ["UNREACHABLE", "MASTER_DOWN"];

/** A token as the value of a header. @throws {ClientError} `AUTHENTICATION` for a text that no salt-api issues as a token */
export function tokenHeader(token: string): string {
  if (/^[\x21-\x7e]{1,8192}$/.test(token)) return token;
  throw new ClientError("AUTHENTICATION", "Invalid token: expected printable ASCII");
}

/** Exchanges JSON with one server: bounded in time and memory, without redirects, and with errors by their meaning. */
export class HttpExchange {
  readonly #options: ExchangeOptions;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  get origin(): string {
    return this.#options.url.origin;
  }

  /**
   * The JSON of an answer.
   *
   * @throws {ClientError | ProtocolError | TimeoutError} as {@link httpFailure} returns it; `UNREACHABLE` without an answer
   */
  async json(message: HttpMessage): Promise<unknown> {
    return await this.#repeated(message, () => this.#json(message));
  }

  async #repeated<T>({ safe, signal }: HttpMessage, step: () => Promise<T>): Promise<T> {
    const { clock, retries, random } = this.#options;
    for (let attempt = 0;; attempt++) {
      try {
        return await step();
      } catch (error) {
        if (safe !== true || attempt >= retries || !PASSING.includes(codeOf(error))) throw error;
        await clock.sleep(backoffDelay(attempt, RETRY, random()), signal);
      }
    }
  }

  async #json(message: HttpMessage): Promise<unknown> {
    const asked = this.#asked(message);
    return await this.#within(message, asked, async (signal) => {
      const response = await this.#send(message, asked, signal);
      if (!response.ok) throw httpFailure(response, messageIn(await errorBody(response)), asked);
      const text = await bodyText(response, this.#options.maxBytes, asked.what);
      try {
        return JSON.parse(text);
      } catch {
        throw new ProtocolError(
          `${asked.origin} answered ${asked.what} without JSON: check that this is the URL of a salt-api`,
        );
      }
    });
  }

  /**
   * An answer whose body is read as it arrives; `timeoutMs` applies only to its head.
   *
   * @param signal also ends the body
   */
  async stream(message: HttpMessage & { signal: AbortSignal }): Promise<Response> {
    const asked = this.#asked(message);
    return await this.#repeated(message, async () => {
      const response = await this.#within(message, asked, (head) => this.#send(message, asked, head), "head");
      if (response.ok) return response;
      const text = await this.#within(message, asked, () => errorBody(response));
      throw httpFailure(response, messageIn(text), asked);
    });
  }

  #asked({ method, path }: HttpMessage): Asked {
    return { what: `${method} /${path.join("/")}`, origin: this.#options.url.origin };
  }

  /** Runs a step, which the caller's signal or the timeout ends. */
  async #within<T>(
    { timeoutMs, signal }: HttpMessage,
    { what, origin }: Asked,
    step: (signal: AbortSignal) => Promise<T>,
    until: "end" | "head" = "end",
  ): Promise<T> {
    signal?.throwIfAborted();
    const limit = new AbortController();
    const late = new TimeoutError(`${origin} did not answer ${what} within ${timeoutMs} ms`, { timeoutMs });
    const cancel = this.#options.clock.after(timeoutMs, () => limit.abort(late));
    const abort = () => limit.abort(signal!.reason);
    signal?.addEventListener("abort", abort, { once: true });
    let ended = false;
    try {
      // A host's own fetch may not end when its request is aborted.
      const result = await abortable(step(limit.signal), limit.signal);
      ended = true;
      return result;
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : error;
    } finally {
      cancel();
      // A stream continues after its head, so the caller's signal stays connected to end it.
      if (until === "end" || !ended) signal?.removeEventListener("abort", abort);
    }
  }

  async #send(message: HttpMessage, asked: Asked, signal: AbortSignal): Promise<Response> {
    // Only web standards are used, since a browser has nothing else. On Bun and Deno, fetch() takes proxies from the environment.
    const { url, fetch = globalThis.fetch } = this.#options;
    const { method, path, query, body, token, accept = "application/json" } = message;
    const address = `${url.at(...path)}${query === undefined ? "" : `?${new URLSearchParams(query)}`}`;
    const request = new Request(address, {
      method,
      headers: {
        Accept: accept,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(token === undefined ? {} : { "X-Auth-Token": tokenHeader(token) }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
      redirect: "manual",
      // Cookies of a browser belong to another login, so they are omitted. Hosts without cookies refuse the option.
      ...("credentials" in Request.prototype ? { credentials: "omit" } : {}),
    });
    let response: Response;
    try {
      response = await fetch(request);
    } catch (error) {
      if (signal.aborted) throw error;
      throw new ClientError(
        "UNREACHABLE",
        `No answer from ${asked.origin} (${messageOf(error)}): check the address, the network, and that salt-api is ` +
          "running there. In a browser, check also that the server allows this page's origin",
        { cause: error, url: asked.origin },
      );
    }
    if (!isRedirect(response)) return response;
    discard(response);
    throw redirected(response, asked);
  }
}
