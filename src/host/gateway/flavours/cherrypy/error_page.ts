import { escapeHtml } from "../../wire/escape_html.ts";
import { HTTP_REASONS } from "../../wire/http_reasons.ts";
import type { ErrorPage } from "../profile.ts";

/** An error page with title and message in the places where clients of `rest_cherrypy` read them. */
export function errorPage(status: number, message: string): ErrorPage {
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
