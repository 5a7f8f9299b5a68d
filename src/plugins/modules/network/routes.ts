import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { programPath, run } from "../../commands.ts";
import { addressText, netmask, parseNetwork } from "../../linux/addresses.ts";
import { pythonError } from "../../python_errors.ts";

type Route = Record<string, unknown>;

/** Routes as `netstat -rn` shows them. */
async function fromNetstat(context: JobContext): Promise<Route[]> {
  const found: Route[] = [];
  for (const line of splitLines(await run(context, ["netstat", "-A", "inet", "-rn"]))) {
    const words = splitWords(line);
    if (!/^\d/.test(line)) continue;
    found.push({
      addr_family: "inet",
      destination: words[0],
      gateway: words[1],
      netmask: words[2],
      flags: words[3],
      interface: words[7],
    });
  }
  for (const line of splitLines(await run(context, ["netstat", "-A", "inet6", "-rn"]))) {
    const words = splitWords(line);
    // The heading has as many words and no address.
    if (words.length < 7 || !words[0]!.includes(":") || !words[0]!.includes("/")) continue;
    found.push({
      addr_family: "inet6",
      destination: words[0],
      gateway: words[1],
      netmask: "",
      flags: words[2],
      interface: words[words.length - 1],
    });
  }
  return found;
}

const TYPES = ["unicast", "broadcast", "throw", "unreachable", "prohibit", "blackhole", "nat", "anycast", "multicast"];

/** The same from `ip route`, if netstat is not installed. */
async function fromIp(context: JobContext): Promise<Route[]> {
  const found: Route[] = [];
  for (const version of [4, 6] as const) {
    for (const line of splitLines(await run(context, ["ip", `-${version}`, "route", "show", "table", "main"]))) {
      let words = splitWords(line);
      if (TYPES.includes(words[0] ?? "")) words = words.slice(1);
      if (words.length === 0) continue;
      const after = (word: string) => words.includes(word) ? words[words.indexOf(word) + 1] : undefined;
      const via = after("via");
      const any = version === 4 ? "0.0.0.0/0" : "::/0";
      const network = parseNetwork(words[0] === "default" ? any : words[0]!);
      if (network === undefined) continue;
      const flags = `U${via === undefined ? "" : "G"}${network.prefix === (version === 4 ? 32 : 128) ? "H" : ""}`;
      found.push({
        addr_family: version === 4 ? "inet" : "inet6",
        destination: version === 4 ? addressText(network) : `${addressText(network)}/${network.prefix}`,
        gateway: via ?? (version === 4 ? "0.0.0.0" : "::"),
        netmask: version === 4 ? addressText({ version, bits: netmask(4, network.prefix) }) : "",
        flags,
        interface: after("dev"),
      });
    }
  }
  return found;
}

/** All routes, or those of a family. */
export async function routes(context: JobContext, family: unknown): Promise<Route[]> {
  if (truthy(family) && family !== "inet" && family !== "inet6") {
    throw new CommandExecutionError(`Invalid address family ${str(family)}`);
  }
  const all = programPath(context, "netstat") === undefined ? await fromIp(context) : await fromNetstat(context);
  return truthy(family) ? all.filter((route) => route.addr_family === family) : all;
}

export async function defaultRoute(context: JobContext, family: unknown): Promise<Route[]> {
  return (await routes(context, family))
    .filter((route) => ["0.0.0.0", "::/0", "default"].includes(str(route.destination)));
}

/** What the kernel would do with a packet to an address. */
export async function getRoute(context: JobContext, address: unknown): Promise<Route> {
  const text = await run(context, ["ip", "route", "get", str(address)]);
  const match = /^(?:(?:local|unicast|broadcast|multicast)\s+)?(\S+)(?:\s+from\s+\S+)?(?:\s+via\s+(\S+))?\s+dev\s+(\S+)/
    .exec(text);
  const source = /\ssrc\s+(\S+)/.exec(text)?.[1];
  if (match === null || source === undefined) {
    throw pythonError("AttributeError", "'NoneType' object has no attribute 'group'");
  }
  const [, destination, gateway = null, device] = match;
  return { destination, gateway, interface: device, source };
}
