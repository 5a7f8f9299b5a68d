/**
 * Who counts as one sender where many compete: the host's address, of IPv6 its network of 64 bits, since one host has all
 * addresses of it. Connections over local sockets are one sender.
 *
 * @param remote as peers tell it: `tcp://10.0.0.7:51312`, `tcp://[2001:db8::7]:51312`; empty where the library does not
 */
export function originOf(remote: string): string {
  const scheme = remote.indexOf("://");
  if (!remote.startsWith("tcp:")) return scheme < 0 ? "" : remote.slice(0, scheme);
  const host = remote.slice(scheme + 3, Math.max(scheme + 3, remote.lastIndexOf(":")));
  if (!host.startsWith("[")) return host;
  const address = host.slice(1, -1).split("%")[0]!;
  // IPv4 in the form that sockets for both families show.
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
