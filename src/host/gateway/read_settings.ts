import { ConfigError } from "../../base/errors.ts";
import { entriesOf, isMap } from "../../language/python/values.ts";
import { type IpTarget, parseIpTarget } from "../../model/target/ipcidr.ts";
import { type Flavour, profileOf } from "./flavours/flavours.ts";
import type { FlavourOptions } from "./flavours/profile.ts";
import type { ApiKeySetting, GatewaySettings } from "./settings.ts";
import { Section } from "./settings_section.ts";
import { fieldOf } from "./wire/json.ts";

/**
 * True if the configuration has a section for a flavour.
 *
 * @example
 * ```ts
 * import { configured } from "brine/gateway";
 *
 * console.log(configured({ rest_cherrypy: { port: 8000 } }, "rest_cherrypy")); // true
 * console.log(configured({}, "rest_cherrypy")); // false
 * ```
 */
export function configured(opts: Record<string, unknown>, flavour: Flavour): boolean {
  return opts[flavour] !== undefined && opts[flavour] !== null && opts[flavour] !== false;
}

function apiAcl(section: Section): GatewaySettings["apiAcl"] {
  const acl = section.get("api_acl");
  if (!isMap(acl)) return undefined;
  const users = fieldOf(acl, "users");
  // As in Salt, a section without users admits nobody.
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

function trustedProxies(section: Section): IpTarget[] {
  return (section.texts("trusted_proxies") ?? []).map((text) => {
    const network = parseIpTarget(text);
    if (network !== undefined) return network;
    throw new ConfigError(
      `trusted_proxies: "${text}" is not an address or a network: expected one like 10.0.0.5 or 10.0.0.0/24`,
    );
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
 * @example
 * ```ts
 * import { gatewaySettings, masterOptions } from "brine/gateway";
 *
 * const opts = masterOptions({ rest_cherrypy: { port: 8000, disable_ssl: true } });
 * console.log(gatewaySettings(opts, "rest_cherrypy").port); // 8000
 * ```
 * @throws {ConfigError} naming the option
 */
export function gatewaySettings(opts: Record<string, unknown>, flavour: Flavour): GatewaySettings {
  const section = new Section(flavour, opts[flavour]);
  if (!section.has("port")) throw new ConfigError(`${flavour}: port is missing: the server listens nowhere by default`);
  return { flavour, ...masterSettings(opts), ...serverSettings(section, profileOf(flavour).options) };
}

/** The settings from options of the master, which apply to every flavour. */
function masterSettings(opts: Record<string, unknown>) {
  const main = new Section("master", opts);
  const maps = (key: string) => (isMap(opts[key]) ? Object.fromEntries(entriesOf(opts[key])) : {});
  return {
    clients: new Set(main.texts("netapi_enable_clients") ?? []),
    allowRawShell: main.flag("netapi_allow_raw_shell"),
    externalAuth: maps("external_auth"),
    nodegroups: maps("nodegroups"),
    sharedSecret: main.file("sharedsecret"),
    timeoutMs: main.number("timeout", 5) * 1000,
    gatherMs: main.number("gather_job_timeout", 10) * 1000,
    runnerTimeoutMs: main.number("rest_timeout", 300) * 1000,
  };
}

function serverSettings(section: Section, names: FlavourOptions) {
  const maxConnections = section.number("max_connections", 10_000) || Infinity;
  return {
    host: section.text(names.host, "0.0.0.0"),
    port: section.number("port", 0),
    backlog: section.number(names.backlog, 511),
    tls: tls(section),
    debug: section.flag("debug"),
    sessions: section.flag("enable_sessions", true),
    rootPrefix: section.text("root_prefix", "").replace(/^\/*|\/+$/g, ""),
    // Salt documents 1 MiB and does not enforce it. Pillar and states can be larger.
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
    websockets: names.websockets === undefined || section.flag(names.websockets),
    corsOrigin: names.corsOrigin === undefined ? undefined : section.texts(names.corsOrigin),
    trustedProxies: trustedProxies(section),
    loginAttempts: section.number("login_attempts", 30),
    bodyTimeoutMs: section.number("body_timeout", 30) * 1000,
    headTimeoutMs: section.number("head_timeout", 20) * 1000,
    maxConnections,
    maxConnectionsPerAddress: section.number("max_connections_per_address", Math.ceil(maxConnections / 2)) || Infinity,
    eventHistory: section.number("event_history", 1000),
    listenerBytes: section.number("listener_buffer", 1024 * 1024),
    drainMs: section.number("drain_timeout", 10) * 1000,
    jwt: jwt(section),
    apiKeys: apiKeys(section),
  };
}
