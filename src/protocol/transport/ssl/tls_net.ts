import type { Net, TlsDial } from "../../../runtime/net.ts";
import type { Ssl } from "./read_ssl.ts";

/** A network on which every TCP connection uses TLS; Unix sockets are unchanged. */
export function tlsNet(net: Net, ssl: Ssl): Net {
  return {
    ...net,
    dial: (to, options) => net.dial(to, to.kind === "tcp" ? { ...options, tls: forHost(ssl.dial, to.host) } : options),
    listen: (at, accept, options) =>
      net.listen(at, accept, at.kind === "tcp" ? { ...options, tls: ssl.listen() } : options),
  };
}

/**
 * The checks of the server at a host. On the local host, only the authority is checked: a master's certificate is for the name that
 * minions use, and programs on the master's host connect to 127.0.0.1.
 */
function forHost(dial: TlsDial, host: string): TlsDial {
  const isHere = /^(127(\.\d+){3}|::1|localhost)$/.test(host);
  return { ...dial, serverName: host, ...(isHere && dial.verify === "name" ? { verify: "certificate" } : {}) };
}
