import { errorResponse } from "../../requests/error_response.ts";
import { HttpError } from "../../wire/errors.ts";
import type { FlavourProfile } from "../profile.ts";
import { answer } from "./answer.ts";
import { errorPage } from "./error_page.ts";
import { tornadoRoutes } from "./routes.ts";

/** The smaller HTTP interface of Salt, on tornado's server. */
export const restTornado: FlavourProfile = {
  options: { host: "address", backlog: "backlog", corsOrigin: "cors_origin", websockets: "websockets" },
  paths: { collapseSlashes: false, ignoreTrailingSlash: false },
  // A refusal is among the results of its command; one that is not was not foreseen.
  refusalStatus: {},
  routes: tornadoRoutes,
  answer,
  errorPage,
  unexpectedFailure: (call) => errorResponse(new HttpError(500, ""), call, errorPage),
};
