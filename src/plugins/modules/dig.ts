import type { ExecutionFunction, ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { parseIpv4, parseIpv6 } from "../../language/python/ipaddress.ts";
import { str } from "../../language/python/values.ts";
import { splitWords } from "../../language/python/text.ts";
import { operand, programPath, runAll } from "../commands.ts";

/** True for an address, which may have the length of a prefix behind it. */
function isAddress(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const at = value.lastIndexOf("/");
  const address = at < 0 ? value : value.slice(0, at);
  const within = (from: number, to: number) => {
    const length = value.slice(at + 1).trim();
    return at < 0 || (/^\+?\d+$/.test(length) && Number(length) >= from && Number(length) <= to);
  };
  return (parseIpv4(address) !== undefined && within(1, 32)) || (parseIpv6(address) !== undefined && within(8, 128));
}

/** What dig answers; undefined if it fails. */
async function ask(context: JobContext, question: string[], nameserver: unknown): Promise<string | undefined> {
  const server = nameserver === null || nameserver === undefined ? [] : [`@${operand(nameserver, "a name server")}`];
  const { retcode, stdout } = await runAll(context, ["dig", "+short", ...question, ...server]);
  if (retcode === 0) return stdout;
  context.log.warning("dig failed: the answer is taken as empty", { retcode });
  return undefined;
}

const host = (value: unknown): string => operand(value, "a host name");

async function lines(context: JobContext, question: string[], nameserver: unknown): Promise<string[]> {
  return (await ask(context, question, nameserver))?.split("\n") ?? [];
}

const addresses = async (context: JobContext, name: unknown, type: "A" | "AAAA", nameserver: unknown) =>
  (await lines(context, [host(name), type], nameserver)).filter(isAddress);

/** @param seen domains that were asked: one that includes itself would have no end */
async function senders(
  context: JobContext,
  domain: unknown,
  record: string,
  nameserver: unknown,
  seen = new Set<string>(),
): Promise<string[]> {
  seen.add(`${str(domain)} ${record}`);
  const next = async (name: string, type: string, server: unknown) =>
    seen.has(`${name} ${type}`) ? [] : await senders(context, name, type, server, seen);
  const answer = await ask(context, [host(domain), operand(record, "a type of records")], nameserver);
  if (answer === "" && record === "SPF") return await next(str(domain), "TXT", nameserver);
  const [version, ...sections] = splitWords((answer ?? "").replaceAll('"', ""));
  if (version !== "v=spf1") return [];
  if (sections[0]?.startsWith("redirect=") === true) {
    return await next(sections[0].slice("redirect=".length), "SPF", nameserver);
  }
  const found: string[] = [];
  for (const section of sections) {
    const [, mechanism, value = ""] = /^[+~]?(ip[46]|include):(.+)/.exec(section) ?? [];
    if (mechanism === "include") found.push(...await next(value, "SPF", nameserver));
    else if (mechanism !== undefined && isAddress(value)) found.push(value);
  }
  return found;
}

const address = (type: "A" | "AAAA") =>
  executionFunction({
    signature: "host, nameserver=None",
    doc: `The IPv${type === "A" ? 4 : 6} addresses of a host.\n\n    salt ns1 dig.${type} www.example.com`,
    run: (context, { host: name, nameserver }) => addresses(context, name, type, nameserver),
  });

const FUNCTIONS = executionFunctions({
  A: address("A"),
  AAAA: address("AAAA"),
  "CNAME(host, nameserver=None)": {
    doc: "The name that a host is an alias of.\n\n    salt ns1 dig.CNAME mail.example.com",
    run: async (context, { host: name, nameserver }) => await ask(context, [host(name), "CNAME"], nameserver) ?? [],
  },
  "MX(domain, resolve: bool=False, nameserver=None)": {
    doc: "The mail servers of a domain, each with its priority.\n\n    salt ns1 dig.MX example.com\n\n" +
      "resolve: addresses in place of names",
    async run(context, { domain, resolve, nameserver }): Promise<unknown[][]> {
      const records = (await lines(context, [host(domain), "MX"], nameserver)).map(splitWords);
      if (!resolve) return records;
      const found: unknown[][] = [];
      for (const [priority, name] of records) {
        if (name !== undefined) found.push([priority, (await addresses(context, name, "A", nameserver))[0] ?? null]);
      }
      return found;
    },
  },
  "NS(domain, resolve: bool=True, nameserver=None)": {
    doc: "The addresses of the name servers of a domain.\n\n    salt ns1 dig.NS example.com\n\n" +
      "resolve: False for names in place of addresses",
    async run(context, { domain, resolve, nameserver }): Promise<string[]> {
      const names = await lines(context, [host(domain), "NS"], nameserver);
      if (!resolve) return names;
      const found: string[] = [];
      for (const name of names.filter((one) => one !== "")) {
        found.push(...await addresses(context, name, "A", nameserver));
      }
      return found;
    },
  },
  "PTR(host, nameserver=None)": {
    doc: "The names of an address.\n\n    salt ns1 dig.PTR 1.2.3.4",
    run: (context, { host: name, nameserver }) => lines(context, ["-x", host(name)], nameserver),
  },
  "SPF(domain, record: str='SPF', nameserver=None)": {
    doc: "The addresses that may send mail of a domain.\n\n    salt ns1 dig.SPF example.com\n\n" +
      "record: the type of records that is asked for first",
    run: (context, { domain, record, nameserver }) => senders(context, domain, record, nameserver),
  },
}) satisfies Record<string, ExecutionFunction>;

/** Questions to name servers, by dig. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "dig") !== undefined ||
    { unavailable: "The dig execution module cannot be loaded: the dig binary is not in the path." },
  functions: executionFunctions({
    "check_ip(addr)": {
      doc: "True for an IPv4 or IPv6 address, which may have a prefix length.\n\n    salt ns1 dig.check_ip 127.0.0.1",
      run: (_context, { addr }) => isAddress(addr),
    },
    "TXT(host, nameserver=None)": {
      doc: "The TXT records of a host.\n\n    salt ns1 dig.TXT google.com",
      run: (context, { host: name, nameserver }) => lines(context, [host(name), "TXT"], nameserver),
    },
    ...FUNCTIONS,
    ...Object.fromEntries(Object.entries(FUNCTIONS).map(([name, fun]) => [name.toLowerCase(), fun])),
  }),
};
