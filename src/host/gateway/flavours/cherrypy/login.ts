/** `/login`, `/logout` and `/refresh`. */
import type { Credentials } from "../../../../client/publish_request.ts";
import type { TokenRecord } from "../../../../client/tokens.ts";
import { isMap } from "../../../../language/python/values.ts";
import { LOGIN_FAILED } from "../../auth/sign_in_limits.ts";
import { permissionsOf } from "../../auth/permissions.ts";
import { sessionCookie } from "../../auth/sessions.ts";
import type { Call } from "../../requests/call.ts";
import type { Answer } from "../../requests/route.ts";
import { HttpError, NO_PERMISSION } from "../../wire/errors.ts";
import { fieldOf } from "../../wire/json.ts";

/** Fields of a login that the master or the gateway use, and that must not reach an eauth backend. */
const NOT_CREDENTIALS = new Set(["cmd", "client", "fun", "arg", "kwarg", "key", "user", "token", "token_type"]);

/** The fields of a login that an eauth backend may see: single values with ordinary names. */
function credentialsFrom(data: Record<string, unknown>): Credentials {
  return Object.fromEntries(
    Object.entries(data).filter(([name, value]) =>
      /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && !NOT_CREDENTIALS.has(name) &&
      (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    ),
  );
}

export function loginHint(call: Call): Answer {
  call.headers["Www-Authenticate"] = "Session";
  return { value: { status: null, return: "Please log in" } };
}

export async function logIn(call: Call): Promise<Answer> {
  const given = loginOf(call.body.data);
  call.user = typeof given.username === "string" ? given.username : undefined;
  const { sessions, identities: { jwts } } = call.services;
  // A login always gets a new id: another page or user may have chosen the presented id.
  const id = sessions.newId();
  const record = await authenticate(call, credentialsFrom(given), sessions.nameOf(id));
  call.user = record.name;
  const { externalAuth } = call.services.settings;
  const perms = permissionsOf(record, externalAuth);
  const about = { start: record.start, user: record.name, eauth: record.eauth, perms: perms.length === 0 ? {} : perms };
  if (given.token_type === "jwt" && jwts !== undefined) {
    const pair = await jwts.issue(record);
    return { value: { return: [{ token: pair.access_token, expire: pair.access_expire, ...about, ...pair }] } };
  }
  const session = sessions.start(id, record);
  call.identity = { record, session };
  call.headers["X-Auth-Token"] = session.id;
  return { value: { return: [{ token: session.id, expire: record.expire, ...about }] } };
}

function loginOf(data: unknown): Record<string, unknown> {
  const given = Array.isArray(data) ? data[0] : data;
  // Salt's servers fail on a login without a body. An unexpected error makes the same answer.
  if (given === null || given === undefined) throw new TypeError("The login has no body");
  if (!isMap(given) || given instanceof Map) throw new HttpError(400, "A login is a mapping, or a list of one");
  return given;
}

async function authenticate({ backend }: Call, credentials: Credentials, session: string): Promise<TokenRecord> {
  const complete = credentials.eauth !== undefined &&
    (credentials.username !== undefined || credentials.id_token !== undefined);
  const record = complete ? await backend.login(credentials, session) : undefined;
  if (record === undefined) throw new HttpError(401, LOGIN_FAILED);
  return record;
}

/** `POST /logout`. */
export async function logOut(call: Call): Promise<Answer> {
  const { identity, headers, services: { identities, clock, settings } } = call;
  if (identity !== undefined) await identities.logOut(identity);
  if (identity?.session !== undefined) {
    const expires = new Date(clock.now()).toUTCString();
    headers["Set-Cookie"] = sessionCookie(identity.session.id, settings, `expires=${expires}`);
  }
  return { value: { return: "Your token has been cleared" } };
}

/** `POST /refresh`: a new pair of JSON Web Tokens for a refresh token. */
export async function refresh(call: Call): Promise<Answer> {
  const { identities } = call.services;
  const { backend, peer: { address }, body: { data } } = call;
  const token = fieldOf(data, "refresh_token");
  const pair = await identities.refresh(token, { backend, address });
  if (pair === undefined) throw new HttpError(401, NO_PERMISSION);
  return { value: { return: [pair] } };
}
