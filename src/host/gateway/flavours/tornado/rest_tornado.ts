import { errorResponse } from "../../requests/failure.ts";
import { HTTP_REASONS, HttpError } from "../../wire/errors.ts";
import type { ErrorPage, FlavourProfile } from "../profile.ts";
import { answer } from "./answer.ts";
import { tornadoRoutes } from "./routes.ts";

/** The error page of `rest_tornado`, which never shows a message. */
function errorPage(status: number): ErrorPage {
  const title = `${status}: ${HTTP_REASONS[status] ?? ""}`;
  return {
    type: "text/html; charset=UTF-8",
    body: `<html><title>${title}</title><body>${title}</body></html>`,
  };
}

/** Salt's smaller HTTP interface, with the server of tornado. */
export const restTornado: FlavourProfile = {
  options: { host: "address", backlog: "backlog", corsOrigin: "cors_origin", websockets: "websockets" },
  paths: { collapseSlashes: false, ignoreTrailingSlash: false },
  // Refusals are among the results of commands; any other refusal is an unexpected failure.
  refusalStatus: {},
  routes: tornadoRoutes,
  answer,
  errorPage,
  unexpectedFailure: (call) => errorResponse(new HttpError(500, ""), call, errorPage),
};
