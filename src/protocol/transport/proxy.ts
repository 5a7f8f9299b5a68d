/** The HTTP proxy of a configuration: `proxy_host` and its companions. */
import { ConfigError } from "../../base/errors.ts";
import { decodedPart } from "../../runtime/http_head.ts";
import { shownValue } from "../../base/shown_value.ts";
import type { Proxy, ProxyChoice } from "../../runtime/proxy_net.ts";

/** Returns the proxy for an address; undefined if the address is dialled directly. */
export type ProxyFor = (url: URL) => Proxy | undefined;

/** Names of this host. They are never dialled through a proxy, where they would mean the proxy's host. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;
/** Returns the value of an environment variable. */
type Environment = (name: string) => string | undefined;

const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, "$1");
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** The proxy of a configuration; undefined without `proxy_host`. @throws {ConfigError} if there is no `proxy_port` */
export function readProxy(opts: Record<string, unknown>): ProxyChoice | undefined {
  const { proxy_host, proxy_port, proxy_username, proxy_password, no_proxy } = opts;
  if (!isText(proxy_host)) return undefined;
  const port = Number(proxy_port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new ConfigError(
      `Cannot use proxy_host ${shownValue("proxy_host", proxy_host)}: proxy_port is ${
        shownValue("proxy_port", proxy_port)
      }, expected a port: ` +
        "set proxy_port to a number from 1 to 65535, or remove proxy_host",
      { option: "proxy_port" },
    );
  }
  return {
    host: withoutBrackets(proxy_host),
    port,
    ...(isText(proxy_username) ? { username: proxy_username } : {}),
    ...(isText(proxy_password) ? { password: proxy_password } : {}),
    except: Array.isArray(no_proxy)
      ? no_proxy.map(String)
      : typeof no_proxy === "string"
      ? no_proxy.split(/[\s,]+/)
      : [],
  };
}

/**
 * Returns the function that chooses the proxy for each request and each redirection. As in Salt, the environment is used only with
 * `backend: requests`; `proxy_host` takes precedence.
 *
 * @param env reads the environment of the process
 * @throws {ConfigError} if `proxy_host` has no port
 */
export function proxyFor(opts: Record<string, unknown>, env: Environment = () => undefined): ProxyFor {
  const proxy = readProxy(opts);
  if (proxy === undefined) return opts.backend === "requests" ? (url) => environmentProxy(url, env) : () => undefined;
  const except = new Set(proxy.except.map((host) => host.toLowerCase()));
  return ({ hostname }) => {
    const host = withoutBrackets(hostname);
    return LOOPBACK.test(host) || except.has(host) ? undefined : proxy;
  };
}

/** The address of a proxy as an argument for programs: `http://ann:secret@proxy:3128`. */
export function proxyAddress({ host, port, username, password }: Proxy): string {
  const user = username === undefined || password === undefined
    ? ""
    : `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`;
  return `http://${user}${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The proxy that `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` name, in lower or upper case. */
function environmentProxy(url: URL, env: Environment): Proxy | undefined {
  const named = (name: string) => [env(name), env(name.toUpperCase())].find(isText);
  const scheme = url.protocol.slice(0, -1);
  const [name, address] = [`${scheme}_proxy`, "all_proxy"].map((name) => [name, named(name)] as const)
    .find(([, value]) => value !== undefined) ?? [];
  if (address === undefined || isExcepted(url, named("no_proxy") ?? "")) return undefined;
  const text = address.includes("://") ? address : `http://${address}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  if (proxy === undefined || proxy.protocol !== "http:" || proxy.hostname === "") {
    // The error does not show the address, which may hold a password.
    throw new ConfigError(
      `Cannot use the environment variable ${name}: expected http://HOST:PORT. Change it, or set proxy_host and ` +
        "proxy_port",
      { option: name },
    );
  }
  const { username, password } = proxy;
  return {
    host: withoutBrackets(proxy.hostname),
    port: proxy.port === "" ? 80 : Number(proxy.port),
    ...(username === "" ? {} : { username: decodedPart(username), password: decodedPart(password) }),
  };
}

/**
 * True if `no_proxy` of the environment contains the host of an address: the host itself, a parent domain, an IPv4 network, or `*`;
 * with or without a port.
 */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = withoutBrackets(hostname);
  const full = `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
  return list.toLowerCase().split(/[\s,]+/).filter((name) => name !== "").some((name) => {
    const domain = name.replace(/^\*?\./, "");
    return name === "*" || [host, hostname, full].some((one) => one === domain || one.endsWith(`.${domain}`)) ||
      inNetwork(host, name);
  });
}

/** True if an IPv4 address is in a network such as `10.0.0.0/8`. */
function inNetwork(address: string, network: string): boolean {
  const [, base, bits] = /^([\d.]+)\/(\d{1,2})$/.exec(network) ?? [];
  const [one, other] = [numberOf(address), numberOf(base ?? "")];
  if (one === undefined || other === undefined || Number(bits) > 32) return false;
  const size = 2 ** (32 - Number(bits));
  return Math.floor(one / size) === Math.floor(other / size);
}

function numberOf(address: string): number | undefined {
  const parts = address.split(".").map(Number);
  if (parts.length !== 4 || !parts.every((part) => Number.isInteger(part) && part >= 0 && part < 256)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}
