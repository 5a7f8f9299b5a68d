import type { Call } from "../requests/call.ts";
import { inScope } from "../auth/identities.ts";
import { HttpError } from "../wire/errors.ts";
import type { Answer } from "../requests/route.ts";
import { truthy } from "../../python/truth.ts";

/** Headers that say who somebody is: every listener of the bus would see them. */
const SECRET = new Set(["x-auth-token", "cookie", "authorization", "proxy-authorization"]);
/** What the server says of the connection: whoever sends these, under whatever spelling, does not. */
const OF_SERVER = new Set(["remote-addr", "remote-host", "remote-port", "remote-user"]);
const MOST_TAG = 1024;

const titled = (name: string) => name.replace(/[^-]+/g, (word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase());

/** `POST /hook/...`: puts the request on the master's bus. */
export async function fireHook(call: Call): Promise<Answer> {
  const { services: { open, settings }, request, peer, params, body, identity } = call;
  if (identity !== undefined && !inScope(identity, "hook")) throw new HttpError(401, "The API key does not cover hook");
  const rest = params.rest === undefined ? "" : `/${params.rest}`;
  const tag = `salt/netapi/hook${rest}`;
  // deno-lint-ignore no-control-regex
  if (tag.length > MOST_TAG || /[\x00-\x1f\x7f]/.test(tag)) {
    throw new HttpError(400, "The path makes no tag of an event");
  }
  const headers: Record<string, string> = { "Remote-Addr": peer.address };
  for (const [name, value] of request.headers) {
    // As gateways of old do, some readers take `_` and `-` for the same.
    const plain = name.replaceAll("_", "-");
    if (!SECRET.has(plain) && !OF_SERVER.has(plain)) headers[titled(name)] = value;
  }
  const post = truthy(body.data) ? body.data : {};
  const data = settings.flavour === "rest_cherrypy"
    ? { body: body.raw, post, headers }
    : { post: body.data ?? {}, get: queryOf(call.query), headers };
  await open.fire(tag, data);
  return { value: { success: true } };
}

function queryOf(query: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(names.map((name) => {
    const values = query.getAll(name);
    return [name, values.length === 1 ? values[0]! : values];
  }));
}
