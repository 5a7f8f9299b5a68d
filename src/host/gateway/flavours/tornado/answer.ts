import type { Call } from "../../requests/call.ts";
import { presentedToken, refuseWhileDraining } from "../../requests/presented_token.ts";
import { negotiatedType, readCallBody, respond, runOperation } from "../../requests/handling.ts";
import { notFoundMessage, type Operation, operationFor, type Route } from "../../requests/route.ts";
import { HttpError } from "../../wire/errors.ts";
import { firstAccepted } from "../../wire/negotiate.ts";
import { type RepresentationRules, WRITABLE_TYPES } from "../../wire/representation.ts";
import type { BodyRules } from "../../wire/body_formats.ts";

/** How `rest_tornado` reads bodies and writes values. */
const BODY_RULES: BodyRules = { yamlInForms: false, plainTextMayBeAnything: false };
const REPRESENTATION: RepresentationRules = { yamlFlow: "leaves" };

/** Handles a request in the order of `rest_tornado`: format of the answer, caller, body. */
export async function answer(
  route: Route | undefined,
  call: Call,
  routes: readonly Route[],
): Promise<Response> {
  const { request: { method } } = call;
  allowOrigin(call);
  refuseWhileDraining(route, call);
  if (route === undefined) throw new HttpError(404, notFoundMessage(routes, call.path));
  if (method === "OPTIONS") return preflight(call);
  // Real servers do not have HEAD.
  const operation = method === "HEAD" ? undefined : operationFor(route, method);
  if (operation === undefined) throw new HttpError(405, "Specified method is invalid for this resource");
  checkAccept(operation, call);
  const type = negotiatedType(operation, call, firstAccepted);
  const auth = operation.auth ?? route.auth;
  await identify(auth, call);
  if (auth === "session" && call.identity === undefined) return toLogin(call);
  if (method === "POST") await readCallBody(call, BODY_RULES);
  return await respond(await runOperation(operation, call), call, type, REPRESENTATION);
}

function allowOrigin({ services: { settings: { corsOrigin } }, request, headers }: Call): void {
  const origin = request.headers.get("Origin");
  if (corsOrigin === undefined) return;
  if (corsOrigin.includes("*")) headers["Access-Control-Allow-Origin"] = "*";
  else if (origin !== null && corsOrigin.includes(origin)) headers["Access-Control-Allow-Origin"] = origin;
}

function preflight({ request, headers }: Call): Response {
  headers["Access-Control-Allow-Headers"] = request.headers.get("Access-Control-Request-Headers") ?? "";
  headers["Access-Control-Expose-Headers"] = "X-Auth-Token";
  headers["Access-Control-Allow-Methods"] = "OPTIONS, GET, POST";
  return new Response(null, { status: 204, headers });
}

/** Checks the `Accept` header, also for streams. Salt refuses EventSource by mistake because of this header; Brine accepts it. */
function checkAccept({ produces }: Operation, { request }: Call): void {
  const accept = request.headers.get("Accept");
  if (produces === undefined || accept === "text/event-stream") return;
  if (firstAccepted(accept, WRITABLE_TYPES) === undefined) throw new HttpError(406, "Not acceptable");
}

async function identify(auth: Route["auth"], call: Call): Promise<void> {
  const token = presentedToken(call);
  if (auth === "none" || token === undefined) return;
  // `GET /` is for every caller, so the master is not asked about the token.
  const record = auth === "own" && call.path === "/" ? undefined : await call.backend.token(token);
  if (record !== undefined) {
    call.identity = { record };
    call.peer.known();
  }
  call.user = record?.name;
}

function toLogin({ headers }: Call): Response {
  headers["Content-Type"] = "text/html; charset=UTF-8";
  return new Response(null, { status: 302, headers: { ...headers, Location: "/login" } });
}
