import { UrlBase } from "../../config/url.ts";
import { messageOf, TimeoutError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { HttpError, MasterDownError, RefusedError } from "../wire/errors.ts";

// deno-lint-ignore no-explicit-any
export type Json = any;

export interface SaltApiClientOptions {
  /** With its `root_prefix`, if it has one. */
  url: string;
  log: Logger;
  fetch: ((request: Request) => Promise<Response>) | undefined;
}

/** Sends requests to a salt-api, and turns its errors into the gateway's. */
export class SaltApiClient {
  readonly #base: UrlBase;
  readonly #log: Logger;
  readonly #fetch: SaltApiClientOptions["fetch"];
  #up = true;

  constructor({ url, log, fetch }: SaltApiClientOptions) {
    this.#base = new UrlBase(url);
    this.#log = log;
    this.#fetch = fetch;
  }

  /** False after a request without an answer, until the next that is answered. */
  get up(): boolean {
    return this.#up;
  }

  /** Throws if these segments, which a client chose, do not make a path below the salt-api. @throws {HttpError} 400 */
  checkPath(segments: readonly string[]): void {
    try {
      this.#base.at(...segments);
    } catch (error) {
      throw new HttpError(400, messageOf(error));
    }
  }

  /** @throws {MasterDownError} if there is no answer */
  async request(segments: readonly string[], init: RequestInit, token = ""): Promise<Response> {
    // Looked up at each request: a host may replace it.
    const send = this.#fetch ?? globalThis.fetch;
    const headers = { Accept: "application/json", ...(token === "" ? {} : { "X-Auth-Token": tokenHeader(token) }) };
    const request = new Request(this.#base.at(...segments), {
      ...init,
      headers: { ...headers, ...init.headers },
      // A token or a password is sent only to where the configuration says.
      redirect: "manual",
    });
    try {
      const response = await send(request);
      this.#up = response.status !== 503;
      return response;
    } catch (error) {
      if (init.signal?.aborted) throw error;
      this.#up = false;
      this.#log.warning("no answer from the salt-api", { url: this.#base.origin, error: messageOf(error) });
      throw new MasterDownError({ cause: error });
    }
  }

  /** Posts JSON, and returns the JSON of the answer. @throws {RefusedError | HttpError | MasterDownError | TimeoutError} */
  async post(segments: readonly string[], body: unknown, token = "", signal?: AbortSignal): Promise<Json> {
    const response = await this.request(segments, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    }, token);
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw errorFor(response, messageIn(text));
  }
}

/** A token as the value of a header. @throws {RefusedError} for one that no salt-api can have issued */
function tokenHeader(token: string): string {
  if (/^[\x21-\x7e]{1,8192}$/.test(token)) return token;
  throw new RefusedError("authentication", "Invalid token: expected printable ASCII");
}

/** The message of an error page, or the start of any other answer. */
function messageIn(text: string): string {
  return /<p>([\s\S]*?)<\/p>/.exec(text)?.[1]?.replaceAll("&quot;", '"').replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&") ?? text.slice(0, 200);
}

/** What an answer with an error status means for the gateway. */
function errorFor({ status, headers }: Response, message: string): Error {
  switch (status) {
    case 400:
      return new RefusedError("invocation", message);
    case 401: {
      const isKnownUser = /Authorization error|occurred for user/.test(message);
      return new RefusedError(isKnownUser ? "authorization" : "authentication", message);
    }
    case 429:
      return new HttpError(429, message, { "Retry-After": headers.get("Retry-After") ?? "60" });
    case 503:
      return new MasterDownError();
    case 504:
      return new TimeoutError(message);
    default:
      return new RefusedError("other", message);
  }
}
