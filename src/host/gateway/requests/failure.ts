import { codeOf, messageOf, TimeoutError } from "../../../base/errors.ts";
import type { FlavourProfile } from "../flavours/profile.ts";
import { HttpError, MasterDownError, RefusedError, RETRY_AFTER } from "../wire/errors.ts";
import { type Call, loggablePath } from "./call.ts";

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

/** The response to a request whose handling threw. Unexpected errors are logged. */
export function failureResponse(
  error: unknown,
  call: Call,
  profile: FlavourProfile,
): Response | Promise<Response> {
  const known = knownFailure(error, profile);
  if (known !== undefined) return errorResponse(known, call, profile.errorPage);
  if (!call.request.signal.aborted && !(error instanceof RefusedError)) {
    call.services.log.error("a request failed", {
      path: loggablePath(call.path),
      error: messageOf(error),
      kind: (error as Error)?.name ?? "",
    });
  }
  const said = error instanceof RefusedError && error.kind === "other" ? error.message : undefined;
  return profile.unexpectedFailure(call, said);
}

/** The HTTP error for an error; undefined for an unexpected error. */
function knownFailure(error: unknown, profile: FlavourProfile): HttpError | undefined {
  if (error instanceof MasterDownError) return new HttpError(503, error.message, { "Retry-After": RETRY_AFTER });
  if (error instanceof HttpError) return error;
  if (error instanceof RefusedError) {
    const status = profile.refusalStatus[error.kind];
    if (status !== undefined) return new HttpError(status, error.message);
  }
  if (error instanceof TimeoutError || codeOf(error) === "TIMEOUT") {
    return new HttpError(504, "The gateway server did not receive a timely response");
  }
  return undefined;
}
