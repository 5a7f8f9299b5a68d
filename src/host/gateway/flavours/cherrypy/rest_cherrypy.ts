import { respond } from "../../requests/handling.ts";
import { accepted } from "../../wire/negotiate.ts";
import { WRITABLE_TYPES } from "../../wire/representation.ts";
import type { FlavourProfile } from "../profile.ts";
import { answer } from "./answer.ts";
import { errorPage } from "./error_page.ts";
import { REPRESENTATION } from "./formats.ts";
import { cherrypyRoutes } from "./routes.ts";

/** The HTTP interface that SaltGUI, pepper and most libraries use. */
export const restCherrypy: FlavourProfile = {
  options: { host: "host", backlog: "socket_queue_size", corsOrigin: "cors_origin", websockets: undefined },
  paths: { collapseSlashes: true, ignoreTrailingSlash: true },
  refusalStatus: { authentication: 401, authorization: 401, invocation: 400 },
  routes: cherrypyRoutes,
  answer,
  errorPage,
  unexpectedFailure(call) {
    const type = accepted(call.request.headers.get("Accept"), WRITABLE_TYPES) ?? WRITABLE_TYPES[0]!;
    call.status = 500;
    return respond({ value: { status: 500, return: "An unexpected error occurred" } }, call, type, REPRESENTATION);
  },
};
