import { ConfigError } from "../errors.ts";
import { entriesOf, isMap, lookup } from "../python/containers.ts";

/** The two HTTP servers of real Salt, by the names of their sections in the master's configuration. */
export type Flavour = "rest_cherrypy" | "rest_tornado";
export const FLAVOURS: readonly Flavour[] = ["rest_cherrypy", "rest_tornado"];

/** What the master's configuration says of one HTTP server. Times are milliseconds, sizes bytes. */
export interface GatewaySettings {
  flavour: Flavour;
  host: string;
  /** 0 takes a free one. */
  port: number;
  backlog: number;
  /** Files; undefined where TLS is off. */
  tls: { cert: string; key: string; chain: string | undefined } | undefined;
  debug: boolean;
  /** Clients that are switched on. */
  clients: ReadonlySet<string>;
  allowRawShell: boolean;
  externalAuth: Record<string, unknown>;
  nodegroups: Record<string, unknown>;
  /** Salt's `sharedsecret`, with which API keys sign in. */
  sharedSecret: string | undefined;
  /** Silence allowed before minions are asked: `timeout`. */
  timeoutMs: number;
  /** How long they have to answer: `gather_job_timeout`. */
  gatherMs: number;
  /** How long a runner may take where the call does not say: `rest_timeout`. */
  runnerTimeoutMs: number;
  sessions: boolean;
  rootPrefix: string;
  maxBodyBytes: number;
  collectStats: boolean;
  statsAuth: boolean;
  webhookPath: string;
  webhookAuth: boolean;
  staticDir: string | undefined;
  staticPath: string;
  app: string | undefined;
  appPath: string;
  favicon: string | undefined;
  /** User → addresses; undefined lets everybody sign in from everywhere. */
  apiAcl: ReadonlyMap<string, readonly string[]> | undefined;
  /** Undefined lets everybody. */
  authorizedIps: readonly string[] | undefined;
  accessLog: string;
  websockets: boolean;
  /** Origins that a page may call from; tornado's `cors_origin`. */
  corsOrigin: readonly string[] | undefined;
  /** Failed sign-ins of one address within a minute, beyond which it has to wait. 0 is no limit. */
  loginAttempts: number;
  /** For the request's body to arrive. */
  bodyTimeoutMs: number;
  /** For the head of a request, and between two requests of a connection. */
  headTimeoutMs: number;
  /** Events kept for listeners that come back. */
  eventHistory: number;
  /** Bytes held for one listener; beyond that its stream is closed. */
  listenerBytes: number;
  /** Requests in progress have so long when the gateway stops. */
  drainMs: number;
  /** `jwt`: sessions that outlive the process; undefined where they are off. */
  jwt: { accessMs: number; refreshMs: number; rotateMs: number } | undefined;
  /** `api_keys`: name → how its bytes hash, whom it acts for, and what it may. */
  apiKeys: readonly ApiKeySetting[];
}

/** An API key as the configuration names it: never the key, only its SHA-256. */
export interface ApiKeySetting {
  name: string;
  /** 64 hex digits. */
  sha256: string;
  /** In whose name the master is asked (eauth `sharedsecret`). */
  user: string;
  /** `client:function` globs such as `local:test.*`, and `events`, `hook`. */
  scopes: readonly string[];
}

const HOUR = 3_600_000;

class Section {
  readonly #name: string;
  readonly #values: unknown;

  constructor(name: string, values: unknown) {
    this.#name = name;
    this.#values = values;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined && this.get(key) !== null;
  }

  get(key: string): unknown {
    return isMap(this.#values) ? lookup(this.#values, key) : undefined;
  }

  text(key: string, otherwise: string): string {
    return this.has(key) ? String(this.get(key)) : otherwise;
  }

  file(key: string): string | undefined {
    return this.has(key) && this.get(key) !== "" ? String(this.get(key)) : undefined;
  }

  flag(key: string, otherwise = false): boolean {
    const value = this.get(key);
    if (value === undefined || value === null) return otherwise;
    return typeof value === "string" ? !/^(?:false|no|off|0|)$/i.test(value) : Boolean((value as boolean).valueOf());
  }

  number(key: string, otherwise: number): number {
    if (!this.has(key)) return otherwise;
    const value = Number(this.get(key));
    if (Number.isFinite(value) && value >= 0) return value;
    throw new ConfigError(`${this.#name}: ${key} is "${this.get(key)}": expected a number that is not negative`);
  }

  texts(key: string): readonly string[] | undefined {
    if (!this.has(key)) return undefined;
    return [this.get(key)].flat().map(String);
  }
}

/** True if the configuration has a section for that server. */
export function configured(opts: Record<string, unknown>, flavour: Flavour): boolean {
  return opts[flavour] !== undefined && opts[flavour] !== null && opts[flavour] !== false;
}

function apiAcl(section: Section): GatewaySettings["apiAcl"] {
  const acl = section.get("api_acl");
  if (!isMap(acl)) return undefined;
  const users = lookup(acl, "users");
  // As in the original: a section without users lets nobody in.
  const entries: [string, string[]][] = isMap(users)
    ? entriesOf(users).map(([name, places]) => [String(name), [places].flat().map(String)])
    : [];
  return new Map(entries);
}

function jwt(section: Section): GatewaySettings["jwt"] {
  if (!section.has("jwt") || section.get("jwt") === false) return undefined;
  const values = new Section("jwt", section.get("jwt"));
  return {
    accessMs: values.number("access_seconds", 900) * 1000,
    refreshMs: values.number("refresh_seconds", 12 * 3600) * 1000,
    rotateMs: values.number("rotate_seconds", 24 * 3600) * 1000,
  };
}

function apiKeys(section: Section): ApiKeySetting[] {
  const keys = section.get("api_keys");
  if (!isMap(keys)) return [];
  return entriesOf(keys).map(([name, value]) => {
    const entry = new Section(`api_keys: ${name}`, value);
    const sha256 = entry.text("sha256", "").toLowerCase();
    if (!/^[0-9a-f]{64}$/.test(sha256)) {
      throw new ConfigError(`api_keys: ${name}: sha256 is not the 64 hex digits of the key's SHA-256`);
    }
    return {
      name: String(name),
      sha256,
      user: entry.text("user", String(name)),
      scopes: entry.texts("scopes") ?? [],
    };
  });
}

function tls(section: Section): GatewaySettings["tls"] {
  if (section.flag("disable_ssl")) return undefined;
  const [cert, key] = [section.file("ssl_crt"), section.file("ssl_key")];
  if (cert === undefined || key === undefined) {
    throw new ConfigError(
      "The HTTP server has no certificate: set ssl_crt and ssl_key to files, or disable_ssl to true",
    );
  }
  return { cert, key, chain: section.file("ssl_chain") };
}

/**
 * Reads a server's section of the master's configuration.
 *
 * @throws {ConfigError} naming the option
 */
export function gatewaySettings(opts: Record<string, unknown>, flavour: Flavour): GatewaySettings {
  const section = new Section(flavour, opts[flavour]);
  const main = new Section("master", opts);
  const cherrypy = flavour === "rest_cherrypy";
  if (!section.has("port")) throw new ConfigError(`${flavour}: port is missing: the server listens nowhere by default`);
  const maps = (key: string) => (isMap(opts[key]) ? Object.fromEntries(entriesOf(opts[key])) : {});
  return {
    flavour,
    host: cherrypy ? section.text("host", "0.0.0.0") : section.text("address", "0.0.0.0"),
    port: section.number("port", 0),
    backlog: cherrypy ? section.number("socket_queue_size", 511) : section.number("backlog", 511),
    tls: tls(section),
    debug: section.flag("debug"),
    clients: new Set(main.texts("netapi_enable_clients") ?? []),
    allowRawShell: main.flag("netapi_allow_raw_shell"),
    externalAuth: maps("external_auth"),
    nodegroups: maps("nodegroups"),
    sharedSecret: main.file("sharedsecret"),
    timeoutMs: main.number("timeout", 5) * 1000,
    gatherMs: main.number("gather_job_timeout", 10) * 1000,
    runnerTimeoutMs: main.number("rest_timeout", 300) * 1000,
    sessions: section.flag("enable_sessions", true),
    rootPrefix: section.text("root_prefix", "").replace(/^\/*|\/+$/g, ""),
    // Documented with 1 MiB, and without any effect in the original; pillar and states may be larger.
    maxBodyBytes: section.number("max_request_body_size", 8 * 1024 * 1024),
    collectStats: section.flag("collect_stats"),
    statsAuth: !section.flag("stats_disable_auth"),
    webhookPath: section.text("webhook_url", "/hook").replace(/^\/*/, "/"),
    webhookAuth: !section.flag("webhook_disable_auth"),
    staticDir: section.file("static"),
    staticPath: section.text("static_path", "/static").replace(/^\/*/, "/"),
    app: section.file("app"),
    appPath: section.text("app_path", "/app").replace(/^\/*/, "/"),
    favicon: section.file("favicon"),
    apiAcl: apiAcl(section),
    authorizedIps: section.texts("authorized_ips"),
    accessLog: section.text("log_access_file", ""),
    websockets: cherrypy || section.flag("websockets"),
    corsOrigin: cherrypy ? undefined : section.texts("cors_origin"),
    loginAttempts: section.number("login_attempts", 30),
    bodyTimeoutMs: section.number("body_timeout", 30) * 1000,
    headTimeoutMs: section.number("head_timeout", 20) * 1000,
    eventHistory: section.number("event_history", 1000),
    listenerBytes: section.number("listener_buffer", 1024 * 1024),
    drainMs: section.number("drain_timeout", 10) * 1000,
    jwt: jwt(section),
    apiKeys: apiKeys(section),
  };
}

/** Sessions end so long after their last request. */
export const SESSION_MS = 10 * HOUR;
