import { messageOf } from "../../base/errors.ts";
import { type EauthContext, type EauthCredentials, type EauthModule, sectionOption } from "../../model/loader/eauth.ts";
import { proxiesOf } from "../../model/loader/proxies.ts";
import { takeUser } from "../../runtime/http_head.ts";
import { textOfBody } from "../../runtime/http_body.ts";

const LIMIT_MS = 30_000;
const MAX_BYTES = 1024 * 1024;

/** The permissions that the server grants; undefined if it refuses. */
async function post(
  context: EauthContext,
  shown: EauthCredentials,
): Promise<unknown[] | undefined> {
  const address = new URL(String(sectionOption(context.section, "url")));
  const authorization = takeUser(address);
  let status: number;
  let text: string;
  try {
    const proxy = proxiesOf(context)(address);
    // A redirection is a refusal: the password goes to the configured address alone.
    const response = await context.runtime.http.request(address.href, {
      method: "POST",
      headers: new Headers({
        "content-type": "application/x-www-form-urlencoded;charset=UTF-8",
        ...(authorization === undefined ? {} : { authorization }),
      }),
      body: new TextEncoder().encode(`${new URLSearchParams({ username: shown.username, password: shown.password })}`),
      signal: AbortSignal.timeout(LIMIT_MS),
      connectMs: LIMIT_MS,
      ...(proxy === undefined ? {} : { proxy }),
    });
    status = response.status;
    text = await textOfBody(response.body, MAX_BYTES);
  } catch (error) {
    throw new Error(`${address.origin} could not be reached: ${messageOf(error)}`, { cause: error });
  }
  if (status !== 200) return undefined;
  const granted: unknown = text.trim() === "" ? null : JSON.parse(text);
  if (granted === null) return [];
  if (!Array.isArray(granted)) throw new TypeError(`${address.origin} did not send a list of permissions`);
  return granted;
}

/** The permissions that came with a successful login, kept for the request for permissions that follows it. */
const justGranted = new WeakMap<EauthCredentials, unknown[]>();

/** A web server that is POSTed `username` and `password` at `^url`: 200 is yes, a JSON list in it is permissions. */
export const eauth: EauthModule = {
  virtual({ section }) {
    const url = sectionOption(section, "url");
    if (typeof url !== "string") return { unavailable: "^url is not set" };
    return URL.canParse(url) ? true : { unavailable: `^url is not an address: ${url}` };
  },
  async authenticate(context, shown) {
    const granted = await post(context, shown);
    if (granted === undefined) return undefined;
    justGranted.set(shown, granted);
    return { name: shown.username };
  },
  permissions({ section }, { name }, shown) {
    const configured = Object.hasOwn(section, name) && Array.isArray(section[name]) ? section[name] : [];
    const all = [...configured, ...justGranted.get(shown) ?? []];
    return Promise.resolve(all.length === 0 ? undefined : all);
  },
};
