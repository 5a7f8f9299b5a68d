import type { Credentials } from "./credentials.ts";
import type { LocalClient } from "./local_client.ts";

/** What the master keeps of a sign-in; times are seconds since the epoch. */
export interface TokenRecord {
  /** The token itself: a secret that stands for the login. */
  token: string;
  /** When the login was, in seconds since the epoch. */
  start: number;
  /** When the token expires, in seconds since the epoch. */
  expire: number;
  /** Of the user. */
  name: string;
  /** The back end that checked the login, such as `"pam"`. */
  eauth: string;
  /** The user's groups, if the back end has groups. */
  groups?: string[];
  /** Permissions that the back end itself gave. */
  auth_list?: unknown[];
}

function recordOf(reply: unknown): TokenRecord | undefined {
  if (typeof reply !== "object" || reply === null) return undefined;
  const { token, start, expire, name, eauth, groups, auth_list } = reply as Record<string, unknown>;
  if (typeof token !== "string" || token === "") return undefined;
  return {
    token,
    // They arrive as floats, which may be boxed.
    start: Number(start),
    expire: Number(expire),
    name: String(name),
    eauth: String(eauth),
    ...(Array.isArray(groups) ? { groups: groups.map(String) } : {}),
    ...(Array.isArray(auth_list) ? { auth_list } : {}),
  };
}

/**
 * Signs somebody in at the master; undefined if the credentials do not hold.
 *
 * @param credentials `{eauth, username, password, …}`
 * @see docs/protocol.md 7.1 mk_token
 */
export async function makeToken(client: LocalClient, credentials: Credentials): Promise<TokenRecord | undefined> {
  return recordOf(await client.send({ ...credentials, cmd: "mk_token" }));
}

/** What the master knows of a token; undefined if it knows none, or no longer. */
export async function readToken(client: LocalClient, token: string): Promise<TokenRecord | undefined> {
  return recordOf(await client.send({ cmd: "get_token", token }));
}

/** Makes a token worthless; false if the master knows none, or is real Salt's, which cannot be asked for that. */
export async function deleteToken(client: LocalClient, token: string): Promise<boolean> {
  return await client.send({ cmd: "del_token", token }) === true;
}
