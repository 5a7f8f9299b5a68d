import { type EauthContext, type EauthCredentials, type EauthModule, sectionOption } from "../../loader/eauth.ts";

const LIMIT_MS = 30_000;
const MAX_BYTES = 1024 * 1024;

/** The permissions that the server grants; undefined if it refuses. */
async function post({ section }: EauthContext, shown: EauthCredentials): Promise<unknown[] | undefined> {
  const address = new URL(String(sectionOption(section, "url")));
  let response: Response;
  try {
    response = await fetch(address, {
      method: "POST",
      body: new URLSearchParams({ username: shown.username, password: shown.password }),
      // A redirect must not send the password to another address than the configured one.
      redirect: "manual",
      signal: AbortSignal.timeout(LIMIT_MS),
    });
  } catch (error) {
    throw new Error(`${address.origin} could not be reached: ${(error as Error).name}`, { cause: error });
  }
  const text = await response.text();
  if (response.status !== 200) return undefined;
  if (text.length > MAX_BYTES) throw new RangeError(`${address.origin} sent more than ${MAX_BYTES} characters`);
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
    return URL.canParse(url) ? true : { unavailable: `^url is no address: ${url}` };
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
