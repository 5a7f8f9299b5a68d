import type { Http, HttpRequest } from "./http.ts";
import type { Proxy } from "./proxy_net.ts";

/** The most redirections that are followed: as many as Tornado, Salt's HTTP client, follows. */
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Statuses of redirections after which the next request is a GET, whatever the first one was. */
const TO_A_PAGE = new Set([302, 303]);
/** Header fields that are sent to the first server only. */
const CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];

/** A redirection that is not followed. */
export class RedirectError extends TypeError {
  override name = "RedirectError";
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** A request that may go to several servers. */
export interface RedirectedRequest extends Omit<HttpRequest, "proxy"> {
  /** The proxy for each address. @default none */
  proxyFor?(url: URL): Proxy | undefined;
  /**
   * Whether a redirection from https to http is followed. Only for content that is checked by other means: it can be changed on the way.
   *
   * @default false
   */
  toPlain?: boolean;
}

/**
 * Sends a request and follows redirections. Header fields with credentials are sent to the first server only.
 *
 * @throws {RedirectError} for too many redirections, one to another scheme than http and https, or one from https to http
 */
export async function followRedirects(http: Http, address: string, request: RedirectedRequest): Promise<Response> {
  let url = new URL(address);
  const { proxyFor, toPlain = false, method: asked, body: given, headers: shown, ...rest } = request;
  let [method, body, headers] = [asked, given, shown];
  for (let count = 0;; count++) {
    const proxy = proxyFor?.(url);
    const response = await http.request(url.href, {
      ...rest,
      ...(method === undefined ? {} : { method }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
      ...(proxy === undefined ? {} : { proxy }),
    });
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel();
    const refuse = (why: string): never => {
      throw new RedirectError(why, response.status);
    };
    if (count === MAX_REDIRECTS) refuse(`More than ${MAX_REDIRECTS} redirections`);
    if (!URL.canParse(location, url.href)) refuse("Cannot follow a redirection: its Location is not a URL");
    const next = new URL(location, url);
    if (next.protocol !== "http:" && next.protocol !== "https:") {
      refuse(`Cannot follow a redirection to ${next.protocol}//: only http and https are fetched`);
    }
    if (url.protocol === "https:" && next.protocol === "http:" && !toPlain) {
      refuse(
        `Cannot follow a redirection from https to http://${next.host}: its data can be changed on the ` +
          "way. Use an https address that stays on https; for a file, source_hash is enough",
      );
    }
    headers = new Headers(headers);
    if (next.origin !== url.origin) { for (const name of CREDENTIALS) headers.delete(name); }
    if (TO_A_PAGE.has(response.status) && method !== "HEAD") {
      method = "GET";
      body = undefined;
      for (const name of ["content-type", "content-length"]) headers.delete(name);
    }
    url = next;
  }
}
