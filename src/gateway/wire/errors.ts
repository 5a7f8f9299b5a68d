import { SaltError } from "../../errors.ts";

/** What whoever is not known is told, in words that clients compare. */
export const NO_PERMISSION = "No permission -- see authorization schemes";

/** An answer other than what was asked for: the status, and one sentence of why. */
export class HttpError extends SaltError {
  readonly status: number;
  /** More headers of the answer. */
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super("HTTP", message);
    this.status = status;
    this.headers = headers;
  }
}

/** Why the master did not do it. */
export type RefusalKind =
  /** It does not know who asks. */
  | "authentication"
  /** It knows, and that one may not. */
  | "authorization"
  /** The call has not the right form. */
  | "invocation"
  /** There is no such function. */
  | "unknown"
  /** Anything else. */
  | "other";

/** The master would not do it; `message` is its own. */
export class RefusedError extends SaltError {
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string, options: { cause?: unknown } = {}) {
    super("REFUSED", message, options);
    this.kind = kind;
  }
}

/** There is no master to ask. */
export class MasterDownError extends SaltError {
  constructor(options: { cause?: unknown } = {}) {
    super("MASTER_DOWN", "Salt Master is not available.", options);
  }
}
