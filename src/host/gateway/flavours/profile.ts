import type { Call, PathRules } from "../requests/call.ts";
import type { Route } from "../requests/route.ts";
import type { GatewaySettings } from "../settings.ts";
import type { RefusalKind } from "../wire/errors.ts";

/** An error in the form that clients of a flavour read. */
export interface ErrorPage {
  type: string;
  body: string;
}

/** The names of options that differ between flavours, or that not all flavours have. */
export interface FlavourOptions {
  /** The name of the option with the address to listen on. */
  host: string;
  /** The name of the option with the number of connections waiting to be accepted. */
  backlog: string;
  /** The name of the option with the origins whose pages may call; undefined if all may. */
  corsOrigin: string | undefined;
  /** The name of the option that enables WebSockets; undefined if they are always enabled. */
  websockets: string | undefined;
}

/**
 * The differences between Salt's HTTP interfaces. The gateway takes its profile once, when it is created, and never compares
 * names of flavours.
 */
export interface FlavourProfile {
  readonly options: FlavourOptions;
  readonly paths: PathRules;
  /** The HTTP status of a master's refusal. A kind that is missing here is an unexpected failure. */
  readonly refusalStatus: Partial<Record<RefusalKind, number>>;
  routes(settings: GatewaySettings): Route[];
  /**
   * Checks a request in the order of Salt's server, runs it and answers. Throws the error that
   * {@link FlavourProfile.errorPage} then shows.
   *
   * @param route undefined if no route matches
   * @param routes all routes of the gateway
   */
  answer(route: Route | undefined, call: Call, routes: readonly Route[]): Promise<Response>;
  errorPage(status: number, message: string): ErrorPage;
  /**
   * The response to an unexpected error, which is in the log already.
   *
   * @param said why the master refused, in its words for the caller
   */
  unexpectedFailure(call: Call, said?: string): Response | Promise<Response>;
}
