import { pythonError } from "../python_errors.ts";
import { parseAddress } from "../../model/target/ipcidr.ts";
import { IP_KINDS } from "../../language/python/ipaddress.ts";
import { stringRepr } from "../../language/python/values.ts";
import type { Runtime } from "../../runtime/runtime.ts";

export interface Address {
  version: 4 | 6;
  bits: bigint;
}

/** An address with its prefix length; the bits after the prefix are zero. */
export interface AddressNetwork extends Address {
  prefix: number;
}

export const ADDRESS_WIDTH = { 4: 32, 6: 128 } as const;

/** An address as Python writes it: groups in lower case, the longest run of zeros left out. */
export function addressText({ version, bits }: Address): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => bits >> shift & 255n).join(".");
  const groups = Array.from({ length: 8 }, (_, at) => (bits >> BigInt(112 - 16 * at) & 0xffffn).toString(16));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (groups[start + length] === "0") length += 1;
    if (length > best.length) best = { start, length };
  }
  if (best.start < 0) return groups.join(":");
  return `${groups.slice(0, best.start).join(":")}::${groups.slice(best.start + best.length).join(":")}`;
}

/** @throws ValueError in Python's words */
export function needAddress(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) {
    throw pythonError("ValueError", `${stringRepr(text)} does not appear to be an IPv4 or IPv6 address`);
  }
  return address;
}

/** The mask with a number of bits. */
export function netmask(version: 4 | 6, prefix: number): bigint {
  const width = ADDRESS_WIDTH[version];
  return ((1n << BigInt(prefix)) - 1n) << BigInt(width - prefix);
}

function prefixOf(version: 4 | 6, text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) <= ADDRESS_WIDTH[version] ? Number(text) : undefined;
  const mask = version === 4 ? parseAddress(text) : undefined;
  if (mask?.version !== 4) return undefined;
  for (let prefix = 0; prefix <= 32; prefix++) {
    const bits = netmask(4, prefix);
    // A mask may also be inverted, with the host bits set.
    if (mask.bits === bits || mask.bits === (bits ^ 0xffffffffn)) return prefix;
  }
  return undefined;
}

/** Reads a network and clears its host bits; undefined if it is invalid. */
export function parseNetwork(text: string): AddressNetwork | undefined {
  const [head = "", tail, ...more] = text.split("/");
  const address = parseAddress(head);
  if (address === undefined || more.length > 0) return undefined;
  const { version } = address;
  const prefix = tail === undefined ? ADDRESS_WIDTH[version] : prefixOf(version, tail);
  return prefix === undefined ? undefined : { version, prefix, bits: address.bits & netmask(version, prefix) };
}

/** @throws ValueError in Python's words */
export function needNetwork(text: string): AddressNetwork {
  const network = parseNetwork(text);
  if (network === undefined) {
    throw pythonError("ValueError", `${stringRepr(text)} does not appear to be an IPv4 or IPv6 network`);
  }
  return network;
}

export const printNetwork = (network: AddressNetwork): string => `${addressText(network)}/${network.prefix}`;

/** The last address of a network. */
export function broadcast({ version, bits, prefix }: AddressNetwork): Address {
  return { version, bits: bits | ((1n << BigInt(ADDRESS_WIDTH[version] - prefix)) - 1n) };
}

export function containsAddress(network: AddressNetwork, address: Address): boolean {
  return network.version === address.version &&
    (address.bits & netmask(network.version, network.prefix)) === network.bits;
}

export const isPrivate = ({ version, bits }: Address): boolean => IP_KINDS.private({ version, value: bits });
export const isLoopback = ({ version, bits }: Address): boolean => IP_KINDS.loopback({ version, value: bits });

/** The six bytes of a hardware address: twelve hexadecimal digits, or pairs of them with one and the same sign between. */
function hardwareAddress(text: string): number[] {
  const digits = text.length === 17 ? text.replaceAll(text[2]!, "") : text;
  if (!/^[0-9a-f]{12}$/i.test(digits)) {
    throw pythonError("ValueError", `Invalid MAC address: expected one such as 08:00:27:13:69:77, not ${text}`);
  }
  return Array.from({ length: 6 }, (_item, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}

/** Wakes a host up: six bytes of ones, then its address sixteen times, to everybody on the network. */
export async function wakeOnLan({ net }: Runtime, mac: string, broadcast: string, port: number): Promise<true> {
  const address = hardwareAddress(mac);
  const packet = new Uint8Array([...Array(6).fill(0xff), ...Array(16).fill(address).flat()]);
  await net.datagram({ host: broadcast, port }, packet, { broadcast: true });
  return true;
}
