import { errorResponse } from "../../requests/error_response.ts";
import { HttpError } from "../../wire/errors.ts";
import type { FlavourProfile } from "../profile.ts";
import { answer } from "./answer.ts";
import { errorPage } from "./error_page.ts";
import { tornadoRoutes } from "./routes.ts";

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
