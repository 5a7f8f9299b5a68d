import { inScope } from "../auth/api_keys.ts";
import type { Call } from "../requests/call.ts";
import type { Answer } from "../requests/route.ts";
import { HttpError } from "../wire/errors.ts";

/** Headers with credentials, which are removed, since every listener of the bus would see them. */
const SECRET = new Set(["x-auth-token", "cookie", "authorization", "proxy-authorization"]);
/** Headers that the server sets with data about the connection; a client must not set them, in any spelling. */
const SET_BY_SERVER = new Set(["remote-addr", "remote-host", "remote-port", "remote-user"]);
const MAX_TAG = 1024;

const titled = (name: string) => name.replace(/[^-]+/g, (word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase());

/**
 * `POST /hook/...`: fires an event with the request on the master's bus.
 *
 * @param dataOf returns the event's data without the headers, in the form of the flavour
 */
export async function fireHook(
  call: Call,
  dataOf: (call: Call) => Record<string, unknown>,
): Promise<Answer> {
  const { services: { open }, params, identity } = call;
  if (identity !== undefined && !inScope(identity, "hook")) throw new HttpError(401, "The API key does not cover hook");
  const tag = hookTag(params.rest);
  await open.fire(tag, { ...dataOf(call), headers: publicHeaders(call) });
  return { value: { success: true } };
}

function hookTag(rest: string | undefined): string {
  const tag = `salt/netapi/hook${rest === undefined ? "" : `/${rest}`}`;
  // deno-lint-ignore no-control-regex
  if (tag.length <= MAX_TAG && !/[\x00-\x1f\x7f]/.test(tag)) return tag;
  throw new HttpError(
    400,
    `The path is not an event tag: expected at most ${MAX_TAG} characters, no control characters`,
  );
}

function publicHeaders({ request, peer }: Call): Record<string, string> {
  const headers: Record<string, string> = { "Remote-Addr": peer.address };
  for (const [name, value] of request.headers) {
    // Programs that follow CGI treat `_` and `-` as equal.
    const plain = name.replaceAll("_", "-");
    if (!SECRET.has(plain) && !SET_BY_SERVER.has(plain)) headers[titled(name)] = value;
  }
  return headers;
}
