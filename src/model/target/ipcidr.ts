import { parseIpv4, parseIpv6 } from "../../language/python/ipaddress.ts";

/** An address or network: version, bits, and length of the prefix. */
export interface IpTarget {
  /** IPv4 or IPv6. */
  version: 4 | 6;
  /** The address as a number of 32 or 128 bits. */
  bits: bigint;
  /** Length of the prefix in bits; undefined for a single address. */
  prefix?: number;
}

const WIDTH = { 4: 32, 6: 128 } as const;

/** Parses an address of either version; undefined for any other text, including an address with blanks around it. */
export function parseAddress(text: string): IpTarget | undefined {
  const version = text.includes(":") ? 6 : 4;
  const bits = version === 6 ? parseIpv6(text) : parseIpv4(text);
  return bits === undefined ? undefined : { version, bits };
}

/** The length of the prefix from the text after the slash: a number, or for IPv4 a net mask or host mask. */
function parsePrefix(text: string, version: 4 | 6): number | undefined {
  if (/^\d+$/.test(text)) {
    const prefix = Number(text);
    return prefix <= WIDTH[version] ? prefix : undefined;
  }
  const mask = version === 4 ? parseIpv4(text) : undefined;
  if (mask === undefined) return undefined;
  const binary = mask.toString(2).padStart(32, "0");
  const match = /^(?:(1*)0*|(0+)1+)$/.exec(binary);
  return match === null ? undefined : (match[1] ?? match[2] ?? "").length;
}

/** Parses an address or network (`10.0.0.0/8`); undefined for invalid syntax or bits set outside the prefix. */
export function parseIpTarget(text: string): IpTarget | undefined {
  const [head = "", tail, ...more] = text.split("/");
  const address = parseAddress(head);
  if (address === undefined || tail === undefined) return address;
  const prefix = more.length === 0 ? parsePrefix(tail, address.version) : undefined;
  if (prefix === undefined) return undefined;
  const host = (1n << BigInt(WIDTH[address.version] - prefix)) - 1n;
  return (address.bits & host) === 0n ? { ...address, prefix } : undefined;
}

/** True if one of a grain's addresses equals the target, or is inside it. */
export function anyAddressMatches(target: IpTarget, addresses: unknown): boolean {
  if (!Array.isArray(addresses)) return false;
  const shift = BigInt(WIDTH[target.version] - (target.prefix ?? WIDTH[target.version]));
  return addresses.some((text) => {
    const address = typeof text === "string" ? parseAddress(text) : undefined;
    return address?.version === target.version && address.bits >> shift === target.bits >> shift;
  });
}

/** Matches the minion's grain `ipv4` or `ipv6`, by the version of the target. */
export function matchIpcidr(tgt: unknown, grains: Record<string, unknown>): boolean {
  const target = typeof tgt === "string" ? parseIpTarget(tgt) : undefined;
  return target !== undefined && anyAddressMatches(target, grains[`ipv${target.version}`]);
}
