/** Options of containers and networks as people write them, as the daemon reads them. */
import { SaltInvocationError } from "../../model/loader/family.ts";
import { type Args, entriesOf, isMap, repr, str } from "../../language/python/values.ts";
import { networkRange, parseInterface } from "../../language/python/ipaddress.ts";
import { shellWords } from "../linux/words.ts";

const wrong = (message: string): never => {
  throw new SaltInvocationError(message);
};

export const splitAt = (text: string, sign: string, most = Infinity): string[] => {
  const parts = text.split(sign);
  const kept = parts.length > most ? [...parts.slice(0, most - 1), parts.slice(most - 1).join(sign)] : parts;
  return kept.map((one) => one.trim());
};

/** `[a, b]` of a list or of `a,b`. */
export const commaItems = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(str) : splitAt(str(value), ",");

export function integerOption(value: unknown): number {
  const number = typeof value === "bigint" ? Number(value) : typeof value === "number" ? Math.trunc(value) : Number(
    /^\s*[+-]?\d+\s*$/.test(str(value)) ? str(value) : NaN,
  );
  return Number.isNaN(number) ? wrong(`'${str(value)}' is not an integer`) : number;
}

const UNITS: Readonly<Record<string, number>> = { b: 0, k: 1, m: 2, g: 3, t: 4 };

/** Bytes of `512m`. */
export function byteCount(value: unknown): number {
  if (typeof value === "number") return Math.trunc(value);
  const [, number, unit = "b"] = /^(-?\d+(?:\.\d+)?)\s*([bkmgt])?b?$/i.exec(str(value).trim()) ?? [];
  if (number === undefined) {
    return wrong(`The specified value for memory (${str(value)}) should specify the units, such as 512m`);
  }
  return Math.trunc(Number(number) * 1024 ** UNITS[unit.toLowerCase()]!);
}

/** A map, or a list of `key=value`. */
export function optionPairs(value: unknown, sign: string): Record<string, string> {
  if (isMap(value)) {
    return Object.fromEntries(entriesOf(value).map(([key, of]) => [str(key), of === null ? "" : str(of)]));
  }
  const items = Array.isArray(value) ? value : splitAt(str(value), ",");
  const pairs = items.flatMap((item): [string, string][] => {
    if (isMap(item)) return entriesOf(item).map(([key, of]) => [str(key), str(of)]);
    const parts = splitAt(str(item), sign, 2);
    return parts.length === 2 ? [[parts[0]!, parts[1]!]] : wrong(`'${str(item)}' is not a key${sign}value pair`);
  });
  return Object.fromEntries(pairs);
}

/** Labels: a map, or a list of names, `name=value` and maps with one key. */
export function labelsOf(value: unknown): Record<string, string> {
  if (isMap(value)) return Object.fromEntries(entriesOf(value).map(([key, of]) => [str(key), str(of)]));
  const pairs = (Array.isArray(value) ? value : splitAt(str(value), ",")).map((item): [string, string] => {
    if (isMap(item)) {
      const [first, ...others] = entriesOf(item);
      if (first === undefined || others.length > 0) return wrong("Invalid label(s)");
      return [str(first[0]), str(first[1])];
    }
    const [key = "", of = ""] = splitAt(str(item), "=", 2);
    return [key, of];
  });
  return Object.fromEntries(pairs);
}

export const commandOf = (value: unknown): string[] => Array.isArray(value) ? value.map(str) : shellWords(str(value));

export const isAddress = (text: string): boolean =>
  /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text) ||
  (/^[0-9a-f:.]+$/i.test(text) && text.includes(":"));

export const addressOption = (value: unknown): string =>
  isAddress(str(value)) ? str(value) : wrong(`'${str(value)}' is not a valid IP address`);

/** A network such as `10.0.0.0/24`, whose address has no bits after the prefix. */
export function subnetOf(value: unknown): string {
  const net = parseInterface(str(value));
  return str(value).includes("/") && net !== undefined && networkRange(net).first === net.value
    ? str(value)
    : wrong(`'${str(value)}' is not a valid subnet`);
}

/** Ports of `80` or `8000-8002`. */
function portRange(text: string): number[] {
  const [, first, last] = /^(\d{1,5})\s*(?:-\s*(\d{1,5}))?$/.exec(text) ?? [];
  if (first === undefined) return wrong(`'${text}' is non-numeric or an invalid port range`);
  const [from, to] = [Number(first), Number(last ?? first)];
  if (from > to) return wrong(`Start of port range (${from}) cannot be greater than end of port range (${to})`);
  return Array.from({ length: Math.min(to, 65_535) - from + 1 }, (_, at) => from + at);
}

const withProtocol = (port: number, protocol: string): string =>
  `${port}/${protocol.toLowerCase() === "udp" ? "udp" : "tcp"}`;

/** `80/tcp` of what is written as 80, `80/udp` or `8000-8002`. */
export function portsOf(value: unknown): string[] {
  const items = Array.isArray(value) ? value : typeof value === "number" ? [value] : splitAt(str(value), ",");
  return [
    ...new Set(items.flatMap((item) => {
      const [range = "", protocol = "tcp"] = str(item).split("/");
      return portRange(range.trim()).map((port) => withProtocol(port, protocol));
    })),
  ];
}

/** Where a container's port is on the host. */
interface Binding {
  HostIp: string;
  HostPort: string;
}

function bindingsOf(text: string, checked: boolean): [port: string, binding: Binding][] {
  const parts = splitAt(text, ":");
  if (parts.length > 3) {
    return wrong(
      `'${text}' is an invalid port binding definition (at most 3 components are allowed, found ${parts.length})`,
    );
  }
  const [inside = "", outside, ip = ""] = parts.toReversed();
  if (text === "") return wrong("Empty port binding definition found");
  if (inside === "") return wrong(`Empty container port in port binding definition '${text}'`);
  if (outside === "" && parts.length === 2) return wrong(`Empty host port in port binding definition '${text}'`);
  if (ip !== "" && checked) addressOption(ip);
  const [range = "", protocol = "tcp"] = inside.split("/");
  const container = portRange(range);
  const host = outside === undefined || outside === "" ? undefined : portRange(outside);
  if (host !== undefined && host.length !== container.length) {
    return wrong(
      `Host port range (${outside}) does not have the same number of ports as the container port range (${range})`,
    );
  }
  return container.map((port, at) => [
    withProtocol(port, protocol),
    { HostIp: ip, HostPort: host === undefined ? "" : String(host[at]) },
  ]);
}

/** `{80/tcp: [{HostIp, HostPort}]}` of `8080:80`, `127.0.0.1:8080:80/udp` and the like; a map is taken as it is. */
export function portBindings(value: unknown, checked: boolean): Record<string, Binding[]> {
  const found: Record<string, Binding[]> = {};
  if (isMap(value)) {
    for (const [port, of] of entriesOf(value)) {
      const list = Array.isArray(of) && !(of.length === 2 && isAddress(str(of[0]))) ? of : [of];
      const [number = "", protocol = "tcp"] = str(port).split("/");
      found[withProtocol(Number(number), protocol)] = list.map((one) =>
        Array.isArray(one)
          ? { HostIp: str(one[0]), HostPort: one[1] === undefined ? "" : str(one[1]) }
          : { HostIp: "", HostPort: one === null ? "" : str(one) }
      );
    }
    return found;
  }
  for (const one of commaItems(value)) {
    for (const [port, binding] of bindingsOf(one, checked)) (found[port] ??= []).push(binding);
  }
  return found;
}

/** `always`, or `on-failure:5`. */
export function restartPolicy(value: unknown): Args {
  if (isMap(value)) return Object.fromEntries(entriesOf(value).map(([key, of]) => [str(key), of]));
  const parts = splitAt(str(value), ":");
  if (parts.length > 2) return wrong(`'${str(value)}' contains ${parts.length} value(s) (expected up to 2)`);
  return { Name: parts[0], MaximumRetryCount: integerOption(parts[1] ?? 0) };
}

/** `nofile=1024:2048` */
export function ulimits(value: unknown): Args[] {
  const items = Array.isArray(value) ? value : splitAt(str(value), ",");
  return items.map((item) => {
    if (isMap(item)) return Object.fromEntries(entriesOf(item).map(([key, of]) => [str(key), of]));
    const [, name, soft, hard] = /^([^=]+)=(-?\d+)(?::(-?\d+))?$/.exec(str(item)) ?? [];
    return name === undefined
      ? wrong(`Ulimit definition '${str(item)}' is not in the format type=soft_limit[:hard_limit]`)
      : { Name: name, Soft: Number(soft), Hard: Number(hard ?? soft) };
  });
}

/** `/dev/sda:/dev/xvda:rwm` */
export const devices = (value: unknown): Args[] =>
  commaItems(value).map((item) => {
    const [host = "", inside, rights = "rwm"] = splitAt(item, ":");
    return { PathOnHost: host, PathInContainer: inside ?? host, CgroupPermissions: rights };
  });

/** `/dev/sda:50` as path and number; `keys` name both. */
export const deviceRates = (value: unknown, key: "Weight" | "Rate", bytes = false): Args[] =>
  (Array.isArray(value) ? value : commaItems(value)).map((item) => {
    if (isMap(item)) return Object.fromEntries(entriesOf(item).map(([name, of]) => [str(name), of]));
    const parts = splitAt(str(item), ":");
    if (parts.length !== 2) return wrong(`'${str(item)}' contains ${parts.length} value(s) (expected 2)`);
    if (!parts[0]!.startsWith("/")) return wrong(`Path '${parts[0]}' is not absolute`);
    return { Path: parts[0], [key]: bytes ? byteCount(parts[1]) : integerOption(parts[1]) };
  });

/** Directories of the host in the container: `/host:/container:ro`, or maps. */
export function binds(value: unknown): string[] {
  if (!isMap(value)) return commaItems(value);
  return entriesOf(value).map(([host, of]) => {
    if (!isMap(of)) return wrong(`${repr(value)} is not a dictionary or list of bind definitions`);
    const { bind, mode = "rw" } = Object.fromEntries(entriesOf(of)) as { bind?: unknown; mode?: unknown };
    return `${str(host)}:${str(bind)}:${str(mode)}`;
  });
}
