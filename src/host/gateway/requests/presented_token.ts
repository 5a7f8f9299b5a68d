import type { Call } from "./call.ts";
import { mayUseCookie } from "./own_page.ts";
import { HttpError, RETRY_AFTER } from "../wire/errors.ts";
import type { Route } from "./route.ts";

/** The most characters of a token: more than any token of the gateway or a master has. */
const MAX_TOKEN = 8192;

/**
 * The token of a request: in `X-Auth-Token`, otherwise in `Authorization: Bearer`, otherwise in the session cookie if the page
 * may use it. Undefined if there is none, or if it is too long.
 */
export function presentedToken(call: Pick<Call, "request" | "services">): string | undefined {
  const { headers } = call.request;
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.get("Authorization") ?? "")?.[1];
  const token = headers.get("X-Auth-Token") || bearer ||
    (mayUseCookie(call) ? cookieValue(headers.get("Cookie"), "session_id") : undefined);
  return token !== undefined && token !== "" && token.length <= MAX_TOKEN ? token : undefined;
}

function cookieValue(header: string | null, name: string): string | undefined {
  for (const part of (header ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim().replace(/^"|"$/g, "");
  }
  return undefined;
}

/** Refuses requests once the gateway is stopping; health and readiness are still answered. @throws {HttpError} 503 */
export function refuseWhileDraining(route: Route | undefined, { services }: Call): void {
  if (!services.draining() || route?.extension === true) return;
  throw new HttpError(503, "The gateway is stopping", { "Retry-After": RETRY_AFTER, Connection: "close" });
}
