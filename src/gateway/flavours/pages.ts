import type { Flavour } from "../settings.ts";

/** The words of HTTP for its status codes, as far as the gateway answers with them. */
export const REASONS: Record<number, string> = {
  200: "OK",
  202: "Accepted",
  204: "No Content",
  302: "Found",
  304: "Not Modified",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  413: "Payload Too Large",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };

/** A text as it stands in HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** A page that says what went wrong. */
export interface ErrorPage {
  type: string;
  body: string;
}

/** Error pages, by whose clients read them: title and message stand where those look for them. */
export const ERROR_PAGES: Record<Flavour, (status: number, message: string) => ErrorPage> = {
  rest_cherrypy: (status, message) => {
    const title = `${status} ${REASONS[status] ?? ""}`.trimEnd();
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
  },
  rest_tornado: (status) => {
    const title = `${status}: ${REASONS[status] ?? ""}`;
    return {
      type: "text/html; charset=UTF-8",
      body: `<html><title>${title}</title><body>${title}</body></html>`,
    };
  },
};
