import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunctions, InvalidArgumentsError } from "../../model/loader/family.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { str, truthy } from "../../language/python/values.ts";
import { programPath, runAll } from "../commands.ts";
import { pythonError, withOsErrors } from "../python_errors.ts";
import { overwrite, readText } from "./file/content.ts";

const NO_DIG = "This function requires dig, which is not currently available";

const hasDig = (context: JobContext) => programPath(context, "dig") !== undefined;

/** The lines that `dig` prints for a query; none if it fails. */
async function dig(context: JobContext, name: unknown, type: string, nameserver: unknown): Promise<string[]> {
  const server = nameserver === null || nameserver === undefined ? [] : [`@${str(nameserver)}`];
  const { retcode, stdout } = await runAll(context, ["dig", "+short", str(name), type, ...server]);
  if (retcode === 0) return stdout.split("\n");
  context.log.warning("dig failed; an empty list stands for its answer", { retcode });
  return [];
}

/** True for an address of either kind, with the length of a prefix or without. */
function isAddress(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const at = value.lastIndexOf("/");
  const [address, length] = at < 0 ? [value, undefined] : [value.slice(0, at), value.slice(at + 1)];
  const four = /^(?:\d{1,3}\.){3}\d{1,3}$/.test(address) && address.split(".").every((part) => Number(part) <= 255);
  const six = !four && address.includes(":") && URL.canParse(`http://[${address}]/`);
  if (!four && !six) return false;
  if (length === undefined) return true;
  const bits = /^[+-]?\d+$/.test(length) ? Number(length) : NaN;
  return four ? bits >= 1 && bits <= 32 : bits >= 8 && bits <= 128;
}

async function addresses(context: JobContext, host: unknown, type: "A" | "AAAA", nameserver: unknown) {
  if (hasDig(context)) return (await dig(context, host, type, nameserver)).filter(isAddress);
  if (nameserver !== null) return NO_DIG;
  const found = await context.runtime.host.addresses(str(host), type === "A" ? 4 : 6);
  return found.length === 0 ? `Unable to resolve ${str(host)}` : found;
}

async function nameServers(context: JobContext, domain: unknown, resolve: unknown, nameserver: unknown) {
  const hosts = await dig(context, domain, "NS", nameserver);
  if (!truthy(resolve)) return hosts;
  const found: string[] = [];
  for (const host of hosts) found.push(...(await dig(context, host, "A", nameserver)).filter(isAddress));
  return found;
}

async function mailServers(context: JobContext, domain: unknown, resolve: unknown, nameserver: unknown) {
  const rows = (await dig(context, domain, "MX", nameserver)).map(splitWords);
  if (!truthy(resolve)) return rows;
  const found: (string | undefined)[][] = [];
  for (const [priority, host] of rows) {
    found.push([priority, (await dig(context, host, "A", nameserver)).filter(isAddress)[0]]);
  }
  return found;
}

/** How many references between records are followed. */
const MOST_INCLUDES = 10;

/** Who may send mail of a domain, by its policy and those that it includes. */
async function senders(
  context: JobContext,
  domain: string,
  record: string,
  nameserver: unknown,
  depth = 0,
): Promise<string[]> {
  if (depth > MOST_INCLUDES) return [];
  const text = (await dig(context, domain, record, nameserver)).join("\n");
  if (text === "" && record === "SPF") return await senders(context, domain, "TXT", nameserver, depth + 1);
  const [version, ...sections] = splitWords(text.replaceAll('"', ""));
  if (version !== "v=spf1") return [];
  if (sections[0]?.startsWith("redirect=")) {
    return await senders(context, sections[0].slice("redirect=".length), "SPF", nameserver, depth + 1);
  }
  const found: string[] = [];
  for (const section of sections) {
    const [, mechanism, address = ""] = /^[+~]?(ip[46]|include):(.+)/.exec(section) ?? [];
    if (mechanism === "include") found.push(...await senders(context, address, "SPF", nameserver, depth + 1));
    else if (mechanism !== undefined && isAddress(address)) found.push(address);
  }
  return found;
}

function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of splitLines(text)) {
    if (line === "" || line.startsWith("#")) continue;
    const [ip, ...names] = splitWords(line);
    if (ip === undefined) throw pythonError("IndexError", "list index out of range");
    hosts.set(ip, [...hosts.get(ip) ?? [], ...names]);
  }
  return hosts;
}

function hostsOf(context: JobContext, file: string, given: unknown): Map<string, string[]> | undefined {
  if (truthy(given)) return parseHosts(str(given));
  let text: string;
  try {
    text = readText(context.runtime.fs, file);
  } catch {
    return undefined;
  }
  return parseHosts(text);
}

/** Names with commas between. */
function namesOf(entries: unknown): string[] {
  if (typeof entries !== "string") throw new InvalidArgumentsError("entries must be names with commas between");
  return entries.split(",");
}

const WEEK = 604800;

/** A time such as `3H` or `2D` in seconds; a week at most. */
function seconds(text: string): number {
  const upper = text.toUpperCase();
  const [unit, factor] = upper.includes("H")
    ? ["H", 3600] as const
    : upper.includes("D")
    ? ["D", 86400] as const
    : ["", 1];
  if (unit === "" && !/^\s*[+-]?\d+\s*$/.test(upper)) return WEEK;
  const digits = upper.replaceAll(unit, "");
  if (!/^\s*[+-]?\d+\s*$/.test(digits)) {
    throw pythonError("ValueError", `invalid literal for int() with base 10: '${digits}'`);
  }
  return Math.min(WEEK, Number(digits) * factor);
}

/** The entries of a zone file, each a line of words; lines in brackets are one. */
function* zoneEntries(text: string): Generator<string> {
  let joined: string | undefined;
  for (const full of splitLines(text)) {
    const line = full.split(";", 1)[0]!.trim();
    if (line === "") continue;
    if (joined === undefined && line.includes("(") && !line.includes(")") && !line.startsWith("$")) joined = "";
    if (joined === undefined) {
      yield line;
      continue;
    }
    joined += ` ${line}`;
    if (!line.includes(")")) continue;
    yield joined.replace(/[()]/g, "");
    joined = undefined;
  }
}

function parseZone(text: string): Record<string, unknown> {
  const zone = new Map<string, unknown>();
  const below = (key: string) => {
    const map = zone.get(key) as Map<string, unknown> | undefined ?? new Map<string, unknown>();
    zone.set(key, map);
    return map;
  };
  for (const line of zoneEntries(text)) {
    if (line.startsWith("$")) {
      const [name = "", value] = splitWords(line);
      zone.set(name.replaceAll("$", ""), value);
      continue;
    }
    const origin = zone.get("ORIGIN");
    const words = splitWords(origin === undefined ? line : line.replaceAll("@", str(origin)));
    const word = (at: number): string => {
      const found = words[at];
      if (found === undefined) throw pythonError("IndexError", "list index out of range");
      return found;
    };
    if (line.includes("SOA")) {
      if (word(1) !== "IN") words.splice(1, 1);
      zone.set("ORIGIN", word(0));
      zone.set("NETWORK", word(1));
      zone.set("SOURCE", word(3));
      zone.set("CONTACT", word(4).replace(".", "@"));
      zone.set("SERIAL", word(5));
      ["REFRESH", "RETRY", "EXPIRE", "MINTTL"].forEach((key, at) => zone.set(key, seconds(word(6 + at))));
      continue;
    }
    const needOrigin = () => {
      if (origin === undefined) throw pythonError("KeyError", "'ORIGIN'");
      return str(origin);
    };
    if (words[0] === "IN") words.unshift(needOrigin());
    if (!word(0).endsWith(".") && !line.includes("NS")) words[0] = `${words[0]}.${needOrigin()}`;
    const type = word(2);
    if (type === "NS") zone.set("NS", [...(zone.get("NS") as unknown[] | undefined ?? []), word(3)]);
    else if (type === "MX") {
      if (!zone.has("MX")) zone.set("MX", [{ priority: word(3), host: word(4) }]);
    } else if (["A", "AAAA"].includes(word(3))) below(word(3)).set(word(0), { TARGET: word(4), TTL: word(1) });
    else below(type).set(word(0), word(3));
  }
  return Object.fromEntries(
    [...zone].map(([key, value]) => [key, value instanceof Map ? Object.fromEntries(value) : value]),
  );
}

const withDig = (ask: (context: JobContext, args: Record<string, unknown>) => unknown) =>
(
  context: JobContext,
  args: Record<string, unknown>,
) => hasDig(context) ? ask(context, args) : NO_DIG;

/** Names and addresses, from the program dig and from files. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "A(host, nameserver=None)": {
      doc: "The IPv4 addresses of a host.\n\n    salt '*' dnsutil.A www.google.com",
      run: (context, { host, nameserver }) => addresses(context, host, "A", nameserver),
    },
    "AAAA(host, nameserver=None)": {
      doc: "The IPv6 addresses of a host.\n\n    salt '*' dnsutil.AAAA www.google.com",
      run: (context, { host, nameserver }) => addresses(context, host, "AAAA", nameserver),
    },
    "NS(domain, resolve=True, nameserver=None)": {
      doc: "The name servers of a domain, or with `resolve` their addresses.\n\n    salt '*' dnsutil.NS google.com",
      run: withDig((context, { domain, resolve, nameserver }) => nameServers(context, domain, resolve, nameserver)),
    },
    "MX(domain, resolve=False, nameserver=None)": {
      doc: "The mail servers of a domain with their priorities.\n\n    salt '*' dnsutil.MX saltproject.io",
      run: withDig((context, { domain, resolve, nameserver }) => mailServers(context, domain, resolve, nameserver)),
    },
    "SPF(domain, record='SPF', nameserver=None)": {
      doc: "The networks that may send mail for a domain (SPF).\n\n    salt '*' dnsutil.SPF google.com",
      run: withDig((context, { domain, record, nameserver }) => senders(context, str(domain), str(record), nameserver)),
    },
    "check_ip(ip_addr)": {
      doc: "True for a valid IP address, with or without a prefix length.\n\n    salt '*' dnsutil.check_ip 127.0.0.1",
      run: withDig((_context, { ip_addr: address }) => isAddress(address)),
    },
    "parse_hosts(hostsfile: str='/etc/hosts', hosts=None)": {
      doc: "The names of each address in a hosts file, or in a text.\n\n    salt '*' dnsutil.parse_hosts",
      run(context, { hostsfile, hosts }) {
        const found = hostsOf(context, hostsfile, hosts);
        return found === undefined ? "Error: hosts data was not found" : Object.fromEntries(found);
      },
    },
    "hosts_append(hostsfile: str='/etc/hosts', ip_addr: str=None, entries=None)": {
      doc: "Adds missing names of an address to a hosts file.\n\n" +
        "    salt '*' dnsutil.hosts_append /etc/hosts 127.0.0.1 ad1.yuk.co,ad2.yuk.co",
      run(context, args): string {
        const { fs } = context.runtime;
        const file = args.hostsfile;
        const known = hostsOf(context, file, undefined)?.get(args.ip_addr) ?? [];
        const names = namesOf(args.entries).filter((name) => !known.includes(name));
        if (names.length === 0) return `No additional hosts were added to ${file}`;
        const line = `\n${args.ip_addr} ${names.join(" ")}`;
        withOsErrors(file, () => fs.append(file, line, 0o666));
        return `The following line was added to ${file}:${line}`;
      },
    },
    "hosts_remove(hostsfile: str='/etc/hosts', entries=None)": {
      doc: "Removes names from a hosts file.\n\n    salt '*' dnsutil.hosts_remove /etc/hosts ad1.yuk.co,ad2.yuk.co",
      run(context, args): null {
        const { fs } = context.runtime;
        const file = args.hostsfile;
        const names = new Set(namesOf(args.entries));
        const lines = splitLines(readText(fs, file)).flatMap((line) => {
          if (line === "" || line.trim().startsWith("#")) return [line];
          const [ip = "", ...hosts] = splitWords(line);
          const kept = hosts.filter((host) => !names.has(host));
          return kept.length === 0 ? [] : [[ip, ...kept].join(" ")];
        });
        overwrite(context.runtime, file, lines.map((line) => `${line}\n`).join(""));
        return null;
      },
    },
    "parse_zone(zonefile=None, zone=None)": {
      doc:
        "The entries of a zone file, or of a text.\n\n    salt '*' dnsutil.parse_zone /var/lib/named/example.com.zone",
      run(context, { zonefile, zone }) {
        let text = zone;
        if (truthy(zonefile)) {
          try {
            text = readText(context.runtime.fs, str(zonefile));
          } catch {
            // Then the text is used, if there is one.
          }
        }
        return truthy(text) ? parseZone(str(text)) : "Error: Zone data was not found";
      },
    },
    "serial(zone='', update=False)": {
      doc:
        "A serial number for a zone file; `update` increments the one stored in a grain.\n\n    salt '*' dnsutil.serial example.com",
      async run(context, { zone, update }): Promise<unknown> {
        const key = truthy(zone) ? `dnsserial_${str(zone)}` : "dnsserial";
        const stored = await context.call("grains.get", [key]);
        const now = new Date(context.runtime.clock.now());
        const two = (value: number) => String(value).padStart(2, "0");
        const present = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}01`;
        if (!truthy(update)) return truthy(stored) ? stored : present;
        const current = truthy(stored) && str(stored) >= present ? String(Number(str(stored)) + 1) : present;
        await context.call("grains.setval", [key, current]);
        return current;
      },
    },
  }),
};
