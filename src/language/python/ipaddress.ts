/** An address of IPv4 or IPv6, with the length of its network's prefix. */
export interface IpInterface {
  version: 4 | 6;
  value: bigint;
  prefix: number;
  /** The zone of an IPv6 address: `eth0` of `fe80::1%eth0`. */
  scope: string | undefined;
}

const BITS = { 4: 32, 6: 128 } as const;

/** The bits of an IPv4 address; undefined for other text. */
export function parseIpv4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    // As in Python, leading zeros are refused: some programs read such numbers as octal.
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    value = value << 8n | BigInt(part);
  }
  return value;
}

/** The bits of an IPv6 address, without its zone; undefined for other text, and for an empty zone. */
export function parseIpv6(address: string): bigint | undefined {
  const [text = "", ...scope] = address.split("%");
  if (scope.length > 1 || scope[0] === "") return undefined;
  let whole = text;
  const dotted = /^(.*:)([\d.]+)$/.exec(text);
  if (dotted !== null && dotted[2]!.includes(".")) {
    const four = parseIpv4(dotted[2]!);
    if (four === undefined) return undefined;
    whole = `${dotted[1]}${(four >> 16n).toString(16)}:${(four & 0xffffn).toString(16)}`;
  }
  const halves = whole.split("::");
  if (halves.length > 2) return undefined;
  const groups = (half: string) => half === "" ? [] : half.split(":");
  const [head, tail] = [groups(halves[0]!), groups(halves[1] ?? "")];
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  let value = 0n;
  for (const group of [...head, ...Array.from({ length: missing }, () => "0"), ...tail]) {
    if (!/^[\da-f]{1,4}$/i.test(group)) return undefined;
    value = value << 16n | BigInt(`0x${group}`);
  }
  return value;
}

/** The prefix of a mask: a number, or for IPv4 an address such as 255.255.255.0. */
function parsePrefix(text: string, version: 4 | 6): number | undefined {
  if (/^\d{1,3}$/.test(text)) return Number(text) <= BITS[version] ? Number(text) : undefined;
  const mask = version === 4 ? parseIpv4(text) : undefined;
  if (mask === undefined) return undefined;
  const bits = mask.toString(2).padStart(32, "0");
  return /^1*0*$/.test(bits) ? bits.replaceAll("0", "").length : undefined;
}

/** Reads `10.0.0.1`, `10.0.0.1/24` or `fe80::1%eth0`; undefined for any other text. */
export function parseInterface(text: string): IpInterface | undefined {
  const [address = "", mask, ...more] = text.split("/");
  if (more.length > 0) return undefined;
  const [, scope] = address.split("%");
  const four = scope === undefined ? parseIpv4(address) : undefined;
  const value = four ?? parseIpv6(address);
  if (value === undefined) return undefined;
  const version = four === undefined ? 6 : 4;
  const prefix = mask === undefined ? BITS[version] : parsePrefix(mask, version);
  return prefix === undefined ? undefined : { version, value, prefix, scope };
}

/** The text of an address, in Python's form: the longest run of zeros of IPv6 is left out. */
export function formatAddress({ version, value, scope }: Pick<IpInterface, "version" | "value" | "scope">): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => String(value >> shift & 0xffn)).join(".");
  const groups = Array.from({ length: 8 }, (_, at) => (value >> BigInt(16 * (7 - at)) & 0xffffn).toString(16));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (groups[start + length] === "0") length++;
    if (length > best.length) best = { start, length };
  }
  const text = best.start < 0
    ? groups.join(":")
    : `${groups.slice(0, best.start).join(":")}::${groups.slice(best.start + best.length).join(":")}`;
  return scope === undefined ? text : `${text}%${scope}`;
}

export function networkRange({ version, value, prefix }: IpInterface): { first: bigint; last: bigint } {
  const free = BigInt(BITS[version] - prefix);
  const first = value >> free << free;
  return { first, last: first | (1n << free) - 1n };
}

const within = (...networks: string[]) => {
  const ranges = networks.map((text) => {
    const network = parseInterface(text)!;
    return { version: network.version, ...networkRange(network) };
  });
  return ({ version, value }: Pick<IpInterface, "version" | "value">) =>
    ranges.some((range) => range.version === version && range.first <= value && value <= range.last);
};

/** The kinds of addresses, as Python's `ipaddress` has them. */
export const IP_KINDS = {
  private: within(
    "0.0.0.0/8",
    "10.0.0.0/8",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/29",
    "192.0.0.170/31",
    "192.0.2.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "240.0.0.0/4",
    "255.255.255.255/32",
    "::1/128",
    "::/128",
    "::ffff:0:0/96",
    "100::/64",
    "2001::/23",
    "2001:db8::/32",
    "fc00::/7",
    "fe80::/10",
  ),
  loopback: within("127.0.0.0/8", "::1/128"),
  linkLocal: within("169.254.0.0/16", "fe80::/10"),
  multicast: within("224.0.0.0/4", "ff00::/8"),
  reserved: within(
    "240.0.0.0/4",
    "::/8",
    "100::/8",
    "200::/7",
    "400::/6",
    "800::/5",
    "1000::/4",
    "4000::/3",
    "6000::/3",
    "8000::/3",
    "a000::/3",
    "c000::/3",
    "e000::/4",
    "f000::/5",
    "f800::/6",
    "fe00::/9",
  ),
  siteLocal: within("fec0::/10"),
  unspecified: within("0.0.0.0/32", "::/128"),
} as const;
