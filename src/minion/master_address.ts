import type { MinionOpts } from "../config/minion_opts.ts";
import { ConfigError } from "../errors.ts";

/** Where the request server of a master listens. */
export interface MasterAddress {
  host: string;
  port: number;
}

/** Parses `host`, `host:port`, `[v6]:port` or a bare v6 address: the forms of the option `master`. */
export function parseMaster(text: string, defaultPort: number): MasterAddress {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(text);
  if (bracketed !== null) {
    return { host: bracketed[1]!, port: bracketed[2] === undefined ? defaultPort : Number(bracketed[2]) };
  }
  const parts = text.split(":");
  if (parts.length === 2 && /^\d+$/.test(parts[1]!)) return { host: parts[0]!, port: Number(parts[1]) };
  return { host: text, port: defaultPort };
}

/** The masters of the option `master`, a list or text with commas. @throws {ConfigError} if it names none */
export function mastersOf(opts: Pick<MinionOpts, "master" | "master_port">): MasterAddress[] {
  const named = (Array.isArray(opts.master) ? opts.master : String(opts.master).split(","))
    .map((name) => String(name).trim()).filter((name) => name !== "");
  if (named.length === 0) throw new ConfigError("No master is configured: set the option master");
  return named.map((name) => parseMaster(name, opts.master_port));
}
