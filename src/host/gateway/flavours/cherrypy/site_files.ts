/** The files and pages that `rest_cherrypy` serves beside its API: options `static`, `favicon` and `app`. */
import type { Call } from "../../requests/call.ts";
import type { Answer, Route } from "../../requests/route.ts";
import { fileBelow, fileResponse } from "../../static_files.ts";
import { HttpError } from "../../wire/errors.ts";
import { accepted } from "../../wire/negotiate.ts";
import { DOCUMENTED_TYPES } from "../../wire/representation.ts";

/**
 * The file that is served instead of a route: one below `static_path`, the favicon, or the application's page if a browser asks
 * for HTML. As in Salt, this comes before any check of the caller. Undefined if the route has to answer.
 *
 * @throws {HttpError} 404 for a missing static file
 */
export function siteFile(route: Route | undefined, call: Call): Response | undefined {
  const { runtime: { fs }, settings: { staticDir, staticPath, favicon } } = call.services;
  const { request, request: { method }, path, headers } = call;
  if (method !== "GET" && method !== "HEAD" && method !== "POST") return undefined;
  if (staticDir !== undefined && method !== "POST" && path.startsWith(`${staticPath}/`)) {
    const file = fileBelow(fs, staticDir, path.slice(staticPath.length + 1));
    return (file === undefined ? undefined : fileResponse(fs, file, request, headers)) ?? notFound(path);
  }
  if (favicon !== undefined && path === "/favicon.ico") return fileResponse(fs, favicon, request, headers);
  return wantsAppPage(route, call) ? appPage(call, { ...headers, Allow: "GET, HEAD" }) : undefined;
}

function wantsAppPage(route: Route | undefined, { services: { settings }, request, path }: Call): boolean {
  const { app, appPath, staticPath } = settings;
  if (app === undefined || route?.extension === true) return false;
  if (path.startsWith(appPath) || path.startsWith(staticPath)) return false;
  const accept = request.headers.get("Accept");
  if (accept === null || !accept.includes("text/html")) return false;
  return accepted(accept, [...DOCUMENTED_TYPES, "text/html"]) === "text/html";
}

function appPage({ services: { runtime: { fs }, settings: { app } }, request }: Call, headers: Record<string, string>) {
  return app === undefined ? undefined : fileResponse(fs, app, request, headers);
}

/** `GET` on `app_path` and below. */
export function serveApp(call: Call): Answer {
  return appPage(call, call.headers) ?? notFound(call.path);
}

function notFound(path: string): never {
  throw new HttpError(404, `The path '${path}' was not found.`);
}
