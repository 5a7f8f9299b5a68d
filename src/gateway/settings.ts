/** The master's configuration for one HTTP server. Durations are milliseconds, sizes bytes. */
export interface GatewaySettings {
  /** The section of the configuration: one of `FLAVOURS`. */
  flavour: string;
  host: string;
  /** 0 for any free one. */
  port: number;
  backlog: number;
  /** Paths of files; undefined without TLS. */
  tls: { cert: string; key: string; chain: string | undefined } | undefined;
  debug: boolean;
  /** Names of the clients that are enabled. */
  clients: ReadonlySet<string>;
  allowRawShell: boolean;
  externalAuth: Record<string, unknown>;
  nodegroups: Record<string, unknown>;
  /** Salt's `sharedsecret`, with which API keys sign in. */
  sharedSecret: string | undefined;
  /** How long to wait for returns before minions are asked whether they are still running the job: `timeout`. */
  timeoutMs: number;
  /** How long minions have to answer that: `gather_job_timeout`. */
  gatherMs: number;
  /** How long a runner may take unless the request sets `timeout`: `rest_timeout`. */
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
  /** User → addresses; undefined lets every user sign in from anywhere. */
  apiAcl: ReadonlyMap<string, readonly string[]> | undefined;
  /** Addresses that may use the API; undefined for all. */
  authorizedIps: readonly string[] | undefined;
  accessLog: string;
  websockets: boolean;
  /** Origins whose pages may call. */
  corsOrigin: readonly string[] | undefined;
  /** Failed logins of one address within a minute, after which it has to wait. 0 for no limit. */
  loginAttempts: number;
  /** For the body of a request to arrive. */
  bodyTimeoutMs: number;
  /** For the head of a request, and between two requests of a connection. */
  headTimeoutMs: number;
  /** Events kept for listeners that reconnect. */
  eventHistory: number;
  /** Bytes that may wait for one listener; beyond that its stream is closed. */
  listenerBytes: number;
  /** How long requests in progress have when the gateway stops. */
  drainMs: number;
  /** `jwt`: sessions that outlive the process; undefined if off. */
  jwt: { accessMs: number; refreshMs: number; rotateMs: number } | undefined;
  /** `api_keys`. */
  apiKeys: readonly ApiKeySetting[];
}

/** An API key in the configuration: never the key itself, only its hash. */
export interface ApiKeySetting {
  name: string;
  /** 64 hex digits. */
  sha256: string;
  /** The user that it acts as (eauth `sharedsecret`). */
  user: string;
  /** `client:function` globs such as `local:test.*`, and `events`, `hook`. */
  scopes: readonly string[];
}
