import { SystemError } from "../base/errors.ts";
import { printable } from "../base/printable.ts";
import { basicAuth, HttpHeadReader } from "./http_head.ts";
import type { Connection, Net, SocketAddress } from "./net.ts";

/** An HTTP proxy that connects on to other hosts. */
export interface Proxy {
  host: string;
  port: number;
  username?: string | undefined;
  password?: string | undefined;
}

/** A proxy, and the hosts that are dialled without it. */
export interface ProxyChoice extends Proxy {
  except: readonly string[];
}

/** The value of `Proxy-Authorization`; undefined for a proxy without a user. */
export function proxyAuthorization({ username, password = "" }: Proxy): string | undefined {
  return username === undefined ? undefined : basicAuth(username, password);
}

/** A network that is reached through a proxy, by CONNECT (RFC 9110, section 9.3.6). */
export function proxyNet(net: Net, proxy: ProxyChoice): Net {
  return {
    ...net,
    dial(to, options = {}) {
      if (to.kind !== "tcp" || proxy.except.includes(to.host)) return net.dial(to, options);
      const through: SocketAddress = { kind: "tcp", host: proxy.host, port: proxy.port };
      return net.dial(through, { ...options, prepare: (plain, signal) => askProxy(plain, proxy, to, signal) });
    },
  };
}

/** Asks the proxy at the other end of a connection to connect on. The connection belongs to the other host afterwards. */
export function askProxy(
  plain: Connection,
  proxy: Proxy,
  to: { host: string; port: number },
  signal: AbortSignal,
): Promise<void> {
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
        if (status === "407") refuse("it requires credentials: set proxy_username and proxy_password");
        else if (status === undefined || !status.startsWith("2")) {
          refuse(`it replied ${JSON.stringify(printable(first, 80))}`);
        } // The other side speaks second, whatever comes next.
        else if (rest.length > 0) refuse("its reply is followed by unexpected bytes");
        else resolve();
      } catch (error) {
        reject(error);
      }
    },
    onClose: (error) => refuse(error === undefined ? "it closed the connection" : error.message),
  });
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  const shown = proxyAuthorization(proxy);
  const credentials = shown === undefined ? "" : `Proxy-Authorization: ${shown}\r\n`;
  plain.write(new TextEncoder().encode(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${credentials}\r\n`));
  return promise;
}
