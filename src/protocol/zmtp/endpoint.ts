import { networkOf, printAddress, type SocketAddress } from "../../runtime/net.ts";

/** A ZeroMQ endpoint: where to dial or listen, and for TCP optionally from where (`tcp://source:port;host:port`). */
export type Endpoint = SocketAddress & { source?: { host?: string; port?: number } };

const FORMS = `"tcp://host:port", "tcp://[ipv6]:port" or "ipc:///path"`;

function invalid(text: string, why: string): SyntaxError {
  return new SyntaxError(`Cannot parse endpoint "${text}": ${why}; expected ${FORMS}`);
}

function parseHostPort(part: string, text: string): { host: string; port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\*|\d{1,5})$/.exec(part);
  if (match === null) throw invalid(text, `"${part}" is not a host and a port`);
  const [, ipv6, name, digits] = match;
  const port = digits === "*" ? 0 : Number(digits);
  if (port > 65_535) throw invalid(text, `port ${port} is above 65535`);
  return { host: ipv6 ?? (name === "*" ? "0.0.0.0" : name!), port };
}

/**
 * Reads libzmq's notation. `*` is any IPv4 address as host, any free port.
 *
 * @example
 * ```ts
 * import { parseEndpoint } from "brine/zmtp";
 *
 * console.log(JSON.stringify(parseEndpoint("tcp://[::1]:4506"))); // {"kind":"tcp","host":"::1","port":4506}
 * console.log(JSON.stringify(parseEndpoint("ipc:///run/bus.ipc"))); // {"kind":"unix","path":"/run/bus.ipc"}
 * ```
 * @throws {SyntaxError} for any other text, including `inproc`
 * @see https://libzmq.readthedocs.io/en/latest/zmq_tcp.html
 */
export function parseEndpoint(text: string): Endpoint {
  const [, scheme, rest = ""] = /^([a-z]+):\/\/(.*)$/s.exec(text) ?? [];
  if (scheme === "ipc") {
    if (rest === "" || rest.includes("\0")) throw invalid(text, "the path is empty or has a zero byte");
    return { kind: "unix", path: rest };
  }
  if (scheme !== "tcp") {
    throw invalid(text, scheme === undefined ? "it has no scheme" : `the scheme "${scheme}" is unknown`);
  }
  const [first = "", second, ...more] = rest.split(";");
  if (more.length > 0) throw invalid(text, "it has more than one source");
  if (second === undefined) return { kind: "tcp", ...parseHostPort(first, text) };
  return { kind: "tcp", ...parseHostPort(second, text), source: parseHostPort(first, text) };
}

/**
 * The inverse of {@link parseEndpoint}.
 *
 * @example
 * ```ts
 * import { printEndpoint } from "brine/zmtp";
 *
 * console.log(printEndpoint({ kind: "unix", path: "/run/bus.ipc" })); // ipc:///run/bus.ipc
 * ```
 */
export function printEndpoint(endpoint: Endpoint): string {
  if (endpoint.kind === "unix" || endpoint.source === undefined) return printAddress(endpoint);
  const { host = "0.0.0.0", port = 0 } = endpoint.source;
  const source = printAddress({ kind: "tcp", host, port });
  return `${source};${printAddress(endpoint).slice("tcp://".length)}`;
}

/**
 * The host in the name of a connection: `10.0.0.7` of `tcp://10.0.0.7:51312`; empty for a Unix socket.
 *
 * @example
 * ```ts
 * import { hostOf } from "brine/zmtp";
 *
 * console.log(hostOf("tcp://10.0.0.7:51312")); // 10.0.0.7
 * ```
 */
export function hostOf(remote: string): string {
  return remote.slice(remote.indexOf("://") + 3, remote.lastIndexOf(":"));
}

/**
 * The sender of a connection, for limits on one sender: the host's address; for IPv6 its /64 network, since one host can use all
 * addresses of a /64. All connections over local sockets count as one sender.
 *
 * @param remote as in `PeerInfo`: `tcp://10.0.0.7:51312`, `tcp://[2001:db8::7]:51312`; empty where libzmq does not report it
 */
export function originOf(remote: string): string {
  const scheme = remote.indexOf("://");
  if (!remote.startsWith("tcp:")) return scheme < 0 ? "" : remote.slice(0, scheme);
  const host = remote.slice(scheme + 3, Math.max(scheme + 3, remote.lastIndexOf(":")));
  if (!host.startsWith("[")) return host;
  return networkOf(host.slice(1, -1));
}
