import { executionFunction, executionFunctions, type ExecutionModule } from "../../model/loader/family.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { str, stringRepr, truthy } from "../../language/python/values.ts";
import { needProgram, run } from "../commands.ts";
import * as ip from "../linux/addresses.ts";
import { pythonError } from "../python_errors.ts";
import { wakeOnLan } from "../linux/addresses.ts";
import { connectTo } from "./network/connect.ts";
import { readHostInterfaces } from "./network/interfaces.ts";
import { defaultRoute, getRoute, routes } from "./network/routes.ts";
import { hostAddresses, inSubnet, networkList, ofInterface, subnets } from "./network/addresses.ts";
import { bufferSizes, setBufferSizes } from "./network/buffers.ts";
import { activeTcp, netstat } from "./network/connections.ts";
import { fqdns, fullName, setHostname } from "./network/hostname.ts";
import { ping, sanitized, traceroute } from "./network/probes.ts";

const IPV4 = executionFunction({
  signature: "interface=None, include_loopback=False, cidr=None, type=None",
  doc: "The IPv4 addresses of this host: of an interface, in a network, or of a type, public or private.\n\n" +
    "    salt '*' network.ip_addrs cidr=10.0.0.0/8",
  run: (context, args) => hostAddresses(context, 4, args),
});

const IPV6 = executionFunction({
  signature: "interface=None, include_loopback=False, cidr=None",
  doc: "The IPv6 addresses of this host: of an interface, or in a network.\n\n    salt '*' network.ip_addrs6",
  run: (context, args) => hostAddresses(context, 6, args),
});

const HARDWARE = executionFunction({
  signature: "iface",
  doc: "The hardware address of an interface.\n\n    salt '*' network.hw_addr eth0",
  run: (context, { iface }) => ofInterface(context, iface, ({ hwaddr }) => hwaddr),
});

/** Interfaces, addresses, routes and connections. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "linux"
      ? true
      : { unavailable: "The network module reads /proc and /sys of Linux, and this is another system" },
  functions: executionFunctions({
    active_tcp: activeTcp,
    "arp()": {
      doc: "The ARP table: hardware addresses of neighbours with their IP addresses.\n\n    salt '*' network.arp",
      async run(context): Promise<Record<string, string>> {
        const text = await run(context, ["arp", "-an"]);
        return Object.fromEntries(
          splitLines(text).map(splitWords).filter((words) => words.length >= 4 && words[3] !== "<incomplete>")
            .map((words) => [words[3]!, words[1]!.replace(/^\(|\)$/g, "")]),
        );
      },
    },
    "calc_net(ip_addr: str, netmask=None)": {
      doc: "The network that an address is in.\n\n    salt '*' network.calc_net 172.17.0.5 255.255.255.240",
      run: (_, { ip_addr: address, netmask }) =>
        ip.printNetwork(ip.needNetwork(truthy(netmask) ? `${address}/${str(netmask)}` : address)),
    },
    "connect(host, port=None, **kwargs)": {
      doc:
        "Tries whether a connection to a port of a host can be opened; `timeout` in seconds, `family` ipv4 or ipv6.\n\n" +
        "    salt '*' network.connect archlinux.org port=443 timeout=3",
      run: (context, { host, port, kwargs }) => connectTo(context, host, port, kwargs),
    },
    "convert_cidr(cidr: str)": {
      doc: "Network, mask and broadcast address of a network.\n\n    salt '*' network.convert_cidr 172.31.0.0/16",
      run(_, { cidr: text }): Record<string, string> {
        const network = ip.needNetwork(text);
        const { version } = network;
        return {
          network: ip.addressText(network),
          netmask: ip.addressText({ version, bits: ip.netmask(version, network.prefix) }),
          broadcast: ip.addressText(ip.broadcast(network)),
        };
      },
    },
    "default_route(family=None)": {
      doc: "The default routes, or those of inet or inet6.\n\n    salt '*' network.default_route",
      run: (context, { family }) => defaultRoute(context, family),
    },
    "dig(host)": {
      doc: "Runs dig on a name.\n\n    salt '*' network.dig archlinux.org",
      run: async (context, { host }) => {
        needProgram(context, "dig");
        return await run(context, ["dig", sanitized(host)]);
      },
    },
    fqdns,
    "get_bufsize(iface)": {
      doc: "The ring buffer sizes of an interface, from ethtool.\n\n    salt '*' network.get_bufsize eth0",
      run: (context, { iface }) => bufferSizes(context, iface),
    },
    get_fqdn: fullName,
    "get_hostname()": {
      doc: "The name of this host.\n\n    salt '*' network.get_hostname",
      run: ({ runtime }) => runtime.host.hostname(),
    },
    "get_route(ip)": {
      doc: "The route of packets to an address.\n\n    salt '*' network.get_route 10.10.10.10",
      run: (context, args) => getRoute(context, args.ip),
    },
    hw_addr: HARDWARE,
    hwaddr: HARDWARE,
    "ifacestartswith(cidr: str)": {
      doc: "The interfaces with an address that begins like this.\n\n    salt '*' network.ifacestartswith 10.0",
      run: async (context, { cidr }) =>
        Object.entries(await readHostInterfaces(context))
          .filter(([, { inet = [] }]) => inet.some(({ address }) => address.startsWith(cidr))).map(([name]) => name),
    },
    "wol(mac: str, bcast: str='255.255.255.255', destport=9)": {
      doc: "Wakes up a host with a Wake-on-LAN broadcast.\n\n" +
        "    salt '*' network.wol 08:00:27:13:69:77\n    salt '*' network.wol 080027136977 10.0.0.255 7",
      run: ({ runtime }, { mac, bcast, destport }) => wakeOnLan(runtime, mac, bcast, Number(destport)),
    },
    "in_subnet(cidr)": {
      doc: "True if this host has an address in a network.\n\n    salt '*' network.in_subnet 10.0.0.0/16",
      run: (context, { cidr }) => inSubnet(context, cidr),
    },
    "interface(iface)": {
      doc:
        "The IPv4 addresses of an interface with mask, broadcast address and label.\n\n    salt '*' network.interface eth0",
      run: (context, { iface }) => ofInterface(context, iface, ({ inet }) => inet),
    },
    "interface_ip(iface)": {
      doc: "The first IPv4 address of an interface.\n\n    salt '*' network.interface_ip eth0",
      run: (context, { iface }) => ofInterface(context, iface, ({ inet }) => inet?.[0]?.address),
    },
    "interfaces()": {
      doc: "The interfaces with their addresses.\n\n    salt '*' network.interfaces",
      run: readHostInterfaces,
    },
    ip_addrs: IPV4,
    ip_addrs6: IPV6,
    "ip_in_subnet(ip_addr: str, cidr: str)": {
      doc: "True if an address is in a network.\n\n    salt '*' network.ip_in_subnet 172.17.0.4 172.16.0.0/12",
      run: (_, { ip_addr: address, cidr }) => ip.containsAddress(ip.needNetwork(cidr), ip.needAddress(address)),
    },
    "ip_networks(interface=None, include_loopback=False, verbose=False)": {
      doc: "The IPv4 networks of the interfaces; with `verbose` with details.\n\n" +
        "    salt '*' network.ip_networks eth0,eth1",
      run: (context, args) => networkList(context, 4, args),
    },
    "ip_networks6(interface=None, include_loopback=False, verbose=False)": {
      doc: "The IPv6 networks of the interfaces.\n\n    salt '*' network.ip_networks6",
      run: (context, args) => networkList(context, 6, args),
    },
    ipaddrs: IPV4,
    ipaddrs6: IPV6,
    "iphexval(ip: str)": {
      doc: "An IPv4 address in hexadecimal.\n\n    salt '*' network.iphexval 10.0.0.1",
      run: (_, { ip: text }): string =>
        text.split(".").map((byte) => {
          if (!/^\s*[+-]?\d+\s*$/.test(byte)) {
            throw pythonError("ValueError", `invalid literal for int() with base 10: ${stringRepr(byte)}`);
          }
          return Number(byte).toString(16).toUpperCase().padStart(2, "0");
        }).join(""),
    },
    "is_loopback(ip_addr: str)": {
      doc: "True for an address of the loopback.\n\n    salt '*' network.is_loopback 127.0.0.1",
      run: (_, { ip_addr: address }) => ip.isLoopback(ip.needAddress(address)),
    },
    "is_private(ip_addr: str)": {
      doc: "True for an address of a private network.\n\n    salt '*' network.is_private 10.0.0.3",
      run: (_, { ip_addr: address }) => ip.isPrivate(ip.needAddress(address)),
    },
    "mod_bufsize(iface, *args, **kwargs)": {
      doc: "Changes the ring buffer sizes of an interface.\n\n    salt '*' network.mod_bufsize eth0 tx=256 rx=256",
      run: (context, { iface, kwargs }) => setBufferSizes(context, iface, kwargs),
    },
    "mod_hostname(hostname)": {
      doc: "Changes the name of this host.\n\n    salt '*' network.mod_hostname web1.example.com",
      run: (context, { hostname }) => setHostname(context, hostname),
    },
    netstat,
    ping,
    "reverse_ip(ip_addr: str)": {
      doc: "The reverse DNS name of an address.\n\n    salt '*' network.reverse_ip 172.17.0.4",
      run(_, { ip_addr: text }): string {
        const address = ip.needAddress(text);
        if (address.version === 4) return `${ip.addressText(address).split(".").reverse().join(".")}.in-addr.arpa`;
        return `${[...address.bits.toString(16).padStart(32, "0")].reverse().join(".")}.ip6.arpa`;
      },
    },
    "routes(family=None)": {
      doc: "The routes, or those of inet or inet6.\n\n    salt '*' network.routes inet",
      run: (context, { family }) => routes(context, family),
    },
    "subnets(interfaces=None)": {
      doc: "The IPv4 networks that this host, or some of its interfaces, are in.\n\n    salt '*' network.subnets",
      run: (context, { interfaces }) => subnets(context, 4, interfaces),
    },
    "subnets6()": {
      doc: "The IPv6 networks that this host is in.\n\n    salt '*' network.subnets6",
      run: (context) => subnets(context, 6, null),
    },
    "traceroute(host)": {
      doc: "The hosts on the route to another.\n\n    salt '*' network.traceroute archlinux.org",
      run: (context, { host }) => traceroute(context, host),
    },
  }),
};
