import type { FlavourProfile } from "../flavours/profile.ts";
import type { HttpError } from "../wire/errors.ts";
import type { Call } from "./call.ts";

/** An error as a page in the form that the flavour's clients read. */
export function errorResponse(error: HttpError, call: Call, errorPage: FlavourProfile["errorPage"]): Response {
  const { status } = error;
  const { type, body } = errorPage(status, error.message);
  const headers = { ...call.headers, "X-Content-Type-Options": "nosniff", ...error.headers, "Content-Type": type };
  return new Response(body, { status, headers });
}
