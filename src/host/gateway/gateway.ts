import { Hono } from "hono";
import type { Context } from "hono";
import { type Logger, silentLogger } from "../../base/log.ts";
import type { HttpHandler, HttpPeer } from "../../runtime/http.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Backend } from "./backend/backend.ts";
import { guardedBackend } from "./backend/guarded_backend.ts";
import { extensionRoutes } from "./flavours/extension_routes.ts";
import { GatewayMetrics } from "./gateway_metrics.ts";
import { NO_TELEMETRY, type Telemetry } from "../../base/telemetry/mod.ts";
import { profileOf } from "./flavours/flavours.ts";
import type { FlavourProfile } from "./flavours/profile.ts";
import { type Call, loggablePath, requestPath } from "./requests/call.ts";
import { clientAddress } from "./requests/client_address.ts";
import { failureResponse } from "./requests/failure.ts";
import type { Route } from "./requests/route.ts";
import { createServices, type Services } from "./requests/shared_services.ts";
import type { GatewaySettings } from "./settings.ts";
import { HttpError } from "./wire/errors.ts";

/** The options of a gateway. */
export interface GatewayOptions {
  /** The runtime to serve on. */
  runtime: Runtime;
  /** The gateway's part of the master's configuration, from {@link gatewaySettings}. */
  settings: GatewaySettings;
  /** The master. The gateway does not close it. */
  backend: Backend;
  /** The log of the gateway. @default no log */
  log?: Logger;
  /** The directory for data that has to outlive the process: the keys of JWTs, and revoked logins. @default JWTs end with the process */
  stateDir?: string;
  /** Directory of the built console. @default no console */
  consoleDir?: string | undefined;
  /** The metrics and traces of the gateway. The gateway does not close it. @default none */
  telemetry?: Telemetry;
}

/** An HTTP gateway, for any server that calls `fetch`. */
export interface Gateway extends AsyncDisposable {
  /** The routes as a Hono application, for a program that mounts them with its own routes. */
  readonly app: Hono<Env>;
  /** Answers a request. Without a peer the caller has no address, and WebSockets are refused. */
  fetch(request: Request, peer?: HttpPeer): Promise<Response>;
  /** All routes, for descriptions and tests. */
  readonly routes: readonly Route[];
  /** The number of callers that listen to events. */
  readonly listeners: number;
  /** Counts of requests, sessions and listeners, for the status report of a process. */
  status(): Record<string, unknown>;
  /** Ends the streams; later requests are answered with 503. */
  drain(): void;
}

/**
 * The values that Hono passes to handlers.
 *
 * @internal
 */
interface Env {
  Bindings: { peer: HttpPeer };
}

/** The peer of requests that came through `fetch` without a peer. */
const NO_PEER: HttpPeer = {
  address: "",
  upgrade() {
    throw new HttpError(501, "WebSockets are not available here");
  },
  keepOpen() {},
  known() {},
};

/**
 * Creates a gateway for a master.
 *
 * @example
 * ```ts
 * import { createGateway, currentRuntime, gatewaySettings, masterBackend, masterOptions } from "brine/gateway";
 *
 * const runtime = await currentRuntime();
 * const opts = masterOptions({ root_dir: "/srv/run", rest_cherrypy: { port: 8000, disable_ssl: true } });
 * await using backend = masterBackend({ runtime, opts });
 * await using gateway = createGateway({ runtime, backend, settings: gatewaySettings(opts, "rest_cherrypy") });
 * await using server = await runtime.http.serve(gateway.fetch, { host: "127.0.0.1", port: 8000 });
 * ```
 *
 * @throws {ConfigError} for an unknown flavour
 */
export function createGateway(options: GatewayOptions): Gateway {
  return new TheGateway(options);
}

class TheGateway implements Gateway {
  readonly app: Hono<Env>;
  readonly routes: readonly Route[];
  readonly #profile: FlavourProfile;
  readonly #services: Services;
  readonly #backend: Backend;
  readonly #metrics: GatewayMetrics;
  #draining = false;

  constructor(options: GatewayOptions) {
    const { runtime, settings, backend, log = silentLogger, stateDir, consoleDir } = options;
    const { telemetry = NO_TELEMETRY } = options;
    const { meter } = telemetry;
    this.#backend = backend;
    this.#profile = profileOf(settings.flavour);
    const draining = () => this.#draining;
    this.#services = createServices({ runtime, log, settings, backend, stateDir, consoleDir, draining, meter });
    this.routes = [...this.#profile.routes(settings), ...extensionRoutes(() => this.routes)];
    this.app = this.#router();
    const { statistics, sessions } = this.#services;
    this.#metrics = new GatewayMetrics(telemetry, {
      requests: () => statistics.current,
      sessions: () => sessions.size,
      streams: () => this.listeners,
    });
  }

  #router(): Hono<Env> {
    const { rootPrefix } = this.#services.settings;
    const app = new Hono<Env>({ getPath: ({ url }) => requestPath(url, this.#profile.paths, rootPrefix) });
    for (const route of this.routes) app.all(route.path, (context) => this.#serve(route, context));
    app.notFound((context) => this.#serve(undefined, context));
    return app;
  }

  /** The gateway as a handler for {@link Http.serve}. */
  fetch: Gateway["fetch"] & HttpHandler = async (request, peer = NO_PEER) => {
    const { statistics, clock } = this.#services;
    const began = clock.now();
    statistics.begin(Number(request.headers.get("Content-Length") ?? 0));
    try {
      return await this.app.fetch(request, { peer });
    } finally {
      statistics.end(clock.now() - began);
    }
  };

  async #serve(route: Route | undefined, context: Context<Env>): Promise<Response> {
    const { clock } = this.#services;
    const began = clock.now();
    const counted = this.#metrics.begin(route, context.req.method);
    const call = this.#newCall(context);
    let response: Response;
    try {
      response = await this.#profile.answer(route, call, this.routes);
    } catch (error) {
      response = await failureResponse(error, call, this.#profile);
    }
    counted(response.status);
    this.#log(route, call, response.status, clock.now() - began);
    return response;
  }

  #newCall({ req, env }: Context<Env>): Call {
    const { settings, attempts } = this.#services;
    const request = req.raw;
    const query = request.url.indexOf("?");
    const connected = env?.peer ?? NO_PEER;
    const peer = {
      ...connected,
      address: clientAddress(connected.address, request.headers, settings.trustedProxies),
    };
    const proven = new Set<string>();
    return {
      services: this.#services,
      request,
      peer,
      backend: guardedBackend({ backend: this.#backend, settings, attempts, address: peer.address, proven }),
      proven,
      path: req.path,
      query: new URLSearchParams(query < 0 ? "" : request.url.slice(query + 1)),
      params: req.param() as Record<string, string>,
      identity: undefined,
      body: { data: null, raw: "" },
      headers: {},
      status: 200,
      user: undefined,
    };
  }

  #log(route: Route | undefined, call: Call, status: number, ms: number): void {
    const { log } = this.#services;
    if (!log.enabled("info")) return;
    log.info("request", {
      method: call.request.method,
      // The path is logged without the query, which may contain a token.
      path: route?.path.includes(":token") ? route.path : loggablePath(call.path),
      status,
      ms: Math.round(ms * 10) / 10,
      address: call.peer.address,
      user: call.user ?? "-",
    });
  }

  get listeners(): number {
    return this.#services.hub.listeners;
  }

  status(): Record<string, unknown> {
    const { statistics, sessions } = this.#services;
    return {
      requests: statistics.requests,
      requests_in_progress: statistics.current,
      sessions: sessions.size,
      listeners: this.listeners,
    };
  }

  drain(): void {
    this.#draining = true;
    this.#services.hub.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.drain();
    return Promise.resolve();
  }
}
