import { asInt } from "../../../python/arithmetic.ts";
import { entriesOf, isMap, str, toInteger, truthy, typeName } from "../../../python/values.ts";
import { formatAddress, IP_KINDS, type IpInterface, networkRange, parseInterface } from "../../../python/ipaddress.ts";
import { iterate, PythonIterator } from "../../../python/iterate.ts";
import { typeError, valueError } from "../../../python/python_error.ts";
import { join, normpath } from "../../../python/posixpath.ts";
import type { Crypto } from "../../../../runtime/crypto.ts";
import { type Filter, filter, Markup, Undefined } from "../../../jinja/mod.ts";

function pathText(value: unknown): string {
  if (typeof value === "string" || value instanceof Markup) return str(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Undefined) value.fail();
  throw typeError(`expected str, bytes, or bytearray not <class '${typeName(value)}'>`);
}

/** The most addresses that a filter may list. */
const MAX_HOSTS = 1_000_000n;

const isPublic = (address: IpInterface) => !IP_KINDS.private(address);
const siteLocal = (address: IpInterface) => address.version === 6 && IP_KINDS.siteLocal(address);

/** The values of the filters' argument `options`. */
const OPTIONS: Readonly<Record<string, (address: IpInterface) => boolean>> = {
  global: isPublic,
  public: isPublic,
  "link-local": IP_KINDS.linkLocal,
  linklocal: IP_KINDS.linkLocal,
  link_local: IP_KINDS.linkLocal,
  ll: IP_KINDS.linkLocal,
  loopback: IP_KINDS.loopback,
  lo: IP_KINDS.loopback,
  multicast: IP_KINDS.multicast,
  private: IP_KINDS.private,
  reserved: IP_KINDS.reserved,
  "site-local": siteLocal,
  site_local: siteLocal,
  sl: siteLocal,
  unspecified: IP_KINDS.unspecified,
};

/** The address in its usual form if it has the version and all the kinds; otherwise null. */
function addressOf(value: unknown, version: unknown, options: unknown): string | null {
  if (typeof value !== "string" || version !== 4 && version !== 6) return null;
  const address = parseInterface(value);
  if (address === undefined || address.version !== version) return null;
  const kinds = truthy(options) ? str(options).split(",").map((option) => option.trim()) : [];
  for (const kind of kinds) if (Object.hasOwn(OPTIONS, kind) && !OPTIONS[kind]!(address)) return null;
  const text = formatAddress(address);
  return value.includes("/") ? `${text}/${address.prefix}` : text;
}

const defined = (value: unknown) => value instanceof Undefined ? value.fail() : value;

const isMany = (value: unknown) => Array.isArray(value) || value instanceof PythonIterator;

function addresses(value: unknown, version: unknown, options: unknown): string | string[] | null {
  if (!isMany(value)) return addressOf(value, version, options);
  const found = Array.from(iterate(value), (one) => addressOf(defined(one), version, options));
  return found.filter((address): address is string => address !== null);
}

function anyAddresses(value: unknown, options: unknown): string | string[] | null {
  const items = value instanceof PythonIterator ? Array.from(value) : value;
  const [four, six] = [addresses(items, 4, options), addresses(items, 6, options)];
  return Array.isArray(four) && Array.isArray(six) ? [...four, ...six] : four ?? six;
}

/** Makes a filter that applies a function to one address, or to each address of a list. Null if there is no address. */
function ofAddresses(name: string, apply: (address: string) => unknown): Filter {
  return filter(name, ["value", ["options", null], ["version", null]], ({ value, options, version }) => {
    const items = value instanceof PythonIterator ? Array.from(value) : value;
    const found = version === null ? anyAddresses(items, options) : addresses(items, version, options);
    if (found === null || found.length === 0) return null;
    return isMany(items) ? [found].flat().map(apply) : apply([found].flat()[0]!);
  });
}

function hosts(text: string): string[] {
  const network = parseInterface(text)!;
  const { version, prefix } = network;
  let { first, last } = networkRange(network);
  const width = (version === 4 ? 32 : 128) - prefix;
  // The network address and the broadcast address are not hosts.
  if (width > 1) {
    first += 1n;
    if (version === 4) last -= 1n;
  }
  if (last - first >= MAX_HOSTS) throw valueError(`network_hosts lists ${MAX_HOSTS} addresses at most`);
  const list: string[] = [];
  for (let value = first; value <= last; value++) list.push(formatAddress({ version, value, scope: undefined }));
  return list;
}

function inNetworks(values: unknown, networks: unknown): unknown {
  if (networks === null) return values;
  const ranges = Array.from(iterate(networks), (network) => {
    const parsed = parseInterface(str(network));
    if (parsed === undefined) throw valueError(`'${str(network)}' does not appear to be an IPv4 or IPv6 network`);
    const range = networkRange(parsed);
    if (range.first !== parsed.value) throw valueError(`${str(network)} has host bits set`);
    return { version: parsed.version, ...range };
  });
  const kept = (list: unknown) =>
    Array.from(iterate(list)).flatMap((one) => {
      const address = parseInterface(str(one));
      if (address === undefined) throw valueError(`'${str(one)}' does not appear to be an IPv4 or IPv6 address`);
      const { version, value } = address;
      return ranges.filter((range) => range.version === version && range.first <= value && value <= range.last).map(
        () => one,
      );
    });
  if (isMap(values)) return new Map(entriesOf(values).map(([key, list]) => [key, kept(list)]));
  if (!Array.isArray(values) && typeof values !== "string") {
    throw valueError(`Do not know how to filter a <class '${typeName(values)}'>`);
  }
  return kept(values);
}

function wrap(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wrap);
  if (addressOf(value, 6, null) === null) return value;
  if (str(value).includes("/")) throw valueError(`'${str(value)}' does not appear to be an IPv4 or IPv6 address`);
  return `[${str(value)}]`;
}

function macBytes(text: string): Uint8Array {
  const digits = text.length === 17 ? text.replaceAll(text[2]!, "") : text;
  if (!/^[\da-f]{12}$/i.test(digits)) throw valueError("Invalid MAC address");
  return Uint8Array.from(digits.match(/../g)!, (pair) => parseInt(pair, 16));
}

function randomMac(crypto: Crypto, prefix: string): string {
  const bytes = [...crypto.randomBytes(3)].map((byte, at) => at === 0 ? byte & 0x7f : byte);
  return [prefix, ...bytes.map((byte) => byte.toString(16).toUpperCase().padStart(2, "0"))].join(":");
}

/** The text of an address; an int means the address with that number. */
function textOf(value: unknown): unknown {
  const whole = asInt(value);
  if (whole === undefined) return value;
  const number = BigInt(whole);
  if (number < 0n || number >= 1n << 128n) return value;
  return formatAddress({ version: number < 1n << 32n ? 4 : 6, value: number, scope: undefined });
}

const isAddress = (name: string, versions: readonly (4 | 6)[]) =>
  filter(
    name,
    ["ip_addr", ["options", null]],
    ({ ip_addr, options }) =>
      versions.some((version) => addressOf(textOf(defined(ip_addr)), version, options) !== null),
  );

/** Salt's filters of addresses, networks and paths. */
export function networkFilters(crypto: Crypto): Readonly<Record<string, Filter>> {
  return {
    is_ip: isAddress("is_ip_filter", [4, 6]),
    is_ipv4: isAddress("is_ipv4_filter", [4]),
    is_ipv6: isAddress("is_ipv6_filter", [6]),
    ipv4: filter("ipv4", ["value", ["options", null]], ({ value, options }) => addresses(value, 4, options)),
    ipv6: filter("ipv6", ["value", ["options", null]], ({ value, options }) => addresses(value, 6, options)),
    ipaddr: filter("ipaddr", ["value", ["options", null]], ({ value, options }) => anyAddresses(value, options)),
    ip_host: ofAddresses("ip_host", (address) => {
      const parsed = parseInterface(address)!;
      return `${formatAddress(parsed)}/${parsed.prefix}`;
    }),
    network_hosts: ofAddresses("network_hosts", hosts),
    network_size: ofAddresses("network_size", (address) => {
      const { version, prefix } = parseInterface(address)!;
      return toInteger(1n << BigInt((version === 4 ? 32 : 128) - prefix));
    }),
    filter_by_networks: filter(
      "filter_by_networks",
      ["values", "networks"],
      ({ values, networks }) => inNetworks(values, networks),
    ),
    ipwrap: filter("ipwrap", ["data"], ({ data }) => wrap(data)),
    gen_mac: filter("gen_mac", [["prefix", "AC:DE:48"]], ({ prefix }) => randomMac(crypto, str(prefix))),
    mac_str_to_bytes: filter("mac_str_to_bytes", ["mac_str"], ({ mac_str }) => macBytes(str(mac_str))),
    path_join: (_run, value, parts) => {
      const [root, ...rest] = [value, ...parts].map((part) => normpath(pathText(part)));
      return normpath(join(root!, ...rest.map((part) => part.replace(/^\/+/, ""))));
    },
  };
}
