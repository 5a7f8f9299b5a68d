import { joinPath } from "../base/paths.ts";
import { type Logger, silentLogger } from "../base/log.ts";
import { refuseUnknownKeys } from "../base/nearest_name.ts";
import { currentRuntime } from "../runtime/current.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { abortable } from "../base/async/within.ts";
import { HttpClient } from "./http/http_client.ts";
import type { HttpOptions } from "./http/http_options.ts";
import { LocalClient } from "./local_client.ts";

/** The places of the sockets and keys of the master on this host, as in its configuration. */
export interface ConnectOptions {
  /** The master's `root_dir`, which is put before the default directories. @default "/" */
  rootDir?: string;
  /** The master's `sock_dir`. @default "/var/run/salt/master" below `rootDir` */
  sockDir?: string;
  /** The master's `cachedir`. @default "/var/cache/salt/master" below `rootDir` */
  cacheDir?: string;
  /** The master's `interface`. @default "127.0.0.1" */
  host?: string;
  /** The master's `ret_port`. @default 4506 */
  requestPort?: number;
  /** The user that the master runs as. @default "root" */
  user?: string;
  /** The master's `transport`: `"zeromq"`, `"tcp"` or `"ws"`. @default "zeromq" */
  transport?: string;
  /** The master's `ssl`, as in its configuration: `{certfile, keyfile, ca_certs, cert_reqs}`. @default none */
  ssl?: Record<string, unknown>;
  /** Aborts the connection attempt with the signal's reason. Has no effect on an open connection. */
  signal?: AbortSignal;
  /** The runtime to connect with. @default the runtime of this program */
  runtime?: Runtime;
  /** The log of the client. @default no log */
  log?: Logger;
}

const OPTIONS: readonly (keyof Required<ConnectOptions>)[] = [
  "rootDir",
  "sockDir",
  "cacheDir",
  "host",
  "requestPort",
  "user",
  "transport",
  "ssl",
  "signal",
  "runtime",
  "log",
];
const REMEDIES = {
  interface: "use host",
  ret_port: "use requestPort",
  port: "use requestPort",
};

/**
 * Connects a program to the master on this host, of Brine or of Salt.
 *
 * @example
 * ```ts
 * await using salt = await connect({ rootDir: "/tmp/brine", requestPort: 4506 });
 * for await (const outcome of salt.run({ tgt: "*", fun: "test.ping" })) console.log(outcome.id, outcome.kind);
 * ```
 * @throws {ClientError} `MASTER_DOWN` if none is running there
 * @throws {TypeError} for an unknown option
 */
export function connect(options?: ConnectOptions): Promise<LocalClient>;
/**
 * Connects a program to a master over HTTP, through a salt-api of Brine or of Salt. The client has the same methods as on the
 * master's host.
 *
 * @param url the address of the server, with its `root_prefix` if it has one
 * @example
 * ```ts
 * const login = { username: "ann", password: "secret", eauth: "file" };
 * await using salt = await connect("https://salt.example.com:8000", { login });
 * for await (const outcome of salt.run({ tgt: "*", fun: "test.ping" })) console.log(outcome.id, outcome.kind);
 * ```
 * @throws {ClientError} `AUTHENTICATION`, `UNREACHABLE`, `MASTER_DOWN`; `INSECURE` for plain HTTP to another machine
 * @throws {TypeError} for an unknown option or an invalid address
 */
export function connect(url: string | URL, options: HttpOptions): Promise<HttpClient>;
export async function connect(
  where: string | URL | ConnectOptions = {},
  options?: HttpOptions,
): Promise<LocalClient | HttpClient> {
  if (typeof where === "string" || where instanceof URL) return await HttpClient.open(where, options);
  return await connectLocally(where);
}

async function connectLocally(options: ConnectOptions): Promise<LocalClient> {
  refuseUnknownKeys("the options of connect()", options, OPTIONS, REMEDIES);
  const { signal } = options;
  signal?.throwIfAborted();
  const root = (options.rootDir ?? "/").replace(/\/+$/, "");
  const opening = LocalClient.open({
    runtime: options.runtime ?? await currentRuntime(),
    log: options.log ?? silentLogger,
    opts: {
      interface: options.host ?? "127.0.0.1",
      ret_port: options.requestPort ?? 4506,
      sock_dir: options.sockDir ?? joinPath(`${root}/var/run/salt/master`),
      cachedir: options.cacheDir ?? joinPath(`${root}/var/cache/salt/master`),
      user: options.user ?? "root",
      transport: options.transport ?? "zeromq",
      ssl: options.ssl ?? null,
    },
  });
  try {
    return await abortable(opening, signal);
  } catch (error) {
    // The client may open after the abort: then it is closed here, since no caller has it.
    opening.then((client) => client.close(), () => {});
    throw error;
  }
}
