/**
 * Errors that a caller may want to catch: each has a stable `code`, and the values in its message as fields.
 * Wrong shapes, bounds and syntax stay `TypeError`, `RangeError` and `SyntaxError`.
 */

/** The base of every error that Brine throws on purpose; `code` is stable across releases, `message` is not. */
export class SaltError extends Error {
  /** Stable, upper-case name of the failure, such as `"ADDRESS_IN_USE"`. */
  readonly code: string;

  /** @param options `cause`, and the values of the message as fields of the error */
  constructor(code: string, message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    const { cause, ...fields } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.name = new.target.name;
    Object.assign(this, fields);
  }
}

/** The operating system refused a socket, file or process; `errno` is its reason (`"EACCES"`). */
export class SystemError extends SaltError {
  /** The operating system's name of the failure, such as `"EACCES"`; `code` is the same. */
  readonly errno: string;

  /** @param options `cause`, and the values of the message as fields of the error */
  constructor(errno: string, message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super(errno, message, options);
    this.errno = errno;
  }
}

/** A peer did not answer in time. */
export class TimeoutError extends SaltError {
  /** Its `code` is `"TIMEOUT"`. */
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("TIMEOUT", message, options);
  }
}

/** Bytes from a peer that do not follow the protocol, or that exceed a bound. */
export class ProtocolError extends SaltError {
  /** Its `code` is `"PROTOCOL"`. */
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("PROTOCOL", message, options);
  }
}

/** A message that cannot be trusted: wrong MAC, wrong signature, replayed, or meant for another recipient. */
export class AuthenticationError extends SaltError {
  /** Its `code` is `"AUTHENTICATION"`. */
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("AUTHENTICATION", message, options);
  }
}

/** A TLS connection that failed: a certificate was refused or is missing, or the other side does not speak TLS. */
export class TlsError extends SaltError {
  /** Its `code` is `"TLS"`. */
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("TLS", message, options);
  }
}

/** A configuration that cannot be used; the message names file, line and key where they are known. */
export class ConfigError extends SaltError {
  /** Its `code` is `"CONFIG"`. */
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("CONFIG", message, options);
  }
}

/** The text of anything that was thrown, without its stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of anything that was thrown, or `""`. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}
