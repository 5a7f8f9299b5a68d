import { ConfigError, messageOf } from "../../../base/errors.ts";
import { suggestion } from "../../../base/nearest_name.ts";
import { isRecord } from "../../../base/record.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { TlsDial, TlsListen, TlsOptions } from "../../../runtime/net.ts";

/** The settings of the option `ssl`, for both sides of a connection. */
export interface Ssl {
  /** The settings of a client. The host's name or address is checked, unless `cert_reqs` is `CERT_NONE`. */
  dial: TlsDial;
  /** The settings of a server. @throws {ConfigError} if the option lacks what a server needs */
  listen(): TlsListen;
}

const NAMES = ["keyfile", "certfile", "ca_certs", "cert_reqs", "ssl_version", "ciphers"] as const;
type Name = typeof NAMES[number];

/** The values of `cert_reqs`, as Python names them; with CERT_NONE, no certificate is checked on either side. */
const CERT_REQS = ["CERT_REQUIRED", "CERT_OPTIONAL", "CERT_NONE"] as const;

/** The values of `ssl_version`, as Python names them, with their TLS versions. Versions below 1.2 are insecure, and not offered. */
const VERSIONS: Record<string, Pick<TlsOptions, "minVersion" | "maxVersion">> = {
  PROTOCOL_TLS: {},
  PROTOCOL_TLS_CLIENT: {},
  PROTOCOL_TLS_SERVER: {},
  PROTOCOL_SSLv23: {},
  PROTOCOL_TLSv1_2: { minVersion: "TLSv1.2", maxVersion: "TLSv1.2" },
};

/**
 * Reads the option `ssl` and the files that it names.
 *
 * @returns undefined if TLS is off
 * @throws {ConfigError} naming the key, its value and what is expected
 * @see salt/config/__init__.py _update_ssl_config, salt/transport/base.py ssl_context
 */
export function readSsl(value: unknown, fs: Pick<FileSystem, "readText">): Ssl | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  const given = value === true ? {} : value;
  if (!isRecord(given)) throw invalid(`expected a map of ${NAMES.join(", ")}, or True, got ${JSON.stringify(value)}`);
  for (const name of Object.keys(given)) {
    if (!NAMES.includes(name as Name)) throw invalid(`unknown key "${name}": ${suggestion(name, NAMES)}`);
  }
  const text = (name: Name): string | undefined => {
    const found = given[name];
    if (found === undefined || found === null || found === "") return undefined;
    if (typeof found !== "string") throw invalid(`${name} must be text, got ${JSON.stringify(found)}`);
    return found;
  };
  const file = (name: Name): string | undefined => {
    const path = text(name);
    if (path === undefined) return undefined;
    try {
      return fs.readText(path);
    } catch (error) {
      throw invalid(`cannot read ${name} "${path}": ${messageOf(error)}. Name a file that the daemon may read`, error);
    }
  };
  const choice = <T extends string>(name: Name, names: readonly T[]): T | undefined => {
    const found = text(name);
    if (found === undefined || names.includes(found as T)) return found as T | undefined;
    throw invalid(`${name} "${found}" is not available: expected one of ${names.join(", ")}`);
  };
  const reqs = choice("cert_reqs", CERT_REQS);
  const shared: TlsOptions = {
    certificate: file("certfile"),
    // As in Python, one file may hold both key and certificate.
    key: file("keyfile") ?? file("certfile"),
    authorities: file("ca_certs"),
    ciphers: text("ciphers"),
    ...VERSIONS[choice("ssl_version", Object.keys(VERSIONS)) ?? "PROTOCOL_TLS"],
  };
  if (text("keyfile") !== undefined && text("certfile") === undefined) throw invalid("keyfile needs a certfile");
  return {
    dial: { ...shared, verify: reqs === "CERT_NONE" ? "nothing" : "name" },
    listen: () => listenOptions(shared, reqs),
  };
}

function listenOptions(shared: TlsOptions, reqs: typeof CERT_REQS[number] | undefined): TlsListen {
  if (shared.certificate === undefined) throw invalid("a master needs a certfile and a keyfile");
  // By default, clients need a certificate, as in Salt 3008.
  const clients = ({ CERT_NONE: "not asked", CERT_OPTIONAL: "optional", CERT_REQUIRED: "required" } as const)[
    reqs ?? "CERT_REQUIRED"
  ];
  if (clients !== "not asked" && shared.authorities === undefined) {
    throw invalid(
      "a master needs ca_certs, the authority that signs the minions' certificates; or cert_reqs: CERT_NONE for minions " +
        "without certificates",
    );
  }
  return { ...shared, clients };
}

function invalid(why: string, cause?: unknown): ConfigError {
  return new ConfigError(`Cannot use the option ssl: ${why}`, { option: "ssl", cause });
}
