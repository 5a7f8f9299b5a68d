import type { Clock } from "../../../base/async/clock.ts";
import { ClientError } from "../../../client/client_error.ts";
import { HttpExchange, tokenHeader } from "../../../client/http/exchange.ts";
import { UrlBase } from "../../../model/config/url.ts";
import { codeOf, messageOf, ProtocolError, TimeoutError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { HttpError, MasterDownError, type RefusalKind, RefusedError } from "../wire/errors.ts";

// deno-lint-ignore no-explicit-any
export type Json = any;

interface SaltApiClientOptions {
  /** The address of the salt-api, with its `root_prefix` if it has one. */
  url: string;
  clock: Clock;
  log: Logger;
  fetch: ((request: Request) => Promise<Response>) | undefined;
}

/** The time for a command, in milliseconds: as long as its caller waits. */
const TIMEOUT_MS = 2 ** 31 - 1;
/** The largest answer, in bytes. */
const MAX_BYTES = 256 * 1024 * 1024;
/** The time for the head of a streamed answer, in milliseconds. */
const HEAD_MS = 60_000;

/** Sends requests to a salt-api, and converts its errors to those of the gateway. */
export class SaltApiClient {
  readonly #base: UrlBase;
  readonly #log: Logger;
  readonly #exchange: HttpExchange;
  #up = true;

  constructor({ url, clock, log, fetch }: SaltApiClientOptions) {
    this.#base = new UrlBase(url);
    this.#log = log;
    this.#exchange = new HttpExchange({
      url: this.#base,
      clock,
      fetch,
      random: () => 0,
      maxBytes: MAX_BYTES,
      // The callers of the client retry where a retry is safe.
      retries: 0,
    });
  }

  /** False after a request without an answer, until a request is answered. */
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

  /** Opens the stream of events. @throws {RefusedError | HttpError | MasterDownError | TimeoutError} */
  async events(token: string, signal: AbortSignal): Promise<Response> {
    const accept = "text/event-stream";
    return await this.#translated(
      signal,
      () => this.#exchange.stream({ method: "GET", path: ["events"], accept, token, timeoutMs: HEAD_MS, signal }),
    );
  }

  /** Posts JSON, and returns the JSON of the answer. @throws {RefusedError | HttpError | MasterDownError | TimeoutError} */
  async post(path: readonly string[], body: unknown, token = "", signal?: AbortSignal): Promise<Json> {
    const message = { method: "POST", path, body, timeoutMs: TIMEOUT_MS, signal } as const;
    return await this.#translated(
      signal,
      () => this.#exchange.json(token === "" ? message : { ...message, token: checkedToken(token) }),
    );
  }

  async #translated<T>(signal: AbortSignal | undefined, step: () => Promise<T>): Promise<T> {
    try {
      const result = await step();
      this.#up = true;
      return result;
    } catch (error) {
      if (signal?.aborted) throw error;
      const code = codeOf(error);
      const { status } = error as { status?: number };
      if (code === "UNREACHABLE" && status === undefined) {
        this.#log.warning("no answer from the salt-api", { url: this.#exchange.origin, error: messageOf(error) });
      }
      this.#up = !(code === "MASTER_DOWN" || (code === "UNREACHABLE" && status === undefined));
      throw gatewayError(error);
    }
  }
}

/** Checks a token. @throws {RefusedError} for a text that no salt-api issues as a token */
function checkedToken(token: string): string {
  try {
    return tokenHeader(token);
  } catch (error) {
    throw new RefusedError("authentication", messageOf(error));
  }
}

const KINDS: Record<string, RefusalKind> = {
  AUTHENTICATION: "authentication",
  PERMISSION: "authorization",
};

/** The gateway's error for a failed exchange, in the words of the server behind it. */
function gatewayError(error: unknown): unknown {
  if (!(error instanceof ClientError || error instanceof ProtocolError || error instanceof TimeoutError)) return error;
  const { status, said, retryAfterMs } = error as { status?: number; said?: string; retryAfterMs?: number };
  const message = said ?? error.message;
  switch (status) {
    case undefined:
      return error.code === "UNREACHABLE" ? new MasterDownError({ cause: error }) : refused(error.code, message);
    case 400:
      return new RefusedError("invocation", message);
    case 429:
      return new HttpError(429, message, { "Retry-After": String(Math.ceil((retryAfterMs ?? 60_000) / 1000)) });
    case 503:
      return new MasterDownError();
    case 504:
      return new TimeoutError(message);
    default:
      return refused(status === 401 ? error.code : "", message);
  }
}

const refused = (code: string, message: string): RefusedError =>
  new RefusedError(Object.hasOwn(KINDS, code) ? KINDS[code]! : "other", message);
