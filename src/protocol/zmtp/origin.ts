import { networkOf } from "../../runtime/network.ts";

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
