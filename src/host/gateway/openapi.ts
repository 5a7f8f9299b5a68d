/** The OpenAPI description, made from the routes table. */
import { VERSION } from "../../base/version.ts";
import { ref, SCHEMAS } from "./openapi_schemas.ts";
import type { Operation, Route } from "./requests/route.ts";
import type { GatewaySettings } from "./settings.ts";
import { escapeHtml } from "./wire/errors.ts";

type Json = Record<string, unknown>;

const BODIES = ["application/json", "application/x-yaml", "application/x-www-form-urlencoded", "application/msgpack"];
const ANSWERS = ["application/json", "application/x-yaml", "application/vnd.msgpack"];

/** A pattern of Hono in the form of OpenAPI, and the names of its parameters. */
export function pathTemplate(path: string): { template: string; names: string[] } {
  const names: string[] = [];
  const template = path.replace(/:(\w+)(?:\{(?:[^{}]|\{[^{}]*\})*\})?/g, (_whole, name: string) => {
    names.push(name);
    return `{${name}}`;
  });
  return { template, names };
}

function describe(operation: Operation, route: Route, method: string, names: readonly string[]): Json {
  const { summary, body, returns = "Any", produces, query = {} } = operation;
  const types = produces === undefined ? ANSWERS : [produces];
  const content = (media: readonly string[], schema: string) =>
    Object.fromEntries(media.map((type) => [type, { schema: ref(schema) }]));
  const auth = operation.auth ?? route.auth;
  const parameters = [
    ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...Object.entries(query).map(([name, description]) => ({
      name,
      in: "query",
      description,
      schema: { type: "string" },
    })),
  ];
  return {
    summary,
    operationId: `${method.toLowerCase()}${
      route.path.replace(/\{.*?\}+/g, "").replace(/\W+(\w)?/g, (_all, letter = "") => letter.toUpperCase())
    }`,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: body !== "Any", content: content(BODIES, body) } }),
    ...(auth === "session" ? { security: [{ token: [] }, { cookie: [] }, { bearer: [] }] } : {}),
    responses: {
      default: { description: "The error, as a page", content: { "text/html": { schema: { type: "string" } } } },
      200: { description: summary, content: content(types, returns) },
      ...(auth === "none" ? {} : { 401: { description: "The caller is not authenticated, or not permitted" } }),
    },
  };
}

/** An OpenAPI 3.1 document of the routes. */
export function describeRoutes(routes: readonly Route[], settings: GatewaySettings): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const { template, names } = pathTemplate(route.path);
    const item = paths[template] ??= {};
    for (const [method, operation] of Object.entries(route.methods)) {
      if (operation !== undefined) item[method.toLowerCase()] = describe(operation, route, method, names);
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Brine",
      version: VERSION,
      description: `The HTTP interface of a Salt master, compatible with ${settings.flavour}`,
    },
    servers: [{ url: settings.rootPrefix === "" ? "/" : `/${settings.rootPrefix}` }],
    paths,
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        token: { type: "apiKey", in: "header", name: "X-Auth-Token" },
        cookie: { type: "apiKey", in: "cookie", name: "session_id" },
        bearer: { type: "http", scheme: "bearer" },
      },
    },
  };
}

const STYLE = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}" +
  "code{font-family:ui-monospace,monospace}h2{margin:1.5rem 0 .25rem;font-size:1rem}" +
  ".m{display:inline-block;min-width:3.5rem;font-weight:600}p{margin:.1rem 0}";

/** The description as a page that loads nothing else. */
export function docsPage(document: Json): Response {
  const paths = document.paths as Record<string, Record<string, Json>>;
  const rows = Object.entries(paths).map(([path, item]) => {
    const methods = Object.entries(item).map(([method, { summary, parameters, security }]) => {
      const query = ((parameters ?? []) as Json[]).filter((parameter) => parameter.in === "query")
        .map(({ name, description }) =>
          `<p><code>?${escapeHtml(`${name}`)}</code> ${escapeHtml(`${description}`)}</p>`
        );
      const lock = security === undefined ? "" : " (session)";
      return `<p><span class="m">${method.toUpperCase()}</span> ${escapeHtml(`${summary}`)}${lock}</p>${
        query.join("")
      }`;
    });
    return `<h2><code>${escapeHtml(path)}</code></h2>${methods.join("")}`;
  });
  const body = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Brine: HTTP interface</title><style>${STYLE}</style></head>
<body>
<h1>HTTP interface</h1>
<p>The same for programs: <a href="openapi.json">openapi.json</a></p>
${rows.join("\n")}
</body>
</html>
`;
  return new Response(body, {
    headers: {
      "Content-Type": "text/html;charset=utf-8",
      "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
