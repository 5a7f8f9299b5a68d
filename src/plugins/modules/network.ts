import { messageOf } from "../../errors.ts";
import type { JobContext } from "../../loader/context.ts";
import { CommandExecutionError, type ExecutionFunction, type ExecutionModule } from "../../loader/family.ts";
import { toInteger } from "../../python/float.ts";
import { splitLines } from "../../python/lines.ts";
import { str, stringRepr } from "../../python/repr.ts";
import { truthy } from "../../python/truth.ts";
import { splitWords } from "../../python/whitespace.ts";
import { needProgram, programPath, run, runAll } from "../commands.ts";
import * as ip from "../linux/addresses.ts";
import { isDirectory } from "../linux/paths.ts";
import { tcpSockets } from "../linux/sockets.ts";
import { pythonError } from "../python_errors.ts";
import { wakeOnLan } from "../wake_on_lan.ts";
import { connect } from "./network/connect.ts";
import { type Interfaces, readInterfaces } from "./network/interfaces.ts";
import { defaultRoute, getRoute, routes } from "./network/routes.ts";

/** Addresses of an interface, or of all that match; those of the loopback only if asked for. */
async function addresses(
  context: JobContext,
  version: 4 | 6,
  args: Record<string, unknown>,
): Promise<string[]> {
  const found: ip.Address[] = [];
  for (const [name, { inet = [], inet6 = [], secondary = [] }] of Object.entries(await readInterfaces(context))) {
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
    if (network !== undefined) return ip.contains(network, address);
    if (args.type === "public") return !ip.isPrivate(address);
    return args.type !== "private" || ip.isPrivate(address);
  }).map(ip.printAddress);
}

/** The networks that interfaces are in. */
async function networks(
  context: JobContext,
  version: 4 | 6,
  options: { interface?: unknown; loopback?: unknown },
): Promise<ip.Network[]> {
  const wanted = options.interface === null || options.interface === undefined
    ? undefined
    : typeof options.interface === "string"
    ? options.interface.split(",")
    : [options.interface].flat().map(str);
  const found = new Map<string, ip.Network>();
  for (const [name, { inet = [], inet6 = [] }] of Object.entries(await readInterfaces(context))) {
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

async function networkList(context: JobContext, version: 4 | 6, args: Record<string, unknown>): Promise<unknown> {
  const found = await networks(context, version, { interface: args.interface, loopback: args.include_loopback });
  if (!truthy(args.verbose)) return found.map(ip.printNetwork).sort();
  return Object.fromEntries(
    found.map((network) => [ip.printNetwork(network), {
      address: ip.printAddress(network),
      netmask: ip.printAddress({ version, bits: ip.netmask(version, network.prefix) }),
      num_addresses: toInteger(1n << BigInt(ip.WIDTH[version] - network.prefix)),
      prefixlen: network.prefix,
    }]),
  );
}

async function subnets(context: JobContext, version: 4 | 6, wanted: unknown): Promise<string[]> {
  return (await networks(context, version, { interface: truthy(wanted) ? wanted : null })).map(ip.printNetwork).sort();
}

/** A property of one interface; a text that lists the others if it does not exist. */
async function ofInterface(
  context: JobContext,
  name: unknown,
  part: (data: Interfaces[string]) => unknown,
): Promise<unknown> {
  const all = await readInterfaces(context);
  if (Object.hasOwn(all, str(name))) return part(all[str(name)]!) ?? "";
  const others = Object.keys(all).map((other) => `"${other}"`).join(", ");
  return `Interface "${str(name)}" not in available interfaces: ${others}`;
}

async function fullName(context: JobContext): Promise<string> {
  return await context.runtime.host.canonicalName() ?? context.runtime.host.hostname();
}

/** Names that the resolver has for the addresses of this host. */
async function fqdns(context: JobContext): Promise<{ fqdns: string[] }> {
  const own = [
    ...await addresses(context, 4, { include_loopback: false }),
    ...await addresses(context, 6, { include_loopback: false }),
  ];
  const names = new Set<string>();
  for (const address of own) {
    const { retcode, stdout } = await runAll(context, ["getent", "hosts", address], { ignore_retcode: true });
    // The first name is the canonical one.
    const [, name] = splitWords(stdout);
    if (retcode === 0 && name !== undefined) names.add(name);
  }
  return { fqdns: [...names].sort() };
}

async function ping(context: JobContext, args: Record<string, unknown>): Promise<string | boolean> {
  const words = ["ping", ...(truthy(args.timeout) ? ["-W", str(args.timeout)] : []), "-c", "4", sanitized(args.host)];
  if (args.return_boolean !== true) return await run(context, words);
  return (await runAll(context, words)).retcode === 0;
}

/** What may stand in the name of a host: words from elsewhere must not become options or commands. */
const sanitized = (host: unknown) => str(host).replace(/[^A-Za-z0-9_.\-:%]/g, "").replace(/^-+/, "");

/** The sockets that netstat lists. */
async function netstat(context: JobContext): Promise<Record<string, unknown>[]> {
  if (programPath(context, "netstat") === undefined) {
    throw new CommandExecutionError("The program netstat is needed and not there: install net-tools");
  }
  const found: Record<string, unknown>[] = [];
  for (const line of splitLines(await run(context, ["netstat", "-tulpnea"]))) {
    const words = splitWords(line);
    if (!/^(?:tcp|udp)/.test(words[0] ?? "")) continue;
    const head = {
      proto: words[0],
      "recv-q": words[1],
      "send-q": words[2],
      "local-address": words[3],
      "remote-address": words[4],
    };
    const rest = words.slice(5);
    // Only connections have a state.
    const state = words[0]!.startsWith("tcp") ? { state: rest.shift() } : {};
    found.push({ ...head, ...state, user: rest[0], inode: rest[1], program: rest[2] });
  }
  return found;
}

/** Open connections over IPv4, numbered. */
function activeTcp({ runtime: { fs } }: JobContext): Record<number, unknown> {
  const open = tcpSockets(fs).filter(({ state, local }) => state === "01" && !local.address.includes(":"));
  return Object.fromEntries(open.map(({ local, remote }, at) => [at, {
    local_addr: local.address,
    local_port: local.port,
    remote_addr: remote.address,
    remote_port: remote.port,
  }]));
}

async function arp(context: JobContext): Promise<Record<string, string>> {
  const text = await run(context, ["arp", "-an"]);
  return Object.fromEntries(
    splitLines(text).map(splitWords).filter((words) => words.length >= 4 && words[3] !== "<incomplete>")
      .map((words) => [words[3]!, words[1]!.replace(/^\(|\)$/g, "")]),
  );
}

const ROUND_TRIP = /(\d+(?:\.\d+)?)\s*ms/g;

async function traceroute(context: JobContext, host: unknown): Promise<unknown[]> {
  needProgram(context, "traceroute");
  const hops: Record<string, unknown>[] = [];
  for (const line of splitLines(await run(context, ["traceroute", sanitized(host)]))) {
    const words = splitWords(line);
    if (!/^\d+$/.test(words[0] ?? "")) continue;
    if (words[1] === "*") {
      hops.push({ count: Number(words[0]), hostname: "*" });
      continue;
    }
    const times = [...line.matchAll(ROUND_TRIP)].map(([, ms]) => Number(ms));
    const hop: Record<string, unknown> = {
      count: words[0],
      hostname: words[1],
      ip: (words[2] ?? "").replace(/^\(|\)$/g, ""),
    };
    times.forEach((ms, at) => hop[`ms${at + 1}`] = ms);
    hops.push(hop);
  }
  return hops;
}

async function bufferSizes(context: JobContext, iface: unknown): Promise<Record<string, unknown>> {
  if (programPath(context, "ethtool") === undefined) return {};
  const text = await run(context, ["ethtool", "-g", str(iface)], { ignore_retcode: true });
  const sizes: [string, number][] = [];
  let current = false;
  for (const line of splitLines(text)) {
    if (/^Current hardware settings/.test(line)) current = true;
    const match = /^(RX|TX|RX Mini|RX Jumbo):\s+(\d+)/.exec(line);
    if (current && match !== null) sizes.push([match[1]!.toLowerCase(), Number(match[2])]);
  }
  return Object.fromEntries(sizes);
}

const BUFFERS: Record<string, string> = { rx: "rx", tx: "tx", "rx-mini": "rx-mini", "rx-jumbo": "rx-jumbo" };

async function setBufferSizes(context: JobContext, iface: unknown, sizes: Record<string, unknown>): Promise<unknown> {
  const { fs } = context.runtime;
  if (!isDirectory(fs, `/sys/class/net/${str(iface)}`) || programPath(context, "ethtool") === undefined) return false;
  const words = Object.entries(sizes).filter(([name]) => Object.hasOwn(BUFFERS, name))
    .flatMap(([name, size]) => [name, str(size)]);
  if (words.length === 0) return false;
  await run(context, ["ethtool", "-G", str(iface), ...words]);
  return await bufferSizes(context, iface);
}

/** Changes the name of this host now and for later starts. */
async function setHostname(context: JobContext, name: unknown): Promise<boolean> {
  if (!truthy(name)) return false;
  const { fs } = context.runtime;
  const hostname = str(name);
  const before = context.runtime.host.hostname();
  if (programPath(context, "hostnamectl") !== undefined && isDirectory(fs, "/run/systemd/system")) {
    const { retcode } = await runAll(context, ["hostnamectl", "set-hostname", hostname]);
    if (retcode !== 0) return false;
  } else {
    const { retcode } = await runAll(context, ["hostname", hostname]);
    if (retcode !== 0) return false;
    fs.write("/etc/hostname", `${hostname}\n`, { mode: 0o644 });
  }
  try {
    const hosts = fs.readText("/etc/hosts").split("\n").map((line) => {
      const [address, ...names] = line.split(/(?<=\S)(?=\s)/);
      return [address, ...names.map((word) => word.trim() === before ? word.replace(before, hostname) : word)].join("");
    });
    fs.write("/etc/hosts", hosts.join("\n"), { mode: 0o644 });
  } catch (error) {
    context.log.warning("name of this host not changed in /etc/hosts", { error: messageOf(error) });
  }
  return true;
}

function hexadecimal(text: string): string {
  return text.split(".").map((byte) => {
    if (!/^\s*[+-]?\d+\s*$/.test(byte)) {
      throw pythonError("ValueError", `invalid literal for int() with base 10: ${stringRepr(byte)}`);
    }
    return Number(byte).toString(16).toUpperCase().padStart(2, "0");
  }).join("");
}

function reverse(text: string): string {
  const address = ip.needAddress(text);
  if (address.version === 4) return `${ip.printAddress(address).split(".").reverse().join(".")}.in-addr.arpa`;
  return `${[...address.bits.toString(16).padStart(32, "0")].reverse().join(".")}.ip6.arpa`;
}

function cidrParts(text: string): Record<string, string> {
  const network = ip.needNetwork(text);
  const { version } = network;
  return {
    network: ip.printAddress(network),
    netmask: ip.printAddress({ version, bits: ip.netmask(version, network.prefix) }),
    broadcast: ip.printAddress(ip.broadcast(network)),
  };
}

async function inSubnet(context: JobContext, cidr: unknown): Promise<boolean> {
  const network = ip.parseNetwork(str(cidr));
  if (network === undefined) return false;
  const own = await addresses(context, network.version, {});
  return own.some((address) => ip.contains(network, ip.needAddress(address)));
}

const IPV4: ExecutionFunction = {
  signature: "interface=None, include_loopback=False, cidr=None, type=None",
  doc: "The IPv4 addresses of this host: of an interface, in a network, or of a type, public or private.\n\n" +
    "    salt '*' network.ip_addrs cidr=10.0.0.0/8",
  run: (context, args) => addresses(context, 4, args),
};

const IPV6: ExecutionFunction = {
  signature: "interface=None, include_loopback=False, cidr=None",
  doc: "The IPv6 addresses of this host: of an interface, or in a network.\n\n    salt '*' network.ip_addrs6",
  run: (context, args) => addresses(context, 6, args),
};

const HARDWARE: ExecutionFunction = {
  signature: "iface",
  doc: "The hardware address of an interface.\n\n    salt '*' network.hw_addr eth0",
  run: (context, { iface }) => ofInterface(context, iface, ({ hwaddr }) => hwaddr),
};

/** Interfaces, addresses, routes and connections. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "linux"
      ? true
      : { unavailable: "The network module reads /proc and /sys of Linux, and this is another system" },
  functions: {
    active_tcp: {
      signature: "",
      doc: "The open TCP connections over IPv4.\n\n    salt '*' network.active_tcp",
      run: activeTcp,
    },
    arp: {
      signature: "",
      doc: "The ARP table: hardware addresses of neighbours with their IP addresses.\n\n    salt '*' network.arp",
      run: arp,
    },
    calc_net: {
      signature: "ip_addr, netmask=None",
      doc: "The network that an address is in.\n\n    salt '*' network.calc_net 172.17.0.5 255.255.255.240",
      run: (_, { ip_addr: address, netmask }) =>
        ip.printNetwork(ip.needNetwork(truthy(netmask) ? `${str(address)}/${str(netmask)}` : str(address))),
    },
    connect: {
      signature: "host, port=None, **kwargs",
      doc:
        "Tries whether a connection to a port of a host can be opened; `timeout` in seconds, `family` ipv4 or ipv6.\n\n" +
        "    salt '*' network.connect archlinux.org port=443 timeout=3",
      run: (context, { host, port, kwargs }) => connect(context, host, port, kwargs),
    },
    convert_cidr: {
      signature: "cidr",
      doc: "Network, mask and broadcast address of a network.\n\n    salt '*' network.convert_cidr 172.31.0.0/16",
      run: (_, { cidr }) => cidrParts(str(cidr)),
    },
    default_route: {
      signature: "family=None",
      doc: "The default routes, or those of inet or inet6.\n\n    salt '*' network.default_route",
      run: (context, { family }) => defaultRoute(context, family),
    },
    dig: {
      signature: "host",
      doc: "Runs dig on a name.\n\n    salt '*' network.dig archlinux.org",
      run: async (context, { host }) => {
        needProgram(context, "dig");
        return await run(context, ["dig", sanitized(host)]);
      },
    },
    fqdns: {
      signature: "",
      doc: "The names that the resolver returns for the addresses of this host.\n\n    salt '*' network.fqdns",
      run: fqdns,
    },
    get_bufsize: {
      signature: "iface",
      doc: "The ring buffer sizes of an interface, from ethtool.\n\n    salt '*' network.get_bufsize eth0",
      run: (context, { iface }) => bufferSizes(context, iface),
    },
    get_fqdn: {
      signature: "",
      doc: "The full name of this host.\n\n    salt '*' network.get_fqdn",
      run: fullName,
    },
    get_hostname: {
      signature: "",
      doc: "The name of this host.\n\n    salt '*' network.get_hostname",
      run: ({ runtime }) => runtime.host.hostname(),
    },
    get_route: {
      signature: "ip",
      doc: "The route of packets to an address.\n\n    salt '*' network.get_route 10.10.10.10",
      run: (context, args) => getRoute(context, args.ip),
    },
    hw_addr: HARDWARE,
    hwaddr: HARDWARE,
    ifacestartswith: {
      signature: "cidr",
      doc: "The interfaces with an address that begins like this.\n\n    salt '*' network.ifacestartswith 10.0",
      run: async (context, { cidr }) =>
        Object.entries(await readInterfaces(context))
          .filter(([, { inet = [] }]) => inet.some(({ address }) => address.startsWith(str(cidr)))).map(([name]) =>
            name
          ),
    },
    wol: {
      signature: "mac, bcast='255.255.255.255', destport=9",
      doc: "Wakes up a host with a Wake-on-LAN broadcast.\n\n" +
        "    salt '*' network.wol 08:00:27:13:69:77\n    salt '*' network.wol 080027136977 10.0.0.255 7",
      run: ({ runtime }, { mac, bcast, destport }) => wakeOnLan(runtime, str(mac), str(bcast), Number(destport)),
    },
    in_subnet: {
      signature: "cidr",
      doc: "True if this host has an address in a network.\n\n    salt '*' network.in_subnet 10.0.0.0/16",
      run: (context, { cidr }) => inSubnet(context, cidr),
    },
    interface: {
      signature: "iface",
      doc:
        "The IPv4 addresses of an interface with mask, broadcast address and label.\n\n    salt '*' network.interface eth0",
      run: (context, { iface }) => ofInterface(context, iface, ({ inet }) => inet),
    },
    interface_ip: {
      signature: "iface",
      doc: "The first IPv4 address of an interface.\n\n    salt '*' network.interface_ip eth0",
      run: (context, { iface }) => ofInterface(context, iface, ({ inet }) => inet?.[0]?.address),
    },
    interfaces: {
      signature: "",
      doc: "The interfaces with their addresses.\n\n    salt '*' network.interfaces",
      run: readInterfaces,
    },
    ip_addrs: IPV4,
    ip_addrs6: IPV6,
    ip_in_subnet: {
      signature: "ip_addr, cidr",
      doc: "True if an address is in a network.\n\n    salt '*' network.ip_in_subnet 172.17.0.4 172.16.0.0/12",
      run: (_, { ip_addr: address, cidr }) => ip.contains(ip.needNetwork(str(cidr)), ip.needAddress(str(address))),
    },
    ip_networks: {
      signature: "interface=None, include_loopback=False, verbose=False",
      doc: "The IPv4 networks of the interfaces; with `verbose` with details.\n\n" +
        "    salt '*' network.ip_networks eth0,eth1",
      run: (context, args) => networkList(context, 4, args),
    },
    ip_networks6: {
      signature: "interface=None, include_loopback=False, verbose=False",
      doc: "The IPv6 networks of the interfaces.\n\n    salt '*' network.ip_networks6",
      run: (context, args) => networkList(context, 6, args),
    },
    ipaddrs: IPV4,
    ipaddrs6: IPV6,
    iphexval: {
      signature: "ip",
      doc: "An IPv4 address in hexadecimal.\n\n    salt '*' network.iphexval 10.0.0.1",
      run: (_, args) => hexadecimal(str(args.ip)),
    },
    is_loopback: {
      signature: "ip_addr",
      doc: "True for an address of the loopback.\n\n    salt '*' network.is_loopback 127.0.0.1",
      run: (_, { ip_addr: address }) => ip.isLoopback(ip.needAddress(str(address))),
    },
    is_private: {
      signature: "ip_addr",
      doc: "True for an address of a private network.\n\n    salt '*' network.is_private 10.0.0.3",
      run: (_, { ip_addr: address }) => ip.isPrivate(ip.needAddress(str(address))),
    },
    mod_bufsize: {
      signature: "iface, *args, **kwargs",
      doc: "Changes the ring buffer sizes of an interface.\n\n    salt '*' network.mod_bufsize eth0 tx=256 rx=256",
      run: (context, { iface, kwargs }) => setBufferSizes(context, iface, kwargs),
    },
    mod_hostname: {
      signature: "hostname",
      doc: "Changes the name of this host.\n\n    salt '*' network.mod_hostname web1.example.com",
      run: (context, { hostname }) => setHostname(context, hostname),
    },
    netstat: {
      signature: "",
      doc: "The open sockets with their programs.\n\n    salt '*' network.netstat",
      run: netstat,
    },
    ping: {
      signature: "host, timeout=False, return_boolean=False",
      doc: "Pings a host; returns the output of ping, or whether it answers. `timeout` in seconds.\n\n" +
        "    salt '*' network.ping archlinux.org return_boolean=True",
      run: ping,
    },
    reverse_ip: {
      signature: "ip_addr",
      doc: "The reverse DNS name of an address.\n\n    salt '*' network.reverse_ip 172.17.0.4",
      run: (_, { ip_addr: address }) => reverse(str(address)),
    },
    routes: {
      signature: "family=None",
      doc: "The routes, or those of inet or inet6.\n\n    salt '*' network.routes inet",
      run: (context, { family }) => routes(context, family),
    },
    subnets: {
      signature: "interfaces=None",
      doc: "The IPv4 networks that this host, or some of its interfaces, are in.\n\n    salt '*' network.subnets",
      run: (context, { interfaces }) => subnets(context, 4, interfaces),
    },
    subnets6: {
      signature: "",
      doc: "The IPv6 networks that this host is in.\n\n    salt '*' network.subnets6",
      run: (context) => subnets(context, 6, null),
    },
    traceroute: {
      signature: "host",
      doc: "The hosts on the route to another.\n\n    salt '*' network.traceroute archlinux.org",
      run: (context, { host }) => traceroute(context, host),
    },
  },
};
