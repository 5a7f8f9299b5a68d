import { anyAddressMatches, type IpTarget, parseAddress } from "../../../model/target/ipcidr.ts";

/** The most addresses of `X-Forwarded-For` that are read, from its end. */
const MAX_HOPS = 20;
/** The most characters of the header that are read, from its end: more than {@link MAX_HOPS} addresses take. */
const MAX_HEADER_CHARACTERS = 2048;

/** Reads an address in the form of proxies: with a port, and brackets around IPv6. */
function addressIn(hop: string): string {
  const plain = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
  return plain.replace(/^::ffff:(?=\d+\.)/i, "");
}

export function isProxy(address: string, trusted: readonly IpTarget[]): boolean {
  return trusted.some((network) => anyAddressMatches(network, [address]));
}

/**
 * The address of the client that sent a request: the address of the connection, unless a trusted proxy holds the connection. Then
 * `X-Forwarded-For` is read from its end, where each proxy adds the address that it has seen, up to the first address that does not
 * belong to a trusted proxy. Earlier addresses may be forged by the client.
 *
 * @param peer the address of the connection
 * @param trusted option `trusted_proxies`
 */
export function clientAddress(peer: string, headers: Headers, trusted: readonly IpTarget[]): string {
  if (trusted.length === 0 || !isProxy(peer, trusted)) return peer;
  const header = (headers.get("X-Forwarded-For") ?? "").slice(-MAX_HEADER_CHARACTERS);
  let client = peer;
  for (const hop of header.split(",").slice(-MAX_HOPS).reverse()) {
    const address = addressIn(hop.trim());
    if (parseAddress(address) === undefined) break;
    client = address;
    if (!isProxy(address, trusted)) break;
  }
  return client;
}
