import { SaltError } from "../../../base/errors.ts";

/** The refusal of an unauthenticated caller, in the words that clients compare. */
export const NO_PERMISSION = "No permission -- see authorization schemes";

/** When a client should try again while the master is down or the gateway is stopping, in seconds. */
export const RETRY_AFTER = "5";

/**
 * Ends a request with this status; the message is one sentence for the caller.
 *
 * @example
 * ```ts
 * import { HttpError } from "brine/gateway";
 *
 * const error = new HttpError(406, "Only JSON and YAML are spoken here", { vary: "accept" });
 * console.log(error.status, error.message); // 406 Only JSON and YAML are spoken here
 * ```
 */
export class HttpError extends SaltError {
  /** The HTTP status of the response. */
  readonly status: number;
  /** Headers to add to the answer. */
  readonly headers: Record<string, string>;

  /** Makes an error for an answer with a status and further headers. @param headers sent with the response */
  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super("HTTP", message);
    this.status = status;
    this.headers = headers;
  }
}

/** Why the master refused. */
export type RefusalKind =
  /** The caller is not authenticated. */
  | "authentication"
  /** The caller is authenticated and not permitted. */
  | "authorization"
  /** The request is malformed. */
  | "invocation"
  /** The function does not exist. */
  | "unknown"
  /** Anything else. */
  | "other";

/**
 * The master refused; `message` is the master's text.
 *
 * @example
 * ```ts
 * import { RefusedError } from "brine/gateway";
 *
 * const error = new RefusedError("authorization", "Authorization error occurred.");
 * console.log(error.code, error.kind); // REFUSED authorization
 * ```
 */
export class RefusedError extends SaltError {
  /** Why the master refused. */
  readonly kind: RefusalKind;

  /**
   * Makes an error with the kind of the refusal; a flavour has a status for each kind.
   *
   * @param message the master's own message
   */
  constructor(kind: RefusalKind, message: string, options: { cause?: unknown } = {}) {
    super("REFUSED", message, options);
    this.kind = kind;
  }
}

/**
 * The master cannot be reached.
 *
 * @example
 * ```ts
 * import { MasterDownError } from "brine/gateway";
 *
 * console.log(new MasterDownError().message); // Salt Master is not available.
 * ```
 */
export class MasterDownError extends SaltError {
  /** Makes an error whose `cause` shows that the master is down. @param options `cause`: the error of the connection */
  constructor(options: { cause?: unknown } = {}) {
    super("MASTER_DOWN", "Salt Master is not available.", options);
  }
}

/** The reason phrases of the status codes that the gateway answers with. */
export const HTTP_REASONS: Record<number, string> = {
  200: "OK",
  202: "Accepted",
  204: "No Content",
  302: "Found",
  304: "Not Modified",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  413: "Payload Too Large",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };

/** Escapes the special characters of HTML in a text. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}
