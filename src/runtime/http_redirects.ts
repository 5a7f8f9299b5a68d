import type { Http, HttpRequest } from "./http.ts";

/** Redirections that are followed, as Tornado does it. */
const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Redirections after which a request asks for a page, whatever it was before. */
const TO_A_PAGE = new Set([302, 303]);

/**
 * Sends a request and follows redirections. A header with credentials goes to the first server alone.
 *
 * @throws {TypeError} for too many redirections, or one to another scheme than http and https
 */
export async function followRedirects(http: Http, address: string, request: HttpRequest): Promise<Response> {
  let url = new URL(address);
  let { method, body, headers, ...rest } = request;
  for (let count = 0;; count++) {
    const response = await http.request(url.href, {
      ...rest,
      ...(method === undefined ? {} : { method }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
    });
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel();
    if (count === MOST_REDIRECTS) throw new TypeError(`More than ${MOST_REDIRECTS} redirections`);
    const next = new URL(location, url);
    if (next.protocol !== "http:" && next.protocol !== "https:") {
      throw new TypeError(`Cannot follow a redirection to ${next.protocol}//: only http and https are fetched`);
    }
    headers = new Headers(headers);
    if (next.origin !== url.origin) { for (const name of ["authorization", "cookie"]) headers.delete(name); }
    if (TO_A_PAGE.has(response.status) && method !== "HEAD") {
      method = "GET";
      body = undefined;
      for (const name of ["content-type", "content-length"]) headers.delete(name);
    }
    url = next;
  }
}
