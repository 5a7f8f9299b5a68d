import type { Net, TlsDial } from "../../../runtime/net.ts";
import type { Ssl } from "./read_ssl.ts";

/** A network on which every TCP connection is TLS; local sockets stay as they are. */
export function tlsNet(net: Net, ssl: Ssl): Net {
  return {
    ...net,
    dial: (to, options) => net.dial(to, to.kind === "tcp" ? { ...options, tls: forHost(ssl.dial, to.host) } : options),
    listen: (at, accept, options) =>
      net.listen(at, accept, at.kind === "tcp" ? { ...options, tls: ssl.listen() } : options),
  };
}

/**
 * What is checked of the server at a host. On this very host the authority alone: a master's certificate is for the name that
 * minions know it by, and programs beside it ask at 127.0.0.1.
 */
function forHost(dial: TlsDial, host: string): TlsDial {
  const isHere = /^(127(\.\d+){3}|::1|localhost)$/.test(host);
  return { ...dial, serverName: host, ...(isHere && dial.verify === "name" ? { verify: "certificate" } : {}) };
}
