import type { Call } from "./call.ts";

type Asked = Pick<Call, "request" | "services">;

/** The origin of the page that makes a request, as reported by the browser; undefined for other clients. */
function pageOf({ headers }: Request): string | undefined {
  const origin = headers.get("Origin");
  if (origin !== null) return origin;
  // Browsers send no `Origin` header with requests that only read.
  const referrer = headers.get("Referer");
  return referrer === null ? undefined : URL.canParse(referrer) ? new URL(referrer).origin : "null";
}

/**
 * True if a page of an origin may use the session's cookie: pages of this server, and of origins in `cors_origin` by name. The name
 * of the host is compared without the scheme, since a proxy may terminate TLS.
 */
export function isOwnOrigin(origin: string, { request, services: { settings: { corsOrigin } } }: Asked): boolean {
  if (corsOrigin?.includes(origin)) return true;
  const host = URL.canParse(origin) ? new URL(origin).host : "";
  return host !== "" && host === (request.headers.get("Host") ?? new URL(request.url).host).toLowerCase();
}

/**
 * True if a request may be authenticated by the session's cookie. A browser adds the cookie to requests of any page of the same
 * site, including other ports and sibling domains, so the page has to belong to this server. A client other than a browser names
 * no page.
 */
export function mayUseCookie(asked: Asked): boolean {
  const { request } = asked;
  // Pages cannot set this header. `none` means that the user has typed the address.
  const site = request.headers.get("Sec-Fetch-Site");
  if (site === "same-origin" || site === "none") return true;
  const page = pageOf(request);
  return page === undefined ? site === null : isOwnOrigin(page, asked);
}
