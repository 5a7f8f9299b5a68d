import { interfacesOf, keepAliveOf } from "../../../model/config/url.ts";
import type { MasterOpts } from "../../../model/config/master_opts.ts";
import { joinPath } from "../../../base/paths.ts";
import { codeOf, SystemError } from "../../../base/errors.ts";
import type { ListenOptions } from "../../../runtime/net.ts";
import { descriptorsForOthers } from "../../../runtime/descriptors.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { Pub, Pull, Router, Socket, SocketFactory } from "../../../protocol/zmtp/mod.ts";
import { ConnectionLimit } from "../../../protocol/zmtp/mod.ts";
import type { Transport } from "../../../protocol/transport/transport.ts";
import type { Presence } from "../presence.ts";

/** The least backlog of connections that wait to be accepted; the system allows no more than `net.core.somaxconn`. */
const MIN_BACKLOG = 8192;

/** The bytes of the largest return that arrives while nothing else does. */
const LARGEST_RETURN = 2 ** 27;

/** Milliseconds that a socket which is being closed goes on sending. */
const LINGER_MS = 1000;

/** New connections at once that are not answered yet: the sign-ins of a second, on a fast host. */
const ADMIT_AT_ONCE = 1000;

interface MasterSocketsOptions {
  transport: Transport;
  /** Makes the sockets that other programs on this host look for. */
  local: Pick<SocketFactory, "pull">;
  opts: MasterOpts;
  fs: FileSystem;
  presence: Presence;
}

/** Makes the master's sockets. The publisher and the request socket share one bound on connections. */
export class MasterSockets {
  readonly #options: MasterSocketsOptions;
  readonly #connectionLimit: ConnectionLimit;
  readonly #knownHost: (host: string) => boolean;

  constructor(options: MasterSocketsOptions) {
    this.#options = options;
    const { fs, presence } = options;
    this.#knownHost = (host) => presence.knows(host);
    this.#connectionLimit = new ConnectionLimit({
      maxConnections: descriptorsForOthers(fs),
      knownHost: this.#knownHost,
    });
  }

  /** True if publications go by topic, only to the minions that they are for: `zmq_filtering`. */
  get byTopic(): boolean {
    const { transport, opts } = this.#options;
    return opts.zmq_filtering && transport.byTopic !== false;
  }

  publisher(): Pub {
    const { transport, opts } = this.#options;
    return transport.pub({
      sendHighWaterMark: opts.pub_hwm,
      lingerMs: LINGER_MS,
      maxTopics: 64,
      connectionLimit: this.#connectionLimit,
    });
  }

  requests(): Router {
    return this.#options.transport.router({
      lingerMs: LINGER_MS,
      sendHighWaterMark: 0,
      admitAtOnce: ADMIT_AT_ONCE,
      // A minion that this master has not heard of, or that has sent little so far, may still bring a return of 100 MB.
      unfinishedBytes: LARGEST_RETURN,
      unfinishedBytesKnown: 2 ** 29,
      unfinishedBytesOf: (host) => this.#options.presence.bytesOf(host),
      knownHost: this.#knownHost,
      connectionLimit: this.#connectionLimit,
    });
  }

  /** Listens at `publish_port` and `ret_port`; resolves to both endpoints. @throws {SystemError} if a port is in use */
  async listen(publisher: Pub, requests: Router): Promise<{ publishEndpoint: string; requestEndpoint: string }> {
    const { opts } = this.#options;
    // Salt accepts connections in threads of their own; here they wait for the event loop, and a whole fleet that connects
    // at once would overrun a backlog of a thousand.
    const listen = { backlog: Math.max(opts.zmq_backlog, MIN_BACKLOG), keepAliveIdle: keepAliveOf(opts) };
    const hosts = interfacesOf(opts.interface);
    return {
      publishEndpoint: await bindPort(publisher, "publish_port", hosts, opts.publish_port, listen),
      requestEndpoint: await bindPort(requests, "ret_port", hosts, opts.ret_port, listen),
    };
  }

  /**
   * Two sockets by whose files Salt's command line and HTTP API tell that a master is running; nothing is sent to them.
   *
   * @param own called with each before it is bound, to close it
   */
  async markRunning(own: (marker: Pull) => void): Promise<void> {
    const { local, opts } = this.#options;
    for (const name of ["publish_pull.ipc", "workers.ipc"]) {
      const marker = local.pull();
      own(marker);
      await marker.bind(`ipc://${joinPath(opts.sock_dir, name)}`, { mode: 0o600 });
    }
  }
}

/** The port of `tcp://10.0.0.7:4505`. */
export function portOf(endpoint: string): number {
  return Number(endpoint.slice(endpoint.lastIndexOf(":") + 1));
}

function endpointOf(host: string, port: number): string {
  return `tcp://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Binds a socket to a port of the configuration at each address. @returns the first endpoint */
async function bindPort(
  socket: Socket,
  option: string,
  hosts: readonly string[],
  port: number,
  listen: ListenOptions,
): Promise<string> {
  const [first, ...others] = hosts;
  // `::` also accepts IPv4, unless another socket listens on IPv4.
  const how = hosts.length > 1 ? { ...listen, dualStack: false } : listen;
  const endpoint = await bindAddress(socket, option, first!, port, how);
  for (const host of others) await bindAddress(socket, option, host, portOf(endpoint), how);
  return endpoint;
}

/** Binds a socket to one address. The error names the option, and how to find the program at that port. */
async function bindAddress(
  socket: Socket,
  option: string,
  host: string,
  port: number,
  listen: ListenOptions,
): Promise<string> {
  try {
    return await socket.bind(endpointOf(host, port), listen);
  } catch (error) {
    const errno = codeOf(error) || "EIO";
    if (errno !== "EADDRINUSE") throw error;
    throw new SystemError(
      errno,
      `Port ${port} (${option}) is in use on ${host}: stop the program that listens there (ss -ltnp 'sport = :${port}' names it), or set ${option} to another port`,
      { port, option, cause: error },
    );
  }
}
