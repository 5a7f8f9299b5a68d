import type { JobContext } from "../../../model/loader/family.ts";
import { str, toInteger, truthy } from "../../../language/python/values.ts";
import * as ip from "../../linux/addresses.ts";
import { type Interfaces, readHostInterfaces } from "./interfaces.ts";

/** Addresses of an interface, or of all that match; those of the loopback only if asked for. */
export async function hostAddresses(
  context: JobContext,
  version: 4 | 6,
  args: Record<string, unknown>,
): Promise<string[]> {
  const found: ip.Address[] = [];
  for (const [name, { inet = [], inet6 = [], secondary = [] }] of Object.entries(await readHostInterfaces(context))) {
    if (truthy(args.interface) && name !== args.interface) continue;
    const own = version === 4
      ? [...inet, ...secondary.filter(({ type }) => type === "inet")]
      : [...inet6, ...secondary.filter(({ type }) => type === "inet6")];
    for (const { address } of own) {
      const parsed = ip.needAddress(address.split("%", 1)[0]!);
      if (truthy(args.include_loopback) || !ip.isLoopback(parsed)) found.push(parsed);
    }
  }
  found.sort((a, b) => a.bits < b.bits ? -1 : a.bits > b.bits ? 1 : 0);
  const network = truthy(args.cidr) ? ip.needNetwork(str(args.cidr)) : undefined;
  return found.filter((address) => {
    if (network !== undefined) return ip.containsAddress(network, address);
    if (args.type === "public") return !ip.isPrivate(address);
    return args.type !== "private" || ip.isPrivate(address);
  }).map(ip.addressText);
}

async function networks(
  context: JobContext,
  version: 4 | 6,
  options: { interface?: unknown; loopback?: unknown },
): Promise<ip.AddressNetwork[]> {
  const wanted = options.interface === null || options.interface === undefined
    ? undefined
    : typeof options.interface === "string"
    ? options.interface.split(",")
    : [options.interface].flat().map(str);
  const found = new Map<string, ip.AddressNetwork>();
  for (const [name, { inet = [], inet6 = [] }] of Object.entries(await readHostInterfaces(context))) {
    if (wanted !== undefined && !wanted.includes(name)) continue;
    const own = version === 4
      ? inet.map(({ address, netmask }) => `${address}/${netmask}`)
      : inet6.map(({ address, prefixlen }) => `${address.split("%", 1)[0]}/${prefixlen}`);
    for (const text of own) {
      const network = ip.needNetwork(text);
      const loopback = version === 4 ? ip.isLoopback(network) : network.prefix === 128 && ip.isLoopback(network);
      if (truthy(options.loopback) || !loopback) found.set(ip.printNetwork(network), network);
    }
  }
  return [...found.values()];
}

export async function networkList(
  context: JobContext,
  version: 4 | 6,
  args: Record<string, unknown>,
): Promise<unknown> {
  const found = await networks(context, version, { interface: args.interface, loopback: args.include_loopback });
  if (!truthy(args.verbose)) return found.map(ip.printNetwork).sort();
  return Object.fromEntries(
    found.map((network) => [ip.printNetwork(network), {
      address: ip.addressText(network),
      netmask: ip.addressText({ version, bits: ip.netmask(version, network.prefix) }),
      num_addresses: toInteger(1n << BigInt(ip.ADDRESS_WIDTH[version] - network.prefix)),
      prefixlen: network.prefix,
    }]),
  );
}

export async function subnets(context: JobContext, version: 4 | 6, wanted: unknown): Promise<string[]> {
  return (await networks(context, version, { interface: truthy(wanted) ? wanted : null })).map(ip.printNetwork).sort();
}

/** A property of one interface; a text that lists the others if it does not exist. */
export async function ofInterface(
  context: JobContext,
  name: unknown,
  part: (data: Interfaces[string]) => unknown,
): Promise<unknown> {
  const all = await readHostInterfaces(context);
  if (Object.hasOwn(all, str(name))) return part(all[str(name)]!) ?? "";
  const others = Object.keys(all).map((other) => `"${other}"`).join(", ");
  return `Interface "${str(name)}" not in available interfaces: ${others}`;
}

export async function inSubnet(context: JobContext, cidr: unknown): Promise<boolean> {
  const network = ip.parseNetwork(str(cidr));
  if (network === undefined) return false;
  const own = await hostAddresses(context, network.version, {});
  return own.some((address) => ip.containsAddress(network, ip.needAddress(address)));
}
