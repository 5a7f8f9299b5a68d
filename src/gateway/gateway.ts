import { Hono } from "hono";
import type { Context } from "hono";
import { hex } from "../crypto/hex.ts";
import { joinPath } from "../config/paths.ts";
import { codeOf, messageOf, TimeoutError } from "../errors.ts";
import { type Logger, silentLogger } from "../log.ts";
import type { HttpHandler, HttpPeer } from "../runtime/http.ts";
import type { Runtime } from "../runtime/mod.ts";
import { Attempts } from "./auth/failed_attempts.ts";
import type { Backend } from "./backend/backend.ts";
import { readBody } from "./wire/body.ts";
import { ArrivingBodies } from "./wire/body_bounds.ts";
import type { Call, Services } from "./requests/call.ts";
import { cherrypyRoutes, statusOfRefusal } from "./flavours/cherrypy/routes.ts";
import { ambientRoutes } from "./flavours/extension_routes.ts";
import { HttpError, MasterDownError, NO_PERMISSION, RefusedError } from "./wire/errors.ts";
import { fileBelow, fileResponse } from "./static_files.ts";
import { guardedBackend } from "./backend/guarded_backend.ts";
import { Identities } from "./auth/identities.ts";
import { Jwts } from "./auth/jwt.ts";
import { accepted, firstAccepted } from "./wire/negotiate.ts";
import { ERROR_PAGES } from "./flavours/pages.ts";
import { CLASSIC, OFFERED, represent } from "./wire/representation.ts";
import { allowOf, type Answer, type Operation, type Route } from "./requests/route.ts";
import { sessionCookie, Sessions } from "./auth/sessions.ts";
import { type GatewaySettings, SESSION_MS } from "./settings.ts";
import { Statistics } from "./statistics.ts";
import { EventHub } from "./events/event_hub.ts";
import { tornadoRoutes } from "./flavours/tornado/routes.ts";

export interface GatewayOptions {
  runtime: Runtime;
  settings: GatewaySettings;
  /** The master. The gateway does not close it. */
  backend: Backend;
  /** @default no log */
  log?: Logger;
  /** Where what has to outlive the process is kept: the keys of JWTs. @default JWTs end with the process */
  stateDir?: string;
  /** Directory of the built console. @default there is none */
  consoleDir?: string;
}

/** An HTTP gateway that can be served by anything that calls `fetch`. */
export interface Gateway extends AsyncDisposable {
  readonly app: Hono<Env>;
  /** Answers a request; without a peer it has no address, and WebSockets are refused. */
  fetch(request: Request, peer?: HttpPeer): Promise<Response>;
  /** All routes there are, for descriptions and tests. */
  readonly routes: readonly Route[];
  /** How many listen to events just now. */
  readonly listeners: number;
  /** Where it stands: requests, sessions, listeners; for whoever looks after it. */
  status(): Record<string, unknown>;
  /** Ends the streams; requests that come from then on are answered 503. */
  drain(): void;
}

/** What Hono hands on. */
export interface Env {
  Bindings: { peer: HttpPeer };
}

const NOWHERE: HttpPeer = {
  address: "",
  upgrade() {
    throw new HttpError(501, "WebSockets are not available here");
  },
  keepOpen() {},
};

/** A master that is not there is looked for this often, in seconds. */
const RETRY_AFTER = "5";

/** The path as routes have it: without mount, doubled slashes, and (where it does not count) the slash at its end. */
function pathOf(url: string, { flavour, rootPrefix }: GatewaySettings): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = /[?#]/.exec(url.slice(start))?.index;
  let path = start < 0 ? "/" : url.slice(start, end === undefined ? undefined : start + end);
  if (flavour === "rest_cherrypy") path = path.replace(/\/{2,}/g, "/");
  if (rootPrefix !== "" && (path === `/${rootPrefix}` || path.startsWith(`/${rootPrefix}/`))) {
    path = path.slice(rootPrefix.length + 1) || "/";
  }
  return flavour === "rest_cherrypy" && path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function cookieOf(header: string | null, name: string): string | undefined {
  for (const part of (header ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim().replace(/^"|"$/g, "");
  }
  return undefined;
}

/** A path as the log has it: without anything that could be a token, wherever somebody has put it. */
function shown(path: string): string {
  return path.slice(0, 200).replace(/[0-9a-f]{32,}/gi, "…");
}

/** What the client presents, the header before the cookie; nothing that is longer than any token. */
function presented({ headers }: Request): string | undefined {
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.get("Authorization") ?? "")?.[1];
  const token = headers.get("X-Auth-Token") || bearer || cookieOf(headers.get("Cookie"), "session_id");
  return token !== undefined && token !== "" && token.length <= 8192 ? token : undefined;
}

/** Makes a gateway. See {@link GatewayOptions}. */
export function createGateway(options: GatewayOptions): Gateway {
  return new TheGateway(options);
}

class TheGateway implements Gateway {
  readonly app: Hono<Env>;
  readonly routes: readonly Route[];
  readonly #services: Services;
  readonly #arriving = new ArrivingBodies();
  readonly #backend: Backend;
  #draining = false;

  constructor({ runtime, settings, backend, log = silentLogger, stateDir, consoleDir }: GatewayOptions) {
    const { clock, crypto, fs } = runtime;
    const sessions = new Sessions(clock, crypto);
    const jwts = settings.jwt === undefined ? undefined : new Jwts({
      clock,
      crypto,
      fs,
      path: joinPath(stateDir ?? "/nonexistent", "jwt_keys.json"),
      familiesPath: joinPath(stateDir ?? "/nonexistent", "jwt_families"),
      keep: stateDir !== undefined,
      ...settings.jwt,
    });
    const attempts = new Attempts(clock, crypto, settings.loginAttempts);
    this.#backend = backend;
    const boot = hex(crypto.randomBytes(4));
    this.#services = {
      runtime,
      clock,
      log,
      settings,
      open: backend,
      sessions,
      hub: new EventHub({
        backend,
        clock,
        history: settings.eventHistory,
        listenerBytes: settings.listenerBytes,
        boot,
      }),
      statistics: new Statistics(clock, settings.collectStats, `('${settings.host}', ${settings.port})`),
      attempts,
      identities: new Identities({ clock, crypto, settings, backend, sessions, jwts, attempts }),
      consoleDir,
    };
    const own = settings.flavour === "rest_cherrypy" ? cherrypyRoutes(settings) : tornadoRoutes(settings);
    this.routes = [...own, ...ambientRoutes(() => this.routes, () => this.#draining)];
    this.app = new Hono<Env>({ getPath: (request) => pathOf(request.url, settings) });
    for (const route of this.routes) this.app.all(route.path, (context) => this.#serve(route, context));
    this.app.notFound((context) => this.#serve(undefined, context));
  }

  /** As a handler for {@link Http.serve}. */
  fetch: Gateway["fetch"] & HttpHandler = async (request, peer = NOWHERE) => {
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
    const request = context.req.raw;
    const url = request.url;
    const at = url.indexOf("?");
    const { settings, attempts } = this.#services;
    const peer = context.env?.peer ?? NOWHERE;
    const proven = new Set<string>();
    const call: Call = {
      services: this.#services,
      request,
      peer,
      backend: guardedBackend({ backend: this.#backend, settings, attempts, address: peer.address, proven }),
      proven,
      path: context.req.path,
      query: new URLSearchParams(at < 0 ? "" : url.slice(at + 1)),
      params: context.req.param() as Record<string, string>,
      identity: undefined,
      body: { data: null, raw: "" },
      headers: {},
      status: 200,
      user: undefined,
    };
    let response: Response;
    try {
      response =
        await (settings.flavour === "rest_cherrypy" ? this.#cherrypy(route, call) : this.#tornado(route, call));
    } catch (error) {
      response = await this.#failure(error, call);
    }
    this.#log(route, call, response.status, clock.now() - began);
    return response;
  }

  /** The order of checks of the default profile: who it is, what it sends, what it wants. */
  async #cherrypy(route: Route | undefined, call: Call): Promise<Response> {
    const { services: { settings }, request, headers, peer } = call;
    const { method } = request;
    headers["Access-Control-Allow-Origin"] = request.headers.get("Origin") ?? "*";
    headers["Access-Control-Expose-Headers"] = "GET, POST";
    headers["Access-Control-Allow-Credentials"] = "true";
    headers.Vary = "Accept-Encoding, Origin";
    if (route !== undefined) headers.Allow = allowOf(route);
    this.#checkDraining(route);
    const ambient = route?.extension === true || route?.page === true;
    const override = this.#page(route, call);
    if (override !== undefined) return override;
    if (method === "OPTIONS") return this.#preflight(call);
    if (!ambient && settings.authorizedIps !== undefined && !settings.authorizedIps.includes(peer.address)) {
      throw new HttpError(403, "Bad IP");
    }
    if (route === undefined) throw new HttpError(404, this.#nothingAt(call.path));
    const operation = this.#operation(route, method);
    await this.#identify(call);
    if (this.#hasCookie(route, operation)) this.#setCookie(call);
    const auth = operation?.auth ?? route.auth;
    if (auth === "session") {
      if (call.identity === undefined) throw new HttpError(401, NO_PERMISSION);
      headers["Cache-Control"] = "private";
    }
    if (method === "POST") await this.#read(call);
    if (operation === undefined) throw new HttpError(405, "Specified method is invalid for this resource");
    const type = this.#negotiate(operation, call, accepted);
    const cookie = call.identity?.session?.id;
    const answer = await this.#run(operation, call);
    // A login begins a session, and its cookie is the one to keep.
    if (call.identity?.session !== undefined && call.identity.session.id !== cookie) this.#setCookie(call);
    return this.#respond(answer, call, type);
  }

  async #tornado(route: Route | undefined, call: Call): Promise<Response> {
    const { services: { settings }, backend, request, headers } = call;
    const origin = request.headers.get("Origin");
    const { corsOrigin } = settings;
    if (corsOrigin !== undefined) {
      if (corsOrigin.includes("*")) headers["Access-Control-Allow-Origin"] = "*";
      else if (origin !== null && corsOrigin.includes(origin)) headers["Access-Control-Allow-Origin"] = origin;
    }
    this.#checkDraining(route);
    if (route === undefined) throw new HttpError(404, this.#nothingAt(call.path));
    const { method } = request;
    if (method === "OPTIONS") {
      headers["Access-Control-Allow-Headers"] = request.headers.get("Access-Control-Request-Headers") ?? "";
      headers["Access-Control-Expose-Headers"] = "X-Auth-Token";
      headers["Access-Control-Allow-Methods"] = "OPTIONS, GET, POST";
      return new Response(null, { status: 204, headers });
    }
    // Real servers know no HEAD.
    const operation = method === "HEAD" ? undefined : this.#operation(route, method);
    if (operation === undefined) throw new HttpError(405, "Specified method is invalid for this resource");
    const type = this.#negotiate(operation, call, firstAccepted);
    const auth = operation.auth ?? route.auth;
    const token = presented(request);
    if (auth !== "none" && token !== undefined) {
      const record = auth === "own" && call.path === "/" ? undefined : await backend.token(token);
      if (record !== undefined) call.identity = { record };
      call.user = record?.name;
    }
    if (auth === "session" && call.identity === undefined) {
      headers["Content-Type"] = "text/html; charset=UTF-8";
      return new Response(null, { status: 302, headers: { ...headers, Location: "/login" } });
    }
    if (method === "POST") await this.#read(call);
    return this.#respond(await this.#run(operation, call), call, type);
  }

  #checkDraining(route: Route | undefined): void {
    if (!this.#draining || route?.extension === true) return;
    throw new HttpError(503, "The gateway is stopping", { "Retry-After": RETRY_AFTER, Connection: "close" });
  }

  #operation(route: Route, method: string): Operation | undefined {
    if (method === "HEAD") return route.methods.GET;
    return method === "GET" || method === "POST" ? route.methods[method] : undefined;
  }

  #hasCookie(route: Route, operation: Operation | undefined): boolean {
    return route.extension !== true && route.page !== true && operation?.cookie !== false;
  }

  async #identify(call: Call): Promise<void> {
    const token = presented(call.request);
    if (token === undefined) return;
    call.identity = await call.services.identities.find(token, call.peer.address);
    if (call.identity !== undefined) call.proven.add(call.identity.record.token);
    call.user = call.identity?.record.name;
  }

  /** Renewed with each request; who has no session is told of one that nobody has. */
  #setCookie(call: Call): void {
    const { clock, sessions, settings } = call.services;
    const id = call.identity?.session?.id ?? sessions.newId();
    const expires = new Date(clock.now() + SESSION_MS).toUTCString();
    const life = [`expires=${expires}`, `Max-Age=${SESSION_MS / 1000}`];
    call.headers["Set-Cookie"] = sessionCookie(id, settings, ...life);
  }

  #preflight({ request, headers }: Call): Response {
    const wanted = request.headers.get("Access-Control-Request-Method");
    if (wanted === "GET" || wanted === "POST") {
      headers["Access-Control-Allow-Methods"] = "GET, POST";
      headers["Access-Control-Allow-Headers"] = "Content-Type, X-Auth-Token, X-Requested-With";
      headers["Access-Control-Max-Age"] = "1400";
    }
    return new Response("", { status: 200, headers });
  }

  async #read(call: Call): Promise<void> {
    const { settings, clock } = call.services;
    call.body = await readBody(call.request, {
      flavour: settings.flavour,
      clock,
      maxBytes: settings.maxBodyBytes,
      timeoutMs: settings.bodyTimeoutMs,
      arriving: this.#arriving,
      address: call.peer.address,
    });
  }

  /**
   * What comes with a password may wait long for it to be tried. Until it is answered, its body counts as one that still
   * arrives.
   */
  async #run(operation: Operation, call: Call): Promise<Answer> {
    const { identity, body, peer: { address } } = call;
    const size = identity === undefined ? body.size ?? 0 : 0;
    if (size === 0) return await operation.run(call);
    this.#arriving.take(address, size);
    try {
      return await operation.run(call);
    } finally {
      this.#arriving.give(address, size);
    }
  }

  /** Refused before anything is done: afterwards it would be too late. */
  #negotiate(operation: Operation, call: Call, choose: typeof accepted): string {
    const header = call.request.headers.get("Accept");
    const { flavour } = call.services.settings;
    if (operation.produces !== undefined) {
      // Browsers ask for streams in their own words, which tornado's server refused by mistake: its other clients do not.
      const refused = flavour === "rest_tornado" && choose(header, OFFERED) === undefined &&
        header !== "text/event-stream";
      if (refused) throw new HttpError(406, "Not acceptable");
      return operation.produces;
    }
    const type = choose(header, OFFERED);
    if (type !== undefined) return type;
    throw new HttpError(
      406,
      `Your client sent this Accept header: ${header}. But this resource only emits these media types: ${
        CLASSIC.join(", ")
      }.`,
    );
  }

  async #respond(answer: Response | { value: unknown }, call: Call, type: string): Promise<Response> {
    if (answer instanceof Response) {
      // A host's own answer to an upgrade must come back as it is, and that of a stream has our headers already.
      if (answer.body === null && answer.status !== 200) return answer;
      for (const [name, value] of Object.entries(call.headers)) {
        if (!answer.headers.has(name)) answer.headers.set(name, value);
      }
      return answer;
    }
    const body = await represent(answer.value, type, call.services.settings.flavour);
    call.headers["Content-Type"] = type;
    return new Response(body, { status: call.status, headers: call.headers });
  }

  /** Files, which real servers serve without looking further; and the application's page for browsers. */
  #page(route: Route | undefined, call: Call): Response | undefined {
    const { runtime: { fs }, settings } = call.services;
    const { request, path, headers } = call;
    if (request.method !== "GET" && request.method !== "HEAD" && request.method !== "POST") return undefined;
    const { staticDir, staticPath, app, appPath, favicon } = settings;
    if (staticDir !== undefined && request.method !== "POST" && path.startsWith(`${staticPath}/`)) {
      const file = fileBelow(fs, staticDir, path.slice(staticPath.length + 1));
      const response = file === undefined ? undefined : fileResponse(fs, file, request, headers);
      if (response === undefined) throw new HttpError(404, `The path '${path}' was not found.`);
      return response;
    }
    if (favicon !== undefined && path === "/favicon.ico") return fileResponse(fs, favicon, request, headers);
    const exempt = app === undefined || route?.extension === true || path.startsWith(appPath) ||
      path.startsWith(staticPath);
    const accept = request.headers.get("Accept");
    if (exempt || accept === null || accept === "*/*") return undefined;
    if (accepted(accept, [...CLASSIC, "text/html"]) !== "text/html" || !accept.includes("text/html")) return undefined;
    return fileResponse(fs, app!, request, { ...headers, Allow: "GET, HEAD" });
  }

  #nothingAt(path: string): string {
    const [, first] = path.split("/");
    const known = this.routes.some((route) => route.path !== "/" && route.path.split("/")[1] === first);
    return known ? "Nothing matches the given URI" : `The path '${path}' was not found.`;
  }

  #failure(error: unknown, call: Call): Response | Promise<Response> {
    const { settings: { flavour }, log } = call.services;
    if (error instanceof MasterDownError) {
      return this.#error(503, error.message, call, { "Retry-After": RETRY_AFTER });
    }
    if (error instanceof HttpError) return this.#error(error.status, error.message, call, error.headers);
    if (flavour === "rest_cherrypy" && error instanceof RefusedError) {
      const known = statusOfRefusal(error);
      if (known !== undefined) return this.#error(known.status, known.message, call);
    }
    if (error instanceof TimeoutError || codeOf(error) === "TIMEOUT") {
      return this.#error(504, "The gateway server did not receive a timely response", call);
    }
    if (!call.request.signal.aborted && !(error instanceof RefusedError)) {
      log.error("a request failed", {
        path: shown(call.path),
        error: messageOf(error),
        kind: (error as Error)?.name ?? "",
      });
    }
    if (flavour === "rest_tornado") return this.#error(500, "", call);
    const type = accepted(call.request.headers.get("Accept"), OFFERED) ?? OFFERED[0]!;
    call.status = 500;
    return this.#respond({ value: { status: 500, return: "An unexpected error occurred" } }, call, type);
  }

  #error(status: number, message: string, call: Call, more: Record<string, string> = {}): Response {
    const { type, body } = ERROR_PAGES[call.services.settings.flavour](status, message);
    const headers = { ...call.headers, "X-Content-Type-Options": "nosniff", ...more, "Content-Type": type };
    return new Response(body, { status, headers });
  }

  #log(route: Route | undefined, call: Call, status: number, ms: number): void {
    const { log } = this.#services;
    if (!log.enabled("info")) return;
    log.info("request", {
      method: call.request.method,
      // Without the query, which may hold a token.
      path: route?.path.includes(":token") ? route.path : shown(call.path),
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
