import { hex } from "../../../protocol/crypto/hex.ts";
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { isMap, str, truthy } from "../../../language/python/values.ts";
import { splitLines } from "../../../language/python/text.ts";
import { basename } from "../../../language/python/posixpath.ts";
import { decodeUtf8 } from "../../../language/python/utf8.ts";
import type { HashName } from "../../../runtime/crypto.ts";
import { osError, pythonError, withOsErrors } from "../../python_errors.ts";

/** The hashes that files are checked by → hexadecimal digits of each. */
const HASH_LENGTHS: Record<HashName, number> = {
  sha512: 128,
  sha384: 96,
  sha256: 64,
  sha224: 56,
  sha1: 40,
  md5: 32,
};
const BY_LENGTH = new Map(Object.entries(HASH_LENGTHS).map(([name, length]) => [length, name as HashName]));
const LENGTHS = [...BY_LENGTH].sort(([a], [b]) => a - b).map(([length, name]) => `${name} (${length})`).join(", ");
const PROTOCOLS = ["salt", "file", "http", "https", "ftp", "swift", "s3"];

/** Bytes read at once. */
const CHUNK = 1 << 20;

export const isHash = (name: string): name is HashName => Object.hasOwn(HASH_LENGTHS, name);

/** The hash of a file, read piece by piece. */
export function hashFile(context: JobContext, path: string, form: string): string {
  if (!isHash(form)) throw pythonError("ValueError", `Invalid hash type: ${form}`);
  const { crypto, fs } = context.runtime;
  try {
    let chunk = fs.readAt(path, 0, CHUNK);
    // Nearly every file is one chunk.
    if (chunk.length < CHUNK) return crypto.hexHash(form, chunk);
    const hasher = crypto.hasher(form);
    for (let at = 0;;) {
      hasher.update(chunk);
      if (chunk.length < CHUNK) return hex(hasher.digest());
      at += chunk.length;
      chunk = fs.readAt(path, at, CHUNK);
    }
  } catch (error) {
    throw osError(error, path);
  }
}

/** True if a file has a hash, written as `<type>=<digits>`, `<type>:<digits>`, or digits whose number determines the type. */
export function checkHash(context: JobContext, path: string, hash: unknown): boolean {
  if (typeof hash !== "string") throw new SaltInvocationError("hash must be a string");
  const separator = hash.includes(":") ? ":" : "=";
  const at = hash.indexOf(separator);
  if (at >= 0) return hashFile(context, path, hash.slice(0, at)) === hash.slice(at + 1);
  const form = BY_LENGTH.get(hash.length);
  if (form === undefined) {
    throw new SaltInvocationError(
      `Hash ${hash} (length: ${hash.length}) could not be matched to a supported hash type. ` +
        `The supported hash types and lengths are: ${LENGTHS}`,
    );
  }
  return hashFile(context, path, form) === hash;
}

/** A hash as functions of `file` take and return it. */
export interface SourceSum {
  hash_type: string;
  hsum: string;
}

/** An address without the password that may stand in it. */
export function redacted(url: string): string {
  return url.replace(/^(https?:\/\/)[^/@]*@/, "$1<redacted>@");
}

function badFormat(hash: unknown): CommandExecutionError {
  return new CommandExecutionError(
    `Source hash ${redacted(str(hash))} format is invalid. The supported formats are: 1) a hash, 2) an expression in ` +
      "the format <hash_type>=<hash>, or 3) either a path to a local file containing hashes, or a URI of a remote hash " +
      `file. Supported protocols for remote hash files are: ${PROTOCOLS.join(", ")}. The hash may also not be of a ` +
      `valid length, the following are supported hash types and lengths: ${LENGTHS}.`,
  );
}

/** The hash that a `source_hash` stands for: itself, or the entry for this file in a file of hashes. */
export async function sourceSum(context: JobContext, args: Record<string, unknown>): Promise<SourceSum> {
  const { source_hash: given, saltenv = "base", verify_ssl: verifySsl = true } = args;
  if (typeof given !== "string") throw badFormat(given);
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(given)?.[1]?.toLowerCase();
  let file = given.startsWith("/") ? given : undefined;
  if (file === undefined && scheme !== undefined) {
    if (!PROTOCOLS.includes(scheme)) throw badFormat(given);
    const cached = await context.call("cp.cache_file", [given, saltenv], { verify_ssl: verifySsl });
    if (!truthy(cached)) throw new CommandExecutionError(`Source hash file ${redacted(given)} not found`);
    file = str(cached);
  }
  if (file !== undefined) {
    const found = extractHash(context, { ...args, hash_fn: file, hash_type: "" });
    if (found === null) throw badFormat(given);
    return { ...found, hsum: found.hsum.toLowerCase() };
  }
  return literalSum(given);
}

function literalSum(given: string): SourceSum {
  const at = given.indexOf("=");
  if (at < 0) {
    const type = BY_LENGTH.get(given.length);
    if (!/^[0-9a-fA-F]+$/.test(given) || type === undefined) throw badFormat(given);
    return { hash_type: type, hsum: given.toLowerCase() };
  }
  const [type, hsum] = [given.slice(0, at).trim(), given.slice(at + 1).trim()];
  if (!isHash(type)) {
    throw new CommandExecutionError(
      `Invalid hash type '${type}'. Supported hash types are: ${Object.keys(HASH_LENGTHS).join(", ")}. Either remove ` +
        `the hash type and simply use '${hsum}' as the source_hash, or change the hash type to a supported type.`,
    );
  }
  const fitting = BY_LENGTH.get(hsum.length);
  if (fitting === undefined) throw badFormat(given);
  if (fitting !== type) {
    throw new CommandExecutionError(
      `Invalid length (${hsum.length}) for hash type '${type}'. Either remove the hash type and simply use '${hsum}' ` +
        `as the source_hash, or change the hash type to '${fitting}'`,
    );
  }
  return { hash_type: type, hsum: hsum.toLowerCase() };
}

/** A name that a line of a file of hashes may end in or begin with. */
interface Wanted {
  /** The name at the end of the line, and what may precede it. */
  end: string;
  before: RegExp;
  /** The name that it begins with. */
  start: string;
}

const BLANK = /[ \t\n\r\v\f]/;
const SEPARATOR = /[ \t\n\r\v\f\\/*]/;

/**
 * The entry for a file in a file of hashes: by `source_hash_name`, else by `file_name`, else by `source`, else the
 * first of all; null if there is none.
 */
export function extractHash(context: JobContext, args: Record<string, unknown>): SourceSum | null {
  const path = str(args.hash_fn);
  const type = str(args.hash_type ?? "");
  const length = isHash(type) ? String(HASH_LENGTHS[type]) : "32,128";
  const expression = new RegExp(`(?<![a-z0-9])([a-f0-9]{${length}})(?![a-z0-9])`, "i");
  const names = { source_hash_name: args.source_hash_name, file_name: args.file_name, source: args.source };
  const wanted = Object.entries(names).filter(([, name]) => truthy(name)).map(([kind, name]): Wanted => {
    const text = str(name);
    if (kind === "source_hash_name") return { end: text, before: BLANK, start: text };
    const end = kind === "source"
      ? basename(text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "").replace(/[?#].*$/, ""))
      : basename(text);
    return { end, before: SEPARATOR, start: text };
  });
  const found: (SourceSum | undefined)[] = wanted.map(() => undefined);
  let first: SourceSum | null = null;
  const bytes = withOsErrors(path, () => context.runtime.fs.read(path));
  for (const line of splitLines(decodeUtf8(bytes)).map((text) => text.trim())) {
    const hsum = expression.exec(line)?.[1];
    const hashType = hsum === undefined ? undefined : BY_LENGTH.get(hsum.length);
    if (hsum === undefined || hashType === undefined) continue;
    const sum = { hsum, hash_type: hashType };
    first ??= sum;
    wanted.forEach(({ end, before, start }, at) => {
      if (found[at] === undefined && fits(line, end, before, start)) found[at] = sum;
    });
  }
  return found.find((sum) => sum !== undefined) ?? first;
}

function fits(line: string, end: string, before: RegExp, start: string): boolean {
  if (line.endsWith(end)) return before.test(line.at(-end.length - 1) ?? "");
  return line.startsWith(start) && BLANK.test(line[start.length] ?? "");
}

/** A sum that a caller hands in. */
export function sumOf(value: unknown): Partial<SourceSum> {
  return isMap(value) && !(value instanceof Map) ? value as Partial<SourceSum> : {};
}
