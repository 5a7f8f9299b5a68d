import { respond } from "../../requests/handling.ts";
import { accepted } from "../../wire/negotiate.ts";
import { WRITABLE_TYPES } from "../../wire/representation.ts";
import type { ErrorPage, FlavourProfile } from "../profile.ts";
import { answer, REPRESENTATION } from "./answer.ts";
import { cherrypyRoutes } from "./routes.ts";
import { escapeHtml, HTTP_REASONS } from "../../wire/errors.ts";

/** An error page with title and message in the places where clients of `rest_cherrypy` read them. */
function errorPage(status: number, message: string): ErrorPage {
  const title = `${status} ${HTTP_REASONS[status] ?? ""}`.trimEnd();
  return {
    type: "text/html;charset=utf-8",
    body: `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8"></meta>
<title>${title}</title>
</head>
<body>
<h2>${title}</h2>
<p>${escapeHtml(message)}</p>
<pre id="traceback"></pre>
</body>
</html>
`,
  };
}

/** The HTTP interface that SaltGUI, pepper and most libraries use. */
export const restCherrypy: FlavourProfile = {
  options: { host: "host", backlog: "socket_queue_size", corsOrigin: "cors_origin", websockets: undefined },
  paths: { collapseSlashes: true, ignoreTrailingSlash: true },
  refusalStatus: { authentication: 401, authorization: 401, invocation: 400 },
  routes: cherrypyRoutes,
  answer,
  errorPage,
  unexpectedFailure(call, said = "An unexpected error occurred") {
    const type = accepted(call.request.headers.get("Accept"), WRITABLE_TYPES) ?? WRITABLE_TYPES[0]!;
    call.status = 500;
    return respond({ value: { status: 500, return: said } }, call, type, REPRESENTATION);
  },
};
