import type { InterfaceAddress } from "../../../runtime/host.ts";
import { fileText, type Grains, type GrainsContext, namesIn, pathExists } from "./source.ts";

/** Timeout of the resolver for the host's own name. */
const RESOLVER_MS = 1000;

/** The lines of /etc/hosts, each an address and its names. */
function hosts(context: GrainsContext): { address: string; names: string[] }[] {
  return fileText(context, "/etc/hosts").split("\n").map((line) => line.replace(/#.*/, "").trim().split(/\s+/))
    .filter(([address, name]) => address !== undefined && address !== "" && name !== undefined)
    .map(([address = "", ...names]) => ({ address, names }));
}

/** The full name of this host: from its line in /etc/hosts, else from the resolver, else its short name. */
async function fullName(context: GrainsContext, own: string): Promise<string> {
  const line = hosts(context).find(({ names }) => names.includes(own));
  if (line !== undefined) return line.names[0]!;
  const { clock, host } = context.runtime;
  const stop = new AbortController();
  const late = clock.sleep(RESOLVER_MS, stop.signal).then(() => undefined, () => undefined);
  const found = await Promise.race([host.canonicalName(), late]);
  stop.abort();
  // The resolver returns localhost for the loopback address, whatever this host's name is.
  return found === undefined || found === "" || found.startsWith("localhost") ? own : found.replace(/\.$/, "");
}

async function names(context: GrainsContext): Promise<Grains> {
  const own = fileText(context, "/proc/sys/kernel/hostname").trim() || context.runtime.host.hostname();
  const fqdn = await fullName(context, own);
  const dot = fqdn.indexOf(".");
  const addresses = hosts(context).filter((line) => line.names.includes(fqdn)).map(({ address }) => address);
  return {
    localhost: own,
    nodename: own,
    fqdn,
    host: dot < 0 ? fqdn : fqdn.slice(0, dot),
    domain: dot < 0 ? "" : fqdn.slice(dot + 1),
    fqdn_ip4: [...new Set(addresses.filter((address) => !address.includes(":")))],
    fqdn_ip6: [...new Set(addresses.filter((address) => address.includes(":")))],
  };
}

/** An address as a number, so that addresses sort as Salt sorts them. */
function addressOrder(address: string): bigint {
  if (!address.includes(":")) {
    return address.split(".").reduce((sum, part) => sum * 256n + BigInt(Number(part) || 0), 0n);
  }
  const [head = "", tail] = address.split("::");
  const groups = (text: string) => text === "" ? [] : text.split(":").map((group) => parseInt(group, 16) || 0);
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = new Array(Math.max(0, 8 - before.length - after.length)).fill(0);
  return [...before, ...zeros, ...after].reduce((sum, group) => sum * 65536n + BigInt(group), 0n);
}

function inOrder(addresses: string[]): string[] {
  const keyed = [...new Set(addresses)].map((address) => ({ address, order: addressOrder(address) }));
  return keyed.sort((a, b) => a.order < b.order ? -1 : a.order > b.order ? 1 : 0).map(({ address }) => address);
}

/** Names of the interfaces in the order in which the kernel created them, including those without addresses. */
function interfaceNames(context: GrainsContext, known: string[]): string[] {
  const listed = namesIn(context, "/sys/class/net").filter((name) =>
    pathExists(context, `/sys/class/net/${name}/ifindex`)
  );
  const all = [...new Set([...listed, ...known])];
  const order = new Map(
    all.map((name) => [name, Number(fileText(context, `/sys/class/net/${name}/ifindex`)) || Infinity]),
  );
  return all.sort((a, b) => order.get(a)! - order.get(b)! || (a < b ? -1 : 1));
}

function interfaces(context: GrainsContext): Grains {
  const known = context.runtime.host.interfaces();
  const every = interfaceNames(context, Object.keys(known));
  const of = (pick: (address: InterfaceAddress) => boolean) =>
    Object.fromEntries(every.map((name) => [
      name,
      (Object.hasOwn(known, name) ? known[name]! : []).filter(pick).map(({ address }) => address.replace(/%.*/, "")),
    ]));
  const ip4 = of(({ family }) => family === "IPv4");
  const ip6 = of(({ family }) => family === "IPv6");
  const hardware = every.map((name) => [
    name,
    fileText(context, `/sys/class/net/${name}/address`).trim() || known[name]?.[0]?.mac || "",
  ]).filter(([, address]) => address !== "");
  return {
    hwaddr_interfaces: Object.fromEntries(hardware),
    ip4_interfaces: ip4,
    ip6_interfaces: ip6,
    ip_interfaces: Object.fromEntries(every.map((name) => [name, [...ip4[name]!, ...ip6[name]!]])),
    ipv4: inOrder(Object.values(ip4).flat()),
    ipv6: inOrder(Object.values(ip6).flat()),
  };
}

/** The gateway in /proc/net/route, whose addresses are in host byte order: reversed on a little-endian machine. */
function ip4Gateway(context: GrainsContext): string | boolean {
  const bigEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 0;
  let best: { metric: number; gateway: string } | undefined;
  for (const line of fileText(context, "/proc/net/route").split("\n").slice(1)) {
    const [, destination, gateway, flags, , , metric, mask] = line.split(/\s+/);
    if (destination !== "00000000" || mask !== "00000000" || gateway === undefined) continue;
    if ((parseInt(flags ?? "0", 16) & 1) === 0) continue;
    if (best === undefined || Number(metric) < best.metric) best = { metric: Number(metric), gateway };
  }
  if (best === undefined) return false;
  if (best.gateway === "00000000") return true;
  const parts = best.gateway.match(/../g)!.map((part) => parseInt(part, 16));
  return (bigEndian ? parts : parts.reverse()).join(".");
}

function ip6Gateway(context: GrainsContext): string | boolean {
  for (const line of fileText(context, "/proc/net/ipv6_route").split("\n")) {
    const [destination, length, , , gateway, , , , flags, device] = line.split(/\s+/);
    // Flag 0x200 marks the route that rejects what no other route takes.
    if (length !== "00" || !/^0+$/.test(destination ?? "") || device === "lo") continue;
    if ((parseInt(flags ?? "0", 16) & 0x200) !== 0) continue;
    return /^0+$/.test(gateway ?? "0") ? true : shortIp6(gateway!);
  }
  return false;
}

/** Formats 32 hexadecimal digits in the short form of RFC 5952. */
function shortIp6(digits: string): string {
  return new URL(`http://[${digits.match(/..../g)!.join(":")}]/`).hostname.slice(1, -1);
}

function resolver(context: GrainsContext): Grains {
  const dns = {
    nameservers: [] as string[],
    ip4_nameservers: [] as string[],
    ip6_nameservers: [] as string[],
    sortlist: [] as string[],
    domain: "",
    search: [] as string[],
    options: [] as string[],
  };
  const path = ["/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"].find((file) => pathExists(context, file));
  for (const line of fileText(context, path ?? "").split("\n")) {
    const [word = "", ...values] = line.replace(/[#;].*/, "").trim().split(/\s+/);
    const [first] = values;
    if (first === undefined) continue;
    if (word === "nameserver") {
      dns.nameservers.push(first);
      (first.includes(":") ? dns.ip6_nameservers : dns.ip4_nameservers).push(first);
    } else if (word === "domain") dns.domain = first;
    else if (word === "search") dns.search = values;
    else if (word === "sortlist") dns.sortlist = values;
    else if (word === "options") dns.options.push(...values.filter((value) => !dns.options.includes(value)));
  }
  return { dns };
}

/** Full names of the host's addresses from /etc/hosts alone: asking the resolver would delay every start. */
function otherNames(context: GrainsContext, addresses: string[]): Grains {
  if (context.opts.enable_fqdns_grains === false) return { fqdns: [] };
  const own = new Set(addresses.filter((address) => !/^127\.|^::1$/.test(address)));
  const found = hosts(context).filter(({ address }) => own.has(address)).map((line) => line.names[0]!);
  return { fqdns: [...new Set(found)].sort() };
}

/** Names, addresses and gateways of the host. */
export async function network(context: GrainsContext): Promise<Grains> {
  const addresses = interfaces(context);
  const ip4 = ip4Gateway(context);
  const ip6 = ip6Gateway(context);
  return {
    ...await names(context),
    ...addresses,
    ...otherNames(context, [...addresses.ipv4 as string[], ...addresses.ipv6 as string[]]),
    ...resolver(context),
    ip_gw: ip4 !== false || ip6 !== false,
    ip4_gw: ip4,
    ip6_gw: ip6,
  };
}
