import type { JobContext } from "../../../model/loader/family.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { parseAddress } from "../../../model/target/ipcidr.ts";

interface Attempt {
  result: boolean;
  comment: string;
}

/** Families by the names that callers use. */
const FAMILIES: Record<string, readonly (4 | 6)[]> = { ipv4: [4], ipv6: [6] };

/** Ports by the names that `/etc/services` has for them. */
function portOf({ runtime: { fs } }: JobContext, port: unknown, proto: string): number | undefined {
  const text = str(port);
  if (/^\d+$/.test(text)) return Number(text) <= 65535 ? Number(text) : undefined;
  if (fs.stat("/etc/services") === undefined) return undefined;
  for (const line of fs.readText("/etc/services").split("\n")) {
    const [name, number, ...aliases] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (number?.endsWith(`/${proto}`) && (name === text || aliases.includes(text))) return Number.parseInt(number, 10);
  }
  return undefined;
}

/** Tries to open a TCP connection. For UDP it sends an empty datagram; no answer may mean an open port or no host. */
export async function connectTo(
  context: JobContext,
  host: unknown,
  port: unknown,
  options: Record<string, unknown>,
): Promise<Attempt> {
  if (!truthy(host)) return { result: false, comment: "Required argument, host, is missing." };
  if (!truthy(port)) return { result: false, comment: "Required argument, port, is missing." };
  const proto = str(options.proto ?? "tcp");
  const name = str(host);
  const where = `on ${proto === "udp" ? "udp" : "tcp"} port ${str(port)}`;
  const unresolved = { result: false, comment: `Unable to resolve host ${name} ${where}` };
  const number = portOf(context, port, proto === "udp" ? "udp" : "tcp");
  const family = str(options.family ?? "");
  const versions = Object.hasOwn(FAMILIES, family) ? FAMILIES[family]! : [4, 6] as const;
  const own = parseAddress(name);
  const addresses: string[] = [];
  if (own !== undefined) {
    if (versions.includes(own.version)) addresses.push(name);
  } else for (const version of versions) addresses.push(...await context.runtime.host.addresses(name, version));
  const [address] = addresses;
  const shown = `${name} (${address})`;
  if (address !== undefined && /^\d+$/.test(str(port)) && number === undefined) {
    return { result: false, comment: `Unable to connect to ${shown} ${where}` };
  }
  if (number === undefined || address === undefined) return unresolved;
  const timeoutMs = Number(options.timeout ?? 5) * 1000;
  const { net } = context.runtime;
  try {
    if (proto === "udp") {
      const answer = await net.datagram({ host: address, port: number }, new Uint8Array(0), { answerMs: timeoutMs });
      if (answer === undefined) throw new Error("It does not answer");
    } else (await net.dial({ kind: "tcp", host: address, port: number }, { timeoutMs })).destroy();
  } catch {
    return { result: false, comment: `Unable to connect to ${shown} ${where}` };
  }
  return { result: true, comment: `Successfully connected to ${shown} ${where}` };
}
