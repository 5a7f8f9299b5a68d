import { ConfigError, SystemError } from "../../errors.ts";
import { printable } from "../../printable.ts";
import type { Connection, Net, SocketAddress } from "../../runtime/net.ts";
import { base64 } from "./handshake.ts";
import { HttpHeadReader } from "./http_head.ts";

/** An HTTP proxy that connects on to other hosts. */
export interface Proxy {
  host: string;
  port: number;
  username?: string | undefined;
  password?: string | undefined;
  /** Hosts that are dialled without it. */
  except: readonly string[];
}

/**
 * The proxy of a minion's configuration; undefined without `proxy_host`.
 *
 * @throws {ConfigError} if it has no port
 */
export function readProxy(opts: Record<string, unknown>): Proxy | undefined {
  const { proxy_host, proxy_port, proxy_username, proxy_password, no_proxy } = opts;
  if (typeof proxy_host !== "string" || proxy_host === "") return undefined;
  const port = Number(proxy_port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new ConfigError(
      `Cannot use proxy_host "${proxy_host}": proxy_port is ${JSON.stringify(proxy_port)}, expected a port`,
      { option: "proxy_port" },
    );
  }
  return {
    host: proxy_host,
    port,
    ...(typeof proxy_username === "string" && proxy_username !== "" ? { username: proxy_username } : {}),
    ...(typeof proxy_password === "string" && proxy_password !== "" ? { password: proxy_password } : {}),
    except: Array.isArray(no_proxy)
      ? no_proxy.map(String)
      : typeof no_proxy === "string"
      ? no_proxy.split(/[\s,]+/)
      : [],
  };
}

/** A network that is reached through a proxy, by CONNECT (RFC 9110, section 9.3.6). */
export function proxyNet(net: Net, proxy: Proxy): Net {
  return {
    ...net,
    dial(to, options = {}) {
      if (to.kind !== "tcp" || proxy.except.includes(to.host)) return net.dial(to, options);
      const through: SocketAddress = { kind: "tcp", host: proxy.host, port: proxy.port };
      return net.dial(through, { ...options, prepare: (plain, signal) => ask(plain, proxy, to, signal) });
    },
  };
}

/** Asks the proxy to connect on. */
function ask(plain: Connection, proxy: Proxy, to: { host: string; port: number }, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const target = `${to.host.includes(":") ? `[${to.host}]` : to.host}:${to.port}`;
  const refuse = (why: string) =>
    reject(
      new SystemError(
        "ECONNREFUSED",
        `The proxy ${proxy.host}:${proxy.port} does not connect to ${target}: ${why}`,
        {},
      ),
    );
  const reader = new HttpHeadReader();
  plain.start({
    onData(chunk) {
      try {
        const found = reader.push(chunk);
        if (found === undefined) return;
        const { head: { first }, rest } = found;
        const [, status] = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first) ?? [];
        if (status === "407") refuse("it asks for credentials: set proxy_username and proxy_password");
        else if (status === undefined || !status.startsWith("2")) {
          refuse(`it replied ${JSON.stringify(printable(first, 80))}`);
        } // The other side speaks second, whatever comes next.
        else if (rest.length > 0) refuse("its reply is followed by bytes that were not asked for");
        else resolve();
      } catch (error) {
        reject(error);
      }
    },
    onClose: (error) => refuse(error === undefined ? "it closed the connection" : error.message),
  });
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  const { username, password } = proxy;
  const credentials = username === undefined
    ? ""
    : `Proxy-Authorization: Basic ${base64(new TextEncoder().encode(`${username}:${password ?? ""}`))}\r\n`;
  plain.write(new TextEncoder().encode(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${credentials}\r\n`));
  return promise;
}
