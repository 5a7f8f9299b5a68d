import { refuseUnknownKeys } from "../base/nearest_name.ts";
import { askClear } from "./clear.ts";
import { refusal } from "./client_error.ts";
import type { Credentials, JobOrigin } from "./publish_request.ts";
import type { MasterLink } from "./bus_feed.ts";

/** A call of a wheel function. */
export interface WheelRequest {
  /** The wheel function, such as `"key.accept"`. */
  fun: string;
  /** Keyword arguments. */
  kwarg: Record<string, unknown>;
  /** The caller's credentials, such as `ownCredentials` of a client. */
  credentials: Credentials;
  /** The cause of the call, in addition to the caller; Brine masters only. */
  origin?: JobOrigin;
}

/** The result of a wheel function, which ends before the master replies. */
export interface WheelResult {
  /** The prefix of the tags of the function's events: `salt/wheel/<jid>`. */
  tag: string;
  /** The data of the function's last event: `fun`, `jid`, `tag`, `user`, `return`, `success`, `_stamp`. */
  data: Record<string, unknown>;
}

/** The time for a wheel function, in milliseconds: it may generate keys, which takes a while. */
const TIMEOUT_MS = 300_000;

/**
 * Runs a wheel function in the master.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * const { data } = await callWheel(salt, { fun: "key.list_all", kwarg: {}, credentials: salt.ownCredentials });
 * console.log(data.return);
 * ```
 * @throws {ClientError} `REFUSED`
 * @throws {TypeError} for unknown keys of the request
 */
export async function callWheel(
  client: MasterLink,
  request: WheelRequest,
  options: { timeoutMs?: number } = {},
): Promise<WheelResult> {
  refuseUnknownKeys("a wheel function's call", request, ["fun", "kwarg", "credentials", "origin"]);
  const { fun, kwarg, credentials, origin } = request;
  const load = { ...kwarg, ...credentials, cmd: "wheel", fun, ...(origin === undefined ? {} : { __origin__: origin }) };
  const reply = await askClear(client, load, { timeoutMs: TIMEOUT_MS, ...options });
  const { tag, data } = (reply ?? {}) as Record<string, unknown>;
  if (typeof tag !== "string" || typeof data !== "object" || data === null) {
    throw refusal(`The master did not run the wheel function "${fun}"`);
  }
  return { tag, data: data as Record<string, unknown> };
}
