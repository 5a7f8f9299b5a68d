import type { Call } from "../requests/call.ts";
import type { PathRules } from "../requests/request_path.ts";
import type { Route } from "../requests/route.ts";
import type { GatewaySettings } from "../settings.ts";
import type { RefusalKind } from "../wire/errors.ts";

/** An error as clients of a flavour read it. */
export interface ErrorPage {
  type: string;
  body: string;
}

/** Names of the options that flavours spell differently, or do not all have. */
export interface FlavourOptions {
  /** The address to listen on. */
  host: string;
  /** Connections waiting to be accepted. */
  backlog: string;
  /** Origins whose pages may call; undefined if any may. */
  corsOrigin: string | undefined;
  /** Switches WebSockets on; undefined if they are always on. */
  websockets: string | undefined;
}

/**
 * All that makes one HTTP interface of Salt different from another. The gateway takes its profile once, when it is created,
 * and never compares names of flavours.
 */
export interface FlavourProfile {
  readonly options: FlavourOptions;
  readonly paths: PathRules;
  /** The HTTP status of a master's refusal. A kind that is missing here is an unexpected failure. */
  readonly refusalStatus: Partial<Record<RefusalKind, number>>;
  /** The routes of the flavour, in matching order. */
  routes(settings: GatewaySettings): Route[];
  /**
   * Checks a request in the order of the original server, runs it and answers. Throws what
   * {@link FlavourProfile.errorPage} then shows.
   *
   * @param route undefined if no route matches
   * @param routes all of the gateway
   */
  answer(route: Route | undefined, call: Call, routes: readonly Route[]): Promise<Response>;
  errorPage(status: number, message: string): ErrorPage;
  /** The response to an error that the gateway did not expect; it is in the log already. */
  unexpectedFailure(call: Call): Response | Promise<Response>;
}
