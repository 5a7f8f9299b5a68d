import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { ConfigError } from "../../base/errors.ts";

/** The address at which the request server of a master listens. */
export interface MasterAddress {
  host: string;
  port: number;
}

const FORMS = "host, host:port, an IPv6 address or [IPv6 address]:port";

/** Reads a port of the configuration. @throws {ConfigError} if no peer can listen there */
function portOf(value: unknown, name: string): number {
  const port = Number(value);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new ConfigError(`Cannot use the port ${value} of ${name}: expected a whole number from 1 to 65535`, {
    option: name,
  });
}

/** True for an IPv4 or IPv6 address, as opposed to a name. */
function isAddress(text: string): boolean {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return text.split(".").every((part) => Number(part) < 256);
  return text.split(":").length > 2 && /^[0-9a-f:]+(\.\d{1,3}){0,3}(%[\w.-]+)?$/i.test(text);
}

/**
 * Parses `host`, `host:port`, `[v6]:port` or a bare v6 address: the forms of the option `master`.
 *
 * @param ipOnly the text is an IP address and nothing else (`master_uri_format: ip_only`)
 * @throws {ConfigError} for other text
 */
export function parseMaster(text: string, defaultPort: number, ipOnly = false): MasterAddress {
  const invalid = (why: string) =>
    new ConfigError(`Cannot use the master "${text}": ${why}`, { option: "master", master: text });
  if (ipOnly) {
    if (!isAddress(text)) throw invalid("expected an IP address without a port, because master_uri_format is ip_only");
    return { host: text, port: defaultPort };
  }
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(text);
  if (bracketed !== null) {
    const [, host, port] = bracketed as unknown as [string, string, string?];
    if (!isAddress(host) || !host.includes(":")) throw invalid("expected an IPv6 address in the brackets");
    return { host, port: port === undefined ? defaultPort : portOf(port, `the master "${text}"`) };
  }
  if (isAddress(text)) return { host: text, port: defaultPort };
  const [host = "", port, ...more] = text.split(":");
  if (more.length > 0 || !/^[^\s:/[\]]+$/.test(host)) throw invalid(`expected ${FORMS}`);
  return { host, port: port === undefined ? defaultPort : portOf(port, `the master "${text}"`) };
}

/**
 * The masters of the option `master`, a list or text with commas, each once.
 *
 * @throws {ConfigError} if it names none, or one that cannot be
 */
export function mastersOf(
  opts: Pick<MinionOpts, "master" | "master_port"> & { master_uri_format?: unknown },
): MasterAddress[] {
  const given = Array.isArray(opts.master) ? opts.master : String(opts.master ?? "").split(",");
  const wrong = given.find((name) => typeof name === "object");
  if (wrong !== undefined) {
    throw new ConfigError(`Cannot use ${JSON.stringify(wrong)} as a master: expected ${FORMS}`, { option: "master" });
  }
  const named = given.map((name) => String(name).trim()).filter((name) => name !== "");
  if (named.length === 0) throw new ConfigError("No master is configured: set the option master");
  const defaultPort = portOf(opts.master_port, "master_port");
  const found = new Map<string, MasterAddress>();
  for (const name of named) {
    const address = parseMaster(name, defaultPort, opts.master_uri_format === "ip_only");
    // A master that is named twice counts once: a second connection would take its jobs twice.
    found.set(printMaster(address), address);
  }
  return [...found.values()];
}

/** `host:port`, an IPv6 address in brackets. */
export function printMaster({ host, port }: MasterAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
