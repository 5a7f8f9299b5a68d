import type { IpTarget } from "../../model/target/ipcidr.ts";

/** The master's configuration for one HTTP server. Durations are milliseconds, sizes bytes. */
export interface GatewaySettings {
  /** The section of the configuration: one of `FLAVOURS`. */
  flavour: string;
  /** The address to listen on. */
  host: string;
  /** The port; 0 for any free one. */
  port: number;
  /** Connections that may wait to be accepted. */
  backlog: number;
  /** The paths of the TLS files; undefined without TLS. */
  tls: { cert: string; key: string; chain: string | undefined } | undefined;
  /** The option `debug`. */
  debug: boolean;
  /** Names of the clients that are enabled. */
  clients: ReadonlySet<string>;
  /** Whether `salt-ssh` raw shell commands are allowed: `netapi_allow_raw_shell`. */
  allowRawShell: boolean;
  /** The master's `external_auth`. */
  externalAuth: Record<string, unknown>;
  /** The master's `nodegroups`. */
  nodegroups: Record<string, unknown>;
  /** Salt's `sharedsecret`, with which API keys sign in. */
  sharedSecret: string | undefined;
  /** How long to wait for returns before minions are asked whether they are still running the job: `timeout`. */
  timeoutMs: number;
  /** How long minions have to answer that question: `gather_job_timeout`. */
  gatherMs: number;
  /** How long a runner may take unless the request sets `timeout`: `rest_timeout`. */
  runnerTimeoutMs: number;
  /** Whether logins are kept as sessions with a cookie. */
  sessions: boolean;
  /** The path that all routes are below, such as `/api`; empty for none. */
  rootPrefix: string;
  /** The largest request body, in bytes. */
  maxBodyBytes: number;
  /** Whether requests are counted for `/stats`. */
  collectStats: boolean;
  /** Whether `/stats` needs a login. */
  statsAuth: boolean;
  /** The path of webhooks, such as `/hook`. */
  webhookPath: string;
  /** Whether webhooks need a login. */
  webhookAuth: boolean;
  /** The directory of static files, if any. */
  staticDir: string | undefined;
  /** The path of static files, such as `/static`. */
  staticPath: string;
  /** The file of a single-page application, if any. */
  app: string | undefined;
  /** The path of that application, such as `/app`. */
  appPath: string;
  /** The file of the icon, if any. */
  favicon: string | undefined;
  /** User → addresses; undefined lets every user sign in from anywhere. */
  apiAcl: ReadonlyMap<string, readonly string[]> | undefined;
  /** Addresses that may use the API; undefined for all. */
  authorizedIps: readonly string[] | undefined;
  /** The file of the access log; empty for none. */
  accessLog: string;
  /** Whether WebSockets are served. */
  websockets: boolean;
  /** Origins whose pages may call. */
  corsOrigin: readonly string[] | undefined;
  /** Proxies whose `X-Forwarded-For` is trusted to name the client. */
  trustedProxies: readonly IpTarget[];
  /** Failed logins of one address within a minute, after which it has to wait. 0 for no limit. */
  loginAttempts: number;
  /** The time for the body of a request. */
  bodyTimeoutMs: number;
  /** The time for the head of a request, and between two requests of a connection. */
  headTimeoutMs: number;
  /** The most connections at once. */
  maxConnections: number;
  /** The most connections of one address at once; trusted proxies are not counted. */
  maxConnectionsPerAddress: number;
  /** Events kept for listeners that reconnect. */
  eventHistory: number;
  /** The most bytes that wait for one listener; beyond that its stream is closed. */
  listenerBytes: number;
  /** How long requests in progress have when the gateway stops. */
  drainMs: number;
  /** The option `jwt`: sessions that outlive the process; undefined if off. */
  jwt: { accessMs: number; refreshMs: number; rotateMs: number } | undefined;
  /** The option `api_keys`. */
  apiKeys: readonly ApiKeySetting[];
}

/** An API key in the configuration: never the key itself, only its hash. */
export interface ApiKeySetting {
  /** The key's name in the configuration. */
  name: string;
  /** The SHA-256 of the key: 64 hex digits. */
  sha256: string;
  /** The user that the key acts as (eauth `sharedsecret`). */
  user: string;
  /** `client:function` globs such as `local:test.*`, and `events`, `hook`. */
  scopes: readonly string[];
}
