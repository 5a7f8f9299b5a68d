/** Reads fields of a chunk that several clients use. */
import type { Credentials } from "../../../client/publish_request.ts";
import { functionsFault } from "../../../model/job/function_name.ts";
import { HttpError } from "../wire/errors.ts";
import type { Low } from "./lowstate.ts";

/** The largest number of seconds in a request: a day. */
const MAX_SECONDS = 86_400;
/** Fields that authenticate the caller. */
const CREDENTIAL_FIELDS: readonly string[] = ["token", "eauth", "username", "password"];

/** A field in milliseconds. Clients send seconds, some of them as text; undefined if the field is missing, null or `""`. */
export function milliseconds(low: Low, field: string): number | undefined {
  const value = low[field];
  if (value === undefined || value === null || value === "") return undefined;
  const seconds = Number(value);
  if (!Number.isFinite(seconds) || seconds < 0 || seconds > MAX_SECONDS || typeof value === "boolean") {
    throw new HttpError(400, `${field} is not a number of seconds from 0 to ${MAX_SECONDS}`);
  }
  return seconds * 1000;
}

/** Reads a flag, which clients also send as text or 1. */
export const flag = (value: unknown): boolean => value === true || value === "true" || value === "True" || value === 1;

/** Refuses values that are not the name of a function, or a list of names. @throws {HttpError} 400 */
export function checkFunctionNames(fun: unknown): void {
  const fault = functionsFault(fun);
  if (fault !== undefined) throw new HttpError(400, fault);
}

export function argList({ arg }: Low): unknown[] {
  return arg === undefined || arg === null ? [] : [arg].flat(1);
}

/** Refuses a token that the master cannot have issued: the master uses it as the name of a file. @throws {HttpError} 401 */
export function checkToken({ token }: Low): void {
  if (token === undefined) return;
  if (typeof token !== "string" || !/^[0-9a-fA-F]{1,256}$/.test(token)) throw new HttpError(401, "Invalid token");
}

/** The credentials of a chunk. No other field reaches an eauth backend. @throws {HttpError} 401 */
export function lowCredentials(low: Low): Credentials {
  checkToken(low);
  // If there is a token, other credentials are ignored: they could only contradict it.
  if (low.token !== undefined) return { token: low.token };
  const { eauth, username, password } = low;
  return { eauth, username, password };
}

/** The top-level fields of a runner's or wheel function's chunk that are keyword arguments: all without another meaning. */
export function topLevelArguments(low: Low, reserved: readonly string[]): Low {
  return Object.fromEntries(
    Object.entries(low).filter(([name]) =>
      // The master passes job and user to its functions under names that begin with two underscores.
      !name.startsWith("__") && !reserved.includes(name) && !CREDENTIAL_FIELDS.includes(name)
    ),
  );
}
