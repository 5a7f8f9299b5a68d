/**
 * What counts as one sender when limits are shared out: the host's address; for IPv6 its /64 network, since one host has all
 * addresses of it. All connections over local sockets count as one sender.
 *
 * @param remote as in `PeerInfo`: `tcp://10.0.0.7:51312`, `tcp://[2001:db8::7]:51312`; empty where libzmq does not report it
 */
export function originOf(remote: string): string {
  const scheme = remote.indexOf("://");
  if (!remote.startsWith("tcp:")) return scheme < 0 ? "" : remote.slice(0, scheme);
  const host = remote.slice(scheme + 3, Math.max(scheme + 3, remote.lastIndexOf(":")));
  if (!host.startsWith("[")) return host;
  const address = host.slice(1, -1).split("%")[0]!;
  // IPv4 in the form that dual-stack sockets report.
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1]!;
  const [front = "", back] = address.split("::");
  const groups = front === "" ? [] : front.split(":");
  if (back !== undefined) {
    const tail = back === "" ? [] : back.split(":");
    while (groups.length + tail.length < 8) groups.push("0");
    groups.push(...tail);
  }
  return `${groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}
