import type { FlavourProfile } from "../flavours/profile.ts";
import type { HttpError } from "../wire/errors.ts";
import type { Call } from "./call.ts";

/** Headers of an error that a page of another origin may read only if they are exposed. */
const FOR_PAGES: readonly string[] = ["Retry-After"];

/** The response for an error, in the form that clients of the flavour read. */
export function errorResponse(error: HttpError, call: Call, errorPage: FlavourProfile["errorPage"]): Response {
  const { status } = error;
  const { type, body } = errorPage(status, error.message);
  const headers: Record<string, string> = {
    ...call.headers,
    "X-Content-Type-Options": "nosniff",
    ...error.headers,
    "Content-Type": type,
  };
  // Only requests of pages name an origin; all others get the flavour's own headers, as salt-api sends them.
  if (call.request.headers.has("origin")) expose(headers);
  return new Response(body, { status, headers });
}

/** Exposes headers to pages of allowed origins, in addition to the headers that the flavour exposes. */
function expose(headers: Record<string, string>): void {
  const shown = FOR_PAGES.filter((name) => headers[name] !== undefined);
  if (shown.length === 0 || headers["Access-Control-Allow-Origin"] === undefined) return;
  const before = headers["Access-Control-Expose-Headers"];
  headers["Access-Control-Expose-Headers"] = [...(before === undefined ? [] : [before]), ...shown].join(", ");
}
