import type { Credentials } from "../../client/credentials.ts";
import { isMap } from "../../python/containers.ts";
import type { Call } from "../requests/call.ts";
import { HttpError } from "../wire/errors.ts";
import { permissionsOf } from "./permissions.ts";
import type { Answer } from "../requests/route.ts";
import { sessionCookie } from "./sessions.ts";

const FAILED = "Could not authenticate using provided credentials";
/** Names that mean something to the master beside the back end, or to us. */
const NOT_CREDENTIALS = new Set(["cmd", "client", "fun", "arg", "kwarg", "key", "user", "token", "token_type"]);

/** What a back end may see of a login: single values under ordinary names. */
export function credentialsFrom(data: Record<string, unknown>): Credentials {
  return Object.fromEntries(
    Object.entries(data).filter(([name, value]) =>
      /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && !NOT_CREDENTIALS.has(name) &&
      (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    ),
  );
}

/** `POST /login` of the default profile. */
export async function logIn(call: Call): Promise<Answer> {
  const { backend, services: { settings, sessions, identities } } = call;
  const { data } = call.body;
  const given = Array.isArray(data) ? data[0] : data;
  // Real servers fail over a login without a body, and say so with these very words.
  if (given === null || given === undefined) throw new TypeError("The login has no body");
  if (!isMap(given) || given instanceof Map) throw new HttpError(400, "A login is a mapping, or a list of one");
  call.user = typeof given.username === "string" ? given.username : undefined;
  const credentials = credentialsFrom(given);
  const complete = credentials.eauth !== undefined &&
    (credentials.username !== undefined || credentials.id_token !== undefined);
  const record = complete ? await backend.login(credentials) : undefined;
  if (record === undefined) throw new HttpError(401, FAILED);
  call.user = record.name;
  const perms = permissionsOf(record, settings.externalAuth);
  const about = {
    start: record.start,
    user: record.name,
    eauth: record.eauth,
    perms: perms.length === 0 ? {} : perms,
  };
  if (given.token_type === "jwt" && identities.jwts !== undefined) {
    const pair = await identities.jwts.issue(record);
    return { value: { return: [{ token: pair.access_token, expire: pair.access_expire, ...about, ...pair }] } };
  }
  // Under a new id, whatever was presented: nobody can have prepared it.
  const session = sessions.start(record);
  call.identity = { record, session };
  call.headers["X-Auth-Token"] = session.id;
  return { value: { return: [{ token: session.id, expire: record.expire, ...about }] } };
}

/** `POST /login` of tornado's profile: the eauth token itself goes out. */
export async function logInOfTornado(call: Call): Promise<Answer> {
  const { backend, services: { settings } } = call;
  const { data } = call.body;
  if (data === null) throw new TypeError("The login has no body");
  if (!isMap(data) || data instanceof Map) throw new HttpError(400, "A login is a mapping");
  const { username, password, eauth } = data;
  if (username === undefined || password === undefined || eauth === undefined) {
    throw new HttpError(400, "A login has username, password and eauth");
  }
  call.user = String(username);
  const record = await backend.login({ username, password, eauth });
  if (record === undefined || !Object.hasOwn(settings.externalAuth, record.eauth)) throw new HttpError(401, FAILED);
  call.headers["Set-Cookie"] = sessionCookie(record.token, settings);
  const { token, expire, start, name: user } = record;
  const perms = permissionsOf(record, settings.externalAuth);
  return { value: { return: [{ token, expire, start, user, eauth: record.eauth, perms }] } };
}
