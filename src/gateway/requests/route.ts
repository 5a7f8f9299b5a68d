import type { Call } from "./call.ts";

/** A value is written in the form that the client accepts; a response goes out as it is. */
export type Answer = Response | { value: unknown };

/** What one method of a route does. */
export interface Operation {
  /** One line for the description of the interface. */
  summary: string;
  /** Handed the body that has been read, if the method is POST. */
  run(call: Call): Promise<Answer> | Answer;
  /** Where it differs from the route's. */
  auth?: Route["auth"];
  /** A cookie with the session goes out. @default true */
  cookie?: boolean;
  /** What it answers with where that is not negotiated. */
  produces?: string;
  /** Schema names of body and answer in the description. */
  body?: "Lowstates" | "Credentials" | "Any" | "KeyRequest" | "Refresh";
  returns?: "Return" | "Login" | "Any";
  /** Names and meanings of query parameters. */
  query?: Record<string, string>;
}

/** One row of the routes table. */
export interface Route {
  /** As Hono writes patterns: `/minions/:mid`. */
  path: string;
  methods: { GET?: Operation; POST?: Operation };
  /** Who may come: anybody, those who have signed in, or the operation sees for itself. */
  auth: "none" | "session" | "own";
  /** The methods as real servers list them, where that differs from what there is. */
  allow?: string;
  /** Served although real servers have no such thing. */
  extension?: true;
  /** Files and pages: not for those who want an answer in JSON. */
  page?: true;
}

/** The value of the `Allow` header. */
export function allowOf({ methods, allow }: Route): string {
  if (allow !== undefined) return allow;
  return [...(methods.GET === undefined ? [] : ["GET", "HEAD"]), ...(methods.POST === undefined ? [] : ["POST"])]
    .join(", ");
}
