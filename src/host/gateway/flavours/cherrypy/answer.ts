import type { Answer, Operation, Route } from "../../requests/route.ts";
import { allowedMethods, notFoundMessage, operationFor } from "../../requests/route.ts";
import type { Call } from "../../requests/call.ts";
import { presentedToken, refuseWhileDraining } from "../../requests/presented_token.ts";
import { negotiatedType, readCallBody, respond, runOperation } from "../../requests/handling.ts";
import { isOwnOrigin, mayUseCookie } from "../../requests/own_page.ts";
import { SESSION_MS, sessionCookie } from "../../auth/sessions.ts";
import { HttpError, NO_PERMISSION } from "../../wire/errors.ts";
import { accepted } from "../../wire/negotiate.ts";
import { siteFile } from "./site_files.ts";
import type { BodyRules } from "../../wire/body_formats.ts";
import type { RepresentationRules } from "../../wire/representation.ts";

/** How `rest_cherrypy` reads bodies and writes values. */
const BODY_RULES: BodyRules = { yamlInForms: true, plainTextMayBeAnything: true };
export const REPRESENTATION: RepresentationRules = { yamlFlow: false };

/** Handles a request in the order of `rest_cherrypy`: caller, body, format of the answer. */
export async function answer(
  route: Route | undefined,
  call: Call,
  routes: readonly Route[],
): Promise<Response> {
  const { request: { method }, headers } = call;
  allowAnyOrigin(call);
  if (route !== undefined) headers.Allow = allowedMethods(route);
  refuseWhileDraining(route, call);
  const file = siteFile(route, call);
  if (file !== undefined) return file;
  if (method === "OPTIONS") return preflight(call);
  checkAddress(route, call);
  if (route === undefined) throw new HttpError(404, notFoundMessage(routes, call.path));
  const operation = operationFor(route, method);
  await identify(call);
  if (setsCookie(route, operation)) setCookie(call);
  checkSession(operation?.auth ?? route.auth, call);
  if (method === "POST") await readCallBody(call, BODY_RULES);
  if (operation === undefined) throw new HttpError(405, "Specified method is invalid for this resource");
  const type = negotiatedType(operation, call, accepted);
  return await respond(await run(operation, call), call, type, REPRESENTATION);
}

/** Allows pages of every origin to call with a token in a header; only some pages may use the session's cookie. */
function allowAnyOrigin(call: Call): void {
  const { request, headers } = call;
  const origin = request.headers.get("Origin");
  headers["Access-Control-Allow-Origin"] = origin ?? "*";
  headers["Access-Control-Expose-Headers"] = "GET, POST";
  if (origin === null || isOwnOrigin(origin, call)) headers["Access-Control-Allow-Credentials"] = "true";
  headers.Vary = "Accept-Encoding, Origin";
}

function preflight({ request, headers }: Call): Response {
  const wanted = request.headers.get("Access-Control-Request-Method");
  if (wanted === "GET" || wanted === "POST") {
    headers["Access-Control-Allow-Methods"] = "GET, POST";
    headers["Access-Control-Allow-Headers"] = "Content-Type, X-Auth-Token, X-Requested-With";
    headers["Access-Control-Max-Age"] = "1400";
  }
  return new Response("", { status: 200, headers });
}

/** Checks the option `authorized_ips`, which applies only to the API. */
function checkAddress(route: Route | undefined, { services: { settings: { authorizedIps } }, peer }: Call): void {
  if (route?.extension === true || route?.page === true || authorizedIps === undefined) return;
  if (!authorizedIps.includes(peer.address)) throw new HttpError(403, "Bad IP");
}

async function identify(call: Call): Promise<void> {
  const token = presentedToken(call);
  if (token === undefined) return;
  call.identity = await call.services.identities.find(token, call.peer.address);
  if (call.identity !== undefined) {
    call.proven.add(call.identity.record.token);
    call.peer.known();
  }
  call.user = call.identity?.record.name;
}

function checkSession(auth: Route["auth"], call: Call): void {
  const { identity, headers } = call;
  if (auth !== "session") return;
  if (identity === undefined) throw new HttpError(401, NO_PERMISSION);
  headers["Cache-Control"] = "private";
}

function setsCookie(route: Route, operation: Operation | undefined): boolean {
  return route.extension !== true && route.page !== true && operation?.cookie !== false;
}

/** Renews the session's cookie. As in Salt, a caller without a session gets the id of a session that does not exist. */
function setCookie(call: Call): void {
  // Without this check, a page of another origin could sign the user in as somebody else.
  if (!mayUseCookie(call)) return;
  const { services: { clock, sessions, settings }, identity, headers } = call;
  const id = identity?.session?.id ?? sessions.newId();
  const expires = new Date(clock.now() + SESSION_MS).toUTCString();
  headers["Set-Cookie"] = sessionCookie(id, settings, `expires=${expires}`, `Max-Age=${SESSION_MS / 1000}`);
}

async function run(operation: Operation, call: Call): Promise<Answer> {
  const before = call.identity?.session?.id;
  const result = await runOperation(operation, call);
  // A login starts a new session, and the client has to get its cookie.
  if (call.identity?.session !== undefined && call.identity.session.id !== before) setCookie(call);
  return result;
}
