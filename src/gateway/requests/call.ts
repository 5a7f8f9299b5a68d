import type { Clock } from "../../async/clock.ts";
import type { Logger } from "../../log.ts";
import type { HttpPeer } from "../../runtime/http.ts";
import type { Runtime } from "../../runtime/mod.ts";
import type { TokenRecord } from "../../client/tokens.ts";
import type { Attempts } from "../auth/failed_attempts.ts";
import type { Body } from "../wire/body.ts";
import type { GuardedBackend, OpenBackend } from "../backend/guarded_backend.ts";
import type { Session, Sessions } from "../auth/sessions.ts";
import type { GatewaySettings } from "../settings.ts";
import type { Statistics } from "../statistics.ts";
import type { EventHub } from "../events/event_hub.ts";
import type { Identities } from "../auth/identities.ts";
import type { Family } from "../auth/token_families.ts";

/** What all requests of a gateway share. */
export interface Services {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: GatewaySettings;
  /** What of the master needs no credential: for the rest there is {@link Call.backend}. */
  readonly open: OpenBackend;
  readonly sessions: Sessions;
  readonly hub: EventHub;
  readonly statistics: Statistics;
  readonly attempts: Attempts;
  readonly identities: Identities;
  /** Directory of the built console. */
  readonly consoleDir: string | undefined;
}

/** One request on its way through. */
export interface Call {
  readonly services: Services;
  readonly request: Request;
  readonly peer: HttpPeer;
  /** The master, for whoever sent this request. */
  readonly backend: GuardedBackend;
  /** Tokens that were found to hold in the course of this request. */
  readonly proven: Set<string>;
  /** Without a mount, doubled slashes or one at the end. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parts of the path that the route names, decoded. */
  readonly params: Record<string, string>;
  /** Who has signed in, if anybody. */
  identity: Identity | undefined;
  body: Body;
  /** Headers of the answer, by their usual spelling. */
  readonly headers: Record<string, string>;
  status: number;
  /** For the access log. */
  user: string | undefined;
}

/** Where those say so who want to hear of an end. */
export interface Ending {
  add(end: () => void): void;
  delete(end: () => void): void;
}

/** Somebody the gateway knows, by whatever they presented. */
export interface Identity {
  readonly record: TokenRecord;
  /** Undefined for those who need none: their token says it all. */
  readonly session?: Session;
  /** The login of whoever presents a JSON Web Token. */
  readonly family?: Family;
  /** What is called when its session or login ends: streams that live on it end, too. */
  readonly ending?: Ending;
  /** What an API key may; undefined is no bound. */
  readonly scopes?: readonly string[];
}
