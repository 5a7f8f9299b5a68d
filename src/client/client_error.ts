import { codeOf, type ErrorCode, SaltError } from "../base/errors.ts";

/**
 * A request to the master that could not be made, or that the master refused.
 *
 * @example
 * ```ts
 * import { ClientError, connect } from "brine";
 *
 * await using salt = await connect();
 * try {
 *   await salt.keys.fingerprint("no-such-minion");
 * } catch (error) {
 *   if (!(error instanceof ClientError)) throw error;
 *   console.error(error.code, error.message);
 * }
 * ```
 */
export class ClientError extends SaltError {}

/** The master's names for its errors → our codes. */
const CODES: Record<string, ErrorCode> = {
  AuthenticationError: "AUTHENTICATION",
  TokenAuthenticationError: "AUTHENTICATION",
  EauthAuthenticationError: "AUTHENTICATION",
  UserAuthenticationError: "AUTHENTICATION",
  AuthorizationError: "PERMISSION",
};

/**
 * The master's refusal: `AUTHENTICATION` if the credentials are not valid, `PERMISSION` if their user may not do this,
 * `REFUSED` for any other reason.
 *
 * @param kind the master's name for the error; `""` if it gave none
 */
export function refusal(message: string, kind = ""): ClientError {
  return new ClientError(Object.hasOwn(CODES, kind) ? CODES[kind]! : "REFUSED", message, { kind });
}

/** True for an error of {@link refusal}: the master has answered and refused the request. */
export function isRefusal(error: unknown): error is ClientError {
  return error instanceof ClientError && ["AUTHENTICATION", "PERMISSION", "REFUSED"].includes(codeOf(error));
}

/**
 * The refusal in a master's reply, `{error: {name, message}}` or `{error: "…"}`; undefined if the reply is not a refusal.
 *
 * @param fallback the message for a refusal without words
 */
export function refusalOf(reply: unknown, fallback: string): ClientError | undefined {
  const error = (reply as { error?: { name?: unknown; message?: unknown } | string } | null)?.error;
  if (error === undefined) return undefined;
  if (typeof error === "string") return refusal(error);
  return refusal(String(error.message ?? fallback), String(error.name ?? ""));
}

/** The last line of a text: in a traceback, the message. */
const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";

/**
 * The return of a function of the master.
 *
 * @param what the name for messages, such as `runner "jobs.list_jobs"`
 * @param data the data of the function's last event: `return`, `success`
 * @throws {ClientError} `FAILED` if the function did not succeed; the error's field `return` has the whole return
 */
export function returnOrFailure(what: string, data: Record<string, unknown>): unknown {
  if (data.success !== false) return data.return;
  const said = typeof data.return === "string" ? lastLine(data.return) : "";
  throw new ClientError("FAILED", `The ${what} failed${said === "" ? "" : `: ${said}`}`, { return: data.return });
}
