import { asInt } from "../../../python/arithmetic.ts";
import { formatAddress, parseInterface } from "../../../python/ipaddress.ts";
import { str, truthy } from "../../../python/values.ts";
import type { Runtime } from "../../../../runtime/runtime.ts";
import { type Filter, filter, type Run, TemplateRuntimeError } from "../../../jinja/mod.ts";
import { SaltFunctions } from "../salt_functions.ts";

/** The parts of a runtime that these filters use. */
export type RemoteHost = Pick<Runtime, "host" | "net">;

/** The time for one connection in milliseconds, as in Salt. */
const CONNECT_MS = 2000;

async function answers({ net }: RemoteHost, host: string, port: number): Promise<boolean> {
  try {
    const connection = await net.dial({ kind: "tcp", host, port }, { signal: AbortSignal.timeout(CONNECT_MS) });
    connection.destroy();
    return true;
  } catch {
    return false;
  }
}

/** The first address of a name that accepts connections, otherwise the first address. IPv6 addresses get brackets. */
async function dnsCheck(on: RemoteHost, name: string, port: number, ipv6: unknown): Promise<string> {
  const own = parseInterface(name.replace(/^\[|\]$/g, ""));
  const families = ipv6 === null ? [4, 6] as const : truthy(ipv6) ? [6, 4] as const : [4] as const;
  const found: string[] = own === undefined ? [] : [formatAddress(own)];
  // If there is no IPv6 address, IPv4 is tried as well.
  for (const family of own === undefined ? families : []) {
    if (ipv6 === null || found.length === 0) found.push(...await on.host.addresses(name, family));
  }
  if (found.length === 0) throw new TemplateRuntimeError(`DNS lookup or connection check of '${name}' failed.`);
  let first = found[0]!;
  for (const address of found) {
    if (!await answers(on, address, port)) continue;
    first = address;
    break;
  }
  return first.includes(":") ? `[${first}]` : first;
}

const QUERY_PARAMETERS = ["method", "params", "data"];

function httpQuery(run: Run, url: unknown, args: readonly unknown[], keywords: ReadonlyMap<string, unknown>): unknown {
  const salt = run.globals.get("salt");
  if (!(salt instanceof SaltFunctions)) {
    throw new TemplateRuntimeError("The filter http_query needs execution functions, and there are none here");
  }
  const named = args.map((value, at): [string, unknown] => [QUERY_PARAMETERS[at] ?? `argument ${at + 2}`, value]);
  return salt.run("http.query", [url], new Map([...named, ...keywords]));
}

/** Salt's filters that use the network. */
export function remoteFilters(on: RemoteHost): Readonly<Record<string, Filter>> {
  return {
    dns_check: filter(
      "dns_check",
      ["addr", "port", ["safe", false], ["ipv6", null]],
      ({ addr, port, ipv6 }) => dnsCheck(on, str(addr), Number(asInt(port) ?? 0), ipv6),
    ),
    http_query: httpQuery,
  };
}
