import type { SchemaName } from "../openapi_schemas.ts";
import type { Call } from "./call.ts";

/** A value is written in the format that the client accepts; a response is sent as it is. */
export type Answer = Response | { value: unknown };

/** What one method of a route does. */
export interface Operation {
  /** One line for the OpenAPI description. */
  summary: string;
  /** Called with the body already read if the method is POST. */
  run(call: Call): Promise<Answer> | Answer;
  /** Where it differs from the route's. */
  auth?: Route["auth"];
  /** Whether the answer sets the session cookie. @default true */
  cookie?: boolean;
  /** The media type of the answer where it is not negotiated. */
  produces?: string;
  /** Schema names of body and answer in the description. */
  body?: SchemaName;
  returns?: SchemaName;
  /** Names and meanings of query parameters. */
  query?: Record<string, string>;
}

/**
 * One row of the routes table.
 *
 * @internal
 */
export interface Route {
  /** A pattern of Hono: `/minions/:mid`. */
  path: string;
  methods: { GET?: Operation; POST?: Operation };
  /** Who may call it: every caller, those with a session, or the operation checks for itself. */
  auth: "none" | "session" | "own";
  /** The `Allow` header of real servers, where it differs from the methods above. */
  allow?: string;
  /** A route that real servers do not have. */
  extension?: true;
  /** Files and pages for browsers, rather than values. */
  page?: true;
}

/** The value of the `Allow` header. */
export function allowedMethods({ methods, allow }: Route): string {
  if (allow !== undefined) return allow;
  return [...(methods.GET === undefined ? [] : ["GET", "HEAD"]), ...(methods.POST === undefined ? [] : ["POST"])]
    .join(", ");
}

/** What a route does for a method of HTTP; undefined if it does not have that method. HEAD is GET without the body. */
export function operationFor(route: Route, method: string): Operation | undefined {
  if (method === "HEAD") return route.methods.GET;
  return method === "GET" || method === "POST" ? route.methods[method] : undefined;
}

/** What a 404 says: whether other routes begin as this path does. */
export function notFoundMessage(routes: readonly Route[], path: string): string {
  const [, first] = path.split("/");
  const known = routes.some((route) => route.path !== "/" && route.path.split("/")[1] === first);
  return known ? "Nothing matches the given URI" : `The path '${path}' was not found.`;
}
