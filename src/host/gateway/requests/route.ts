import type { SchemaName } from "../openapi_schemas.ts";
import type { Call } from "./call.ts";

/** The answer of an operation: a value is written in the format that the client accepts; a response is sent unchanged. */
export type Answer = Response | { value: unknown };

export interface Operation {
  /** One line for the OpenAPI description. */
  summary: string;
  /** Called with the body already read if the method is POST. */
  run(call: Call): Promise<Answer> | Answer;
  /** The authentication, if it differs from that of the route. */
  auth?: Route["auth"];
  /** True if the answer sets the session cookie. @default true */
  cookie?: boolean;
  /** The media type of the answer, if it is not negotiated. */
  produces?: string;
  /** Schema names of body and answer in the description. */
  body?: SchemaName;
  returns?: SchemaName;
  query?: Record<string, string>;
}

/**
 * One row of the routes table.
 *
 * @internal
 */
export interface Route {
  /** The path, as a pattern of Hono: `/minions/:mid`. */
  path: string;
  methods: { GET?: Operation; POST?: Operation };
  /** Who may call the route: every caller, callers with a session, or the operation checks itself. */
  auth: "none" | "session" | "own";
  /** The `Allow` header of Salt's servers, if it differs from the methods above. */
  allow?: string;
  /** True for a route that Salt's servers do not have. */
  extension?: true;
  /** True for files and pages for browsers. */
  page?: true;
}

export function allowedMethods({ methods, allow }: Route): string {
  if (allow !== undefined) return allow;
  return [...(methods.GET === undefined ? [] : ["GET", "HEAD"]), ...(methods.POST === undefined ? [] : ["POST"])]
    .join(", ");
}

/** The operation of a route for an HTTP method; undefined if the route does not have the method. HEAD is GET without the body. */
export function operationFor(route: Route, method: string): Operation | undefined {
  if (method === "HEAD") return route.methods.GET;
  return method === "GET" || method === "POST" ? route.methods[method] : undefined;
}

/** The message of a 404, which shows whether other routes begin like the path. */
export function notFoundMessage(routes: readonly Route[], path: string): string {
  const [, first] = path.split("/");
  const known = routes.some((route) => route.path !== "/" && route.path.split("/")[1] === first);
  return known ? "Nothing matches the given URI" : `The path '${path}' was not found.`;
}
