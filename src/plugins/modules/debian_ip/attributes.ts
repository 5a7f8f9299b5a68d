/** Attributes of interfaces, as the file `interfaces` has them, and what each may be. */
import { parseIpv4, parseIpv6 } from "../../../language/python/ipaddress.ts";
import { isMap, str } from "../../../language/python/values.ts";
import { splitWords } from "../../../language/python/text.ts";
import { integerSetting } from "./errors.ts";

export type AddressFamily = "inet" | "inet6";

/** The value as it is kept, or undefined if it cannot be. */
type Check = (value: unknown) => unknown;

const anything: Check = (value) => value;
const integer: Check = integerSetting;

const decimal: Check = (value) =>
  typeof value === "number" || /^\s*[+-]?(?:\d+\.?\d*|\.\d+)\s*$/.test(str(value)) ? Number(str(value)) : undefined;

/** An address, with the length of its net or without. */
const address = (parse: (text: string) => bigint | undefined, longest: number): Check => (value) => {
  if (typeof value !== "string") return undefined;
  const at = value.lastIndexOf("/");
  const mask = at < 0 ? longest : integerSetting(value.slice(at + 1));
  if (mask === undefined || mask < 1 || mask > longest) return undefined;
  return parse(at < 0 ? value : value.slice(0, at)) === undefined ? undefined : value;
};

const ipv4 = address(parseIpv4, 32);
const ipv6 = address((text) => text.includes("%") ? undefined : parseIpv6(text), 128);

/** Ones, then zeros, or the other way round. */
function isMask(text: string): boolean {
  const value = parseIpv4(text);
  if (value === undefined) return false;
  const bits = value.toString(2).padStart(32, "0");
  return /^1*0*$/.test(bits) || /^0*1*$/.test(bits);
}

const netmask4: Check = (value) => {
  const length = integerSetting(value);
  if (length !== undefined) return length >= 0 && length <= 32 ? length : undefined;
  return typeof value === "string" && isMask(value) ? value : undefined;
};

const netmask6: Check = (value) => {
  const length = integerSetting(value);
  return length !== undefined && length >= 0 && length <= 128 ? length : undefined;
};

const mac: Check = (value) =>
  /^(?:(?:[0-9A-F]{1,2}-){5}|(?:[0-9A-F]{1,2}:){5}|(?:[0-9A-F]{1,2}\.){5})[0-9A-F]{1,2}$/i.test(str(value))
    ? value
    : undefined;

const oneOf = (...words: string[]): Check => (value) => words.includes(str(value)) ? str(value) : undefined;
const oneNumber = (...numbers: number[]): Check => (value) => {
  const number = integerSetting(value);
  return number !== undefined && numbers.includes(number) ? number : undefined;
};

const words: Check = (value) => {
  const list = typeof value === "string" ? splitWords(value) : Array.isArray(value) || isMap(value) ? value : undefined;
  return Array.isArray(list) && list.length === 0 ? undefined : list;
};

const TUNNEL = ["gre", "GRE", "ipip", "IPIP", "802.3ad"];

const WIRELESS: Readonly<Record<string, Check>> = {
  "wireless-essid": anything,
  "wireless-mode": anything,
  "wpa-ap-scan": oneNumber(0, 1, 2),
  "wpa-conf": anything,
  "wpa-driver": anything,
  "wpa-group": anything,
  "wpa-key-mgmt": anything,
  "wpa-pairwise": anything,
  "wpa-psk": anything,
  "wpa-proto": anything,
  "wpa-roam": anything,
  "wpa-ssid": anything,
};

/** Those of both families. */
const COMMON: Readonly<Record<string, Check>> = {
  addresses: anything,
  hwaddress: mac,
  mtu: integer,
  mode: oneOf(...TUNNEL),
  endpoint: ipv4,
  local: ipv4,
  ttl: integer,
  slaves: anything,
  "dns-nameservers": words,
  "dns-search": words,
  "vlan-raw-device": anything,
  test: anything,
  enable_ipv4: anything,
  enable_ipv6: anything,
};

const ATTRIBUTES: Readonly<Record<AddressFamily, Readonly<Record<string, Check>>>> = {
  inet: {
    ...WIRELESS,
    ...COMMON,
    proto: oneOf("bootp", "dhcp", "static", "manual", "loopback", "ppp"),
    address: ipv4,
    netmask: netmask4,
    broadcast: ipv4,
    metric: integer,
    gateway: ipv4,
    pointopoint: ipv4,
    scope: oneOf("global", "link", "host"),
    hostname: anything,
    leasehours: integer,
    leasetime: integer,
    vendor: anything,
    client: anything,
    bootfile: anything,
    server: ipv4,
    hwaddr: mac,
    dstaddr: ipv4,
    provider: anything,
    unit: integer,
    options: anything,
    network: anything,
  },
  inet6: {
    ...WIRELESS,
    ...COMMON,
    proto: oneOf("auto", "loopback", "static", "manual", "dhcp", "v4tunnel", "6to4"),
    address: ipv6,
    netmask: netmask6,
    broadcast: ipv6,
    gateway: ipv6,
    scope: oneOf("global", "site", "link", "host"),
    privext: oneNumber(0, 1, 2),
    dhcp: oneNumber(0, 1),
    media: anything,
    accept_ra: oneNumber(0, 1, 2),
    autoconf: oneNumber(0, 1),
    "preferred-lifetime": integer,
    "dad-attempts": integer,
    "dad-interval": decimal,
  },
};

export const isAttribute = (name: string): boolean =>
  Object.hasOwn(ATTRIBUTES.inet, name) || Object.hasOwn(ATTRIBUTES.inet6, name);

/** The value as the family keeps it; undefined if the family has no such attribute, or not with that value. */
export function attributeValue(name: string, value: unknown, family: string): unknown {
  const known = family === "inet" || family === "inet6" ? ATTRIBUTES[family] : {};
  return Object.hasOwn(known, name) ? known[name]!(value) : undefined;
}

/** Salt's names of attributes that the file has under another. */
const RENAMED: Readonly<Record<string, string>> = {
  dns: "dns-nameservers",
  search: "dns-search",
  hwaddr: "hwaddress",
  ipaddr: "address",
  ipaddrs: "addresses",
  addr: "address",
  addrs: "addresses",
};

export const attributeName = (name: string): string => Object.hasOwn(RENAMED, name) ? RENAMED[name]! : name;

/** Options of ethtool by Salt's names, and those that the file has for them. */
export const ETHTOOL: Readonly<Record<string, string>> = {
  speed: "link-speed",
  duplex: "link-duplex",
  autoneg: "ethernet-autoneg",
  "ethernet-port": "ethernet-port",
  wol: "ethernet-wol",
  "driver-message-level": "driver-message-level",
  "ethernet-pause-rx": "ethernet-pause-rx",
  "ethernet-pause-tx": "ethernet-pause-tx",
  "ethernet-pause-autoneg": "ethernet-pause-autoneg",
  rx: "offload-rx",
  tx: "offload-tx",
  sg: "offload-sg",
  tso: "offload-tso",
  ufo: "offload-ufo",
  gso: "offload-gso",
  gro: "offload-gro",
  lro: "offload-lro",
  "hardware-irq-coalesce-adaptive-rx": "hardware-irq-coalesce-adaptive-rx",
  "hardware-irq-coalesce-adaptive-tx": "hardware-irq-coalesce-adaptive-tx",
  "hardware-irq-coalesce-rx-usecs": "hardware-irq-coalesce-rx-usecs",
  "hardware-irq-coalesce-rx-frames": "hardware-irq-coalesce-rx-frames",
  "hardware-dma-ring-rx": "hardware-dma-ring-rx",
  "hardware-dma-ring-rx-mini": "hardware-dma-ring-rx-mini",
  "hardware-dma-ring-rx-jumbo": "hardware-dma-ring-rx-jumbo",
  "hardware-dma-ring-tx": "hardware-dma-ring-tx",
};
