/** `/login`: the session of `rest_tornado` is the eauth token itself. */
import { isMap } from "../../../../language/python/values.ts";
import { LOGIN_FAILED } from "../../auth/sign_in_limits.ts";
import { permissionsOf } from "../../auth/permissions.ts";
import { sessionCookie } from "../../auth/sessions.ts";
import type { Call } from "../../requests/call.ts";
import { mayUseCookie } from "../../requests/own_page.ts";
import type { Answer } from "../../requests/route.ts";
import { HttpError } from "../../wire/errors.ts";

export function loginHint(call: Call): Answer {
  call.status = 401;
  call.headers["Www-Authenticate"] = "Session";
  return { value: { status: "401 Unauthorized", return: "Please log in" } };
}

export async function logIn(call: Call): Promise<Answer> {
  const { backend, services: { settings }, body: { data } } = call;
  // Salt's servers fail on a login without a body. An unexpected error makes the same answer.
  if (data === null) throw new TypeError("The login has no body");
  if (!isMap(data) || data instanceof Map) throw new HttpError(400, "A login is a mapping");
  const { username, password, eauth } = data;
  if (username === undefined || password === undefined || eauth === undefined) {
    throw new HttpError(400, "A login has username, password and eauth");
  }
  call.user = String(username);
  const record = await backend.login({ username, password, eauth });
  if (record === undefined || !Object.hasOwn(settings.externalAuth, record.eauth)) {
    throw new HttpError(401, LOGIN_FAILED);
  }
  // Without this check, a page of another origin could sign the user in as somebody else.
  if (mayUseCookie(call)) call.headers["Set-Cookie"] = sessionCookie(record.token, settings);
  const { token, expire, start, name: user } = record;
  const perms = permissionsOf(record, settings.externalAuth);
  return { value: { return: [{ token, expire, start, user, eauth: record.eauth, perms }] } };
}
