/**
 * The network that counts as one host: for IPv4 the address, for IPv6 its /64, since one host can use all addresses of a /64.
 *
 * @param address without port or brackets; IPv4 also in the form that dual-stack sockets report
 */
export function networkOf(address: string): string {
  const plain = address.split("%")[0]!;
  if (!plain.includes(":")) return plain;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain);
  if (mapped !== null) return mapped[1]!;
  const [front = "", back] = plain.split("::");
  const groups = front === "" ? [] : front.split(":");
  if (back !== undefined) {
    const tail = back === "" ? [] : back.split(":");
    while (groups.length + tail.length < 8) groups.push("0");
    groups.push(...tail);
  }
  return `${groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}
