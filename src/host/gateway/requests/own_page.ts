import type { Call } from "./call.ts";

type Asked = Pick<Call, "request" | "services">;

/** Where the page is that makes a request, as far as the browser says; undefined for a client that is no browser. */
function pageOf({ headers }: Request): string | undefined {
  const origin = headers.get("Origin");
  if (origin !== null) return origin;
  // Browsers leave the origin out of what only reads.
  const referrer = headers.get("Referer");
  return referrer === null ? undefined : URL.canParse(referrer) ? new URL(referrer).origin : "null";
}

/**
 * True if a page of that origin may use the session's cookie: the server's own, and those of `cors_origin` by name. The name of
 * the host is compared without the scheme: a proxy may end TLS before the server.
 */
export function isOwnOrigin(origin: string, { request, services: { settings: { corsOrigin } } }: Asked): boolean {
  if (corsOrigin?.includes(origin)) return true;
  const host = URL.canParse(origin) ? new URL(origin).host : "";
  return host !== "" && host === (request.headers.get("Host") ?? new URL(request.url).host).toLowerCase();
}

/**
 * True if a request may be authenticated by the session's cookie. A browser adds it to whatever any page of the same site asks
 * for, other ports and sibling domains included, so the page has to be one of this server. A client that is no browser names no
 * page.
 */
export function mayUseCookie(asked: Asked): boolean {
  const { request } = asked;
  // No page can set this header. `none`: the user has typed the address.
  const site = request.headers.get("Sec-Fetch-Site");
  if (site === "same-origin" || site === "none") return true;
  const page = pageOf(request);
  return page === undefined ? site === null : isOwnOrigin(page, asked);
}
