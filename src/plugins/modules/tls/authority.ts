import { codeOf } from "../../../base/errors.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, bytesRepr, str, truthy } from "../../../language/python/values.ts";
import { exists } from "../../linux/paths.ts";
import { pythonError, withOsErrors } from "../../python_errors.ts";
import { loadCertificate } from "../x509/certificates.ts";
import type { Der } from "../x509/der.ts";
import { loadPrivateKey, type PrivateKey } from "../x509/private_keys.ts";
import { certificateOf } from "../x509/read.ts";

/** Short names of attributes, as OpenSSL writes them. */
const SHORT: Record<string, string> = {
  "2.5.4.3": "CN",
  "2.5.4.4": "SN",
  "2.5.4.5": "serialNumber",
  "2.5.4.6": "C",
  "2.5.4.7": "L",
  "2.5.4.8": "ST",
  "2.5.4.9": "street",
  "2.5.4.10": "O",
  "2.5.4.11": "OU",
  "2.5.4.42": "GN",
  "1.2.840.113549.1.9.1": "emailAddress",
  "0.9.2342.19200300.100.1.1": "UID",
  "0.9.2342.19200300.100.1.25": "DC",
};

/** The attributes of a name, in its order. */
export function nameParts(name: Der): [short: string, value: string][] {
  return name.children.flatMap((part) =>
    part.children.map((attribute): [string, string] => {
      const oid = attribute.child(0).oid;
      return [SHORT[oid] ?? oid, attribute.child(1).text];
    })
  );
}

/** The directory below which authorities are. */
export async function basePath(context: JobContext, given: unknown): Promise<string> {
  if (truthy(given ?? null)) return str(given);
  const path = await context.call("config.option", ["ca.contextual_cert_base_path"]);
  return str(truthy(path) ? path : await context.call("config.option", ["ca.cert_base_path"]));
}

/** Where the files of an authority are. */
export interface Authority {
  name: string;
  base: string;
  directory: string;
  certificate: string;
  key: string;
}

export async function authorityOf(context: JobContext, args: Args): Promise<Authority> {
  const name = str(args.ca_name);
  const base = await basePath(context, args.cacert_path);
  const file = truthy(args.ca_filename ?? null) ? str(args.ca_filename) : `${name}_ca_cert`;
  const directory = `${base}/${name}`;
  return { name, base, directory, certificate: `${directory}/${file}.crt`, key: `${directory}/${file}.key` };
}

/** Certificate and key of an authority; undefined if it has none. */
export async function openAuthority(
  context: JobContext,
  authority: Authority,
): Promise<{ certificate: Der; key: PrivateKey } | undefined> {
  const { fs } = context.runtime;
  if (!exists(fs, authority.certificate) || !exists(fs, authority.key)) return undefined;
  const { certificate } = await loadCertificate(context, authority.certificate);
  return { certificate, key: (await loadPrivateKey(context, authority.key)).key };
}

/** The text of a file, or its path. @throws `ValueError` with the complaint if it is not there */
export function pathOrText(context: JobContext, path: string, asText: unknown, complaint: string): string {
  if (!exists(context.runtime.fs, path)) throw pythonError("ValueError", complaint);
  return truthy(asText) ? withOsErrors(path, () => context.runtime.fs.readText(path)) : path;
}

/** Writes a file that may be read by others, or one for its owner alone. */
export function writeFile(context: JobContext, path: string, content: string | Uint8Array, mode: number): void {
  withOsErrors(path, () => context.runtime.fs.write(path, content, { mode }));
}

export function makeAuthorityDirectory(context: JobContext, path: string): void {
  withOsErrors(path, () => context.runtime.fs.mkdir(path, 0o755));
}

/** A new serial number, which is noted in the cache. */
export function newSerial(context: JobContext, name: string): bigint {
  const { crypto, fs } = context.runtime;
  const serial = crypto.randomBytes(20).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) >> 1n;
  const directory = str(context.opts.cachedir ?? "/var/cache/salt/minion");
  fs.mkdir(directory, 0o755);
  fs.append(`${directory}/${name.replaceAll("/", "_")}.serial`, `${serial}`);
  return serial;
}

/** A time with two digits of the year, in UTC. */
export const shortTime = (time: Date): string => `${time.toISOString().slice(2, 19).replace(/[-T:]/g, "")}Z`;

/** What the index of an authority says of a certificate. */
interface IndexEntry {
  file: string;
  expires: string;
  serial: string;
  /** With the line's end. Salt writes names and values as Python shows bytes, and looks for them so. */
  subject: string;
}

export function indexEntry(authority: Authority, certificate: Der): IndexEntry {
  const { notAfter, serial, subject } = certificateOf(certificate);
  const bytes = (text: string) => bytesRepr(new TextEncoder().encode(text));
  const parts = nameParts(subject).map(([name, value]) => `${bytes(name)}=${bytes(value)}`);
  return {
    file: `${authority.directory}/index.txt`,
    expires: shortTime(notAfter),
    serial: serial.integer.toString(16).toUpperCase(),
    subject: `/${parts.join("/")}\n`,
  };
}

export function addToIndex(context: JobContext, authority: Authority, certificate: Der): void {
  const { file, expires, serial, subject } = indexEntry(authority, certificate);
  withOsErrors(file, () => context.runtime.fs.append(file, `V\t${expires}\t\t${serial}\tunknown\t${subject}`, 0o644));
}

/** The lines of the index of an authority; none if there is no index. */
export function indexLines(context: JobContext, file: string): string[] {
  try {
    return context.runtime.fs.readText(file).split(/(?<=\n)/);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
