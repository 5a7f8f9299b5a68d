import { codeOf, messageOf, TimeoutError } from "../../../base/errors.ts";
import type { FlavourProfile } from "../flavours/profile.ts";
import { HttpError, MasterDownError, RefusedError, RETRY_AFTER } from "../wire/errors.ts";
import type { Call } from "./call.ts";
import { errorResponse } from "./error_response.ts";
import { loggablePath } from "./request_path.ts";

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
  return profile.unexpectedFailure(call);
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
