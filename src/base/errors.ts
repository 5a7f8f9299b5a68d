/**
 * Errors that a caller may want to catch: each has a stable `code`, and the values in its message as fields.
 * Wrong shapes, bounds and syntax stay `TypeError`, `RangeError` and `SyntaxError`.
 */

/** The `code` of every error that Brine throws on purpose. That of a {@link SystemError} is the name of the system, such as `ENOENT`. */
export type ErrorCode =
  | "AUDIT"
  | "AUTHENTICATION"
  | "BAD_PILLAR"
  | "BUSY"
  | "BUS_LOST"
  | "CLOSED"
  | "COMPILE_LIMIT"
  | "CONFIG"
  | "EVENTS_REFUSED"
  | "EXECUTION"
  | "FAILED"
  | "FILE_CHANGED"
  | "FULL"
  | "GIT"
  | "HTTP"
  | "INSECURE"
  | "INVOCATION"
  | "JID_TAKEN"
  | "JOB_PROCESS"
  | "LEASE_LOST"
  | "LEFT"
  | "LOW_CHUNK"
  | "MASTER_DOWN"
  | "MASTER_KEY"
  | "MISSING_FUNCTION"
  | "NOT_BRINE"
  | "NOT_TAKEN"
  | "NO_ACCESS"
  | "NO_BUS"
  | "NO_CIPHER"
  | "NO_COMMAND"
  | "NO_KEY"
  | "NO_MASTER"
  | "NO_SESSION"
  | "NO_ZEROMQ"
  | "OUTPUT"
  | "PART"
  | "PENDING"
  | "PERMISSION"
  | "PROTOCOL"
  | "PYTHON"
  | "QUEUE_FULL"
  | "REACTION"
  | "REDIS"
  | "REFUSED"
  | "REJECTED"
  | "RENDER"
  | "ROTATION_REFUSED"
  | "TARGET"
  | "TEMPLATE"
  | "TIMEOUT"
  | "TLS"
  | "TOO_COSTLY"
  | "TOO_MANY_ATTEMPTS"
  | "TOP_FILE"
  | "UNKNOWN_ALGORITHM"
  | "UNKNOWN_JOB"
  | "UNKNOWN_KEY"
  | "UNREACHABLE"
  | "WHEEL"
  | "WITHHELD"
  | "WORKER"
  | `E${string}`;

/**
 * The base of every error that Brine throws on purpose; `code` is stable across releases, `message` is not.
 *
 * @example
 * ```ts
 * import { connect, SaltError } from "brine";
 *
 * try {
 *   await connect({ rootDir: "/nowhere" });
 * } catch (error) {
 *   if (error instanceof SaltError) console.log(error.code); // MASTER_DOWN
 * }
 * ```
 */
export class SaltError extends Error {
  /** Stable, upper-case name of the failure, such as `"MASTER_DOWN"`. */
  readonly code: ErrorCode;

  /**
   * Makes an error with a code and a message.
   *
   * @param options `cause`, and the values of the message as fields of the error
   */
  constructor(code: ErrorCode, message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    const { cause, ...fields } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    // A bundler adds a number to a name that it has twice.
    this.name = new.target.name.replace(/\d+$/, "");
    Object.assign(this, fields);
  }
}

/**
 * The operating system refused a socket, file or process; `errno` is its reason (`"EACCES"`).
 *
 * @example
 * ```ts
 * import { codeOf, SystemError } from "brine";
 *
 * const error = new SystemError("EADDRINUSE", "Cannot listen at 0.0.0.0:4506");
 * console.log(codeOf(error)); // EADDRINUSE
 * ```
 */
export class SystemError extends SaltError {
  /** The operating system's name of the failure, such as `"EACCES"`; `code` is the same. */
  readonly errno: string;

  /**
   * Makes an error whose code is the system's name of the failure, such as `ENOENT`.
   *
   * @param options `cause`, and the values of the message as fields of the error
   */
  constructor(errno: string, message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super(errno as ErrorCode, message, options);
    this.errno = errno;
  }
}

/**
 * A peer did not answer in time.
 *
 * @example
 * ```ts
 * const error = new TimeoutError("The master has not answered within 5000 ms");
 * console.log(error.code); // TIMEOUT
 * ```
 */
export class TimeoutError extends SaltError {
  /** Makes an error with the code `"TIMEOUT"`. */
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("TIMEOUT", message, options);
  }
}

/**
 * Bytes from a peer that do not follow the protocol, or that exceed a bound.
 *
 * @example
 * ```ts
 * import { ProtocolError } from "brine";
 * import { decode } from "brine/wire";
 *
 * try {
 *   decode(new Uint8Array([0xc1]), { mode: "wire" });
 * } catch (error) {
 *   if (error instanceof ProtocolError) console.log(error.code); // PROTOCOL
 * }
 * ```
 */
export class ProtocolError extends SaltError {
  /** Makes an error with the code `"PROTOCOL"`. */
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("PROTOCOL", message, options);
  }
}

/**
 * A message that cannot be trusted: wrong MAC, wrong signature, replayed, or meant for another recipient.
 *
 * @example
 * ```ts
 * import { AuthenticationError } from "brine";
 *
 * export const isSignature = (error: unknown): boolean => error instanceof AuthenticationError;
 * ```
 */
export class AuthenticationError extends SaltError {
  /** Makes an error with the code `"AUTHENTICATION"`. */
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("AUTHENTICATION", message, options);
  }
}

/** A TLS connection that failed: a certificate was refused or is missing, or the other side does not speak TLS. */
export class TlsError extends SaltError {
  /** Makes an error with the code `"TLS"`. */
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("TLS", message, options);
  }
}

/**
 * A configuration that cannot be used; the message names file, line and key where they are known.
 *
 * @example
 * ```ts
 * import { ConfigError } from "brine";
 * import { masterOptions } from "brine/master";
 *
 * try {
 *   masterOptions({ ret_port: "many" as never });
 * } catch (error) {
 *   if (error instanceof ConfigError) console.log(error.code); // CONFIG
 * }
 * ```
 */
export class ConfigError extends SaltError {
  /** Makes an error with the code `"CONFIG"`. */
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("CONFIG", message, options);
  }
}

/**
 * The text of anything that was thrown, without its stack.
 *
 * @example
 * ```ts
 * console.log(messageOf(new TypeError("no number"))); // no number
 * console.log(messageOf("just text")); // just text
 * ```
 */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The `code` of anything that was thrown, or `""`.
 *
 * @example
 * ```ts
 * console.log(codeOf(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }))); // ECONNREFUSED
 * ```
 */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}
