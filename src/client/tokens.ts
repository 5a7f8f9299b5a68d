import type { Credentials } from "./publish_request.ts";
import type { LocalClient } from "./local_client.ts";

/** The master's record of a login. */
export interface TokenRecord {
  /** The token itself: a secret that stands for the login. */
  token: string;
  /** When the login was, in seconds since the epoch. */
  start: number;
  /** When the token expires, in seconds since the epoch. */
  expire: number;
  /** The name of the user. */
  name: string;
  /** The backend that checked the login, such as `"pam"`. */
  eauth: string;
  /** The user's groups, if the backend has groups. */
  groups?: string[];
  /** Permissions that the backend itself granted. */
  auth_list?: unknown[];
}

function recordOf(reply: unknown): TokenRecord | undefined {
  if (typeof reply !== "object" || reply === null) return undefined;
  const { token, start, expire, name, eauth, groups, auth_list } = reply as Record<string, unknown>;
  if (typeof token !== "string" || token === "") return undefined;
  return {
    token,
    // The times arrive as floats, which may be boxed.
    start: Number(start),
    expire: Number(expire),
    name: String(name),
    eauth: String(eauth),
    ...(Array.isArray(groups) ? { groups: groups.map(String) } : {}),
    ...(Array.isArray(auth_list) ? { auth_list } : {}),
  };
}

/**
 * Logs a user in at the master and returns the token; undefined if the credentials are wrong.
 *
 * @param credentials `{eauth, username, password, …}`
 * @param session 32 to 128 hex digits by which {@link readToken} also finds the token; only for a Brine master
 * @example
 * ```ts
 * await using salt = await connect();
 * const made = await makeToken(salt, { eauth: "file", username: "ann", password: "secret" });
 * console.log(made?.token);
 * ```
 * @see docs/internals/protocol.md 7.1 mk_token
 */
export async function makeToken(
  client: LocalClient,
  credentials: Credentials,
  session?: string,
): Promise<TokenRecord | undefined> {
  return recordOf(
    await client.send({ ...credentials, cmd: "mk_token", ...(session === undefined ? {} : { session }) }),
  );
}

/**
 * The master's record of a token; undefined if the token is unknown or has expired.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * console.log(await readToken(salt, "0".repeat(64)));
 * ```
 */
export async function readToken(client: LocalClient, token: string): Promise<TokenRecord | undefined> {
  return recordOf(await client.send({ cmd: "get_token", token }));
}

/**
 * Revokes a token; false if it is unknown, or if the master is Salt, which has no such command.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * const made = await makeToken(salt, { eauth: "file", username: "ann", password: "secret" });
 * if (made !== undefined) await deleteToken(salt, made.token);
 * ```
 */
export async function deleteToken(client: LocalClient, token: string): Promise<boolean> {
  return await client.send({ cmd: "del_token", token }) === true;
}
