import { hex } from "../../../protocol/crypto/hex.ts";
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { decodeBase64 } from "../../../language/python/binascii.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { splitWords } from "../../../language/python/text.ts";
import type { HashName } from "../../../runtime/crypto.ts";

export interface AuthorizedKey {
  enc: string;
  comment: string;
  options: string[];
  fingerprint: string;
}

const KINDS: Record<string, string> = {
  r: "ssh-rsa",
  rsa: "ssh-rsa",
  d: "ssh-dss",
  dsa: "ssh-dss",
  dss: "ssh-dss",
  e: "ecdsa-sha2-nistp256",
  ecdsa: "ecdsa-sha2-nistp256",
  ed25519: "ssh-ed25519",
};

const CURVES = ["nistp256", "nistp384", "nistp521"];

const WHOLE_NAMES = new Set([
  "ssh-rsa",
  "ssh-dss",
  "ssh-ed25519",
  "rsa-sha2-256",
  "rsa-sha2-512",
  ...CURVES.map((curve) => `ecdsa-sha2-${curve}`),
  ...CURVES.map((curve) => `ecdsa-sha2-${curve}-cert-v01@openssh.com`),
  ...["rsa-sha2-256", "rsa-sha2-512", "ssh-rsa", "ssh-ed25519"].map((name) => `${name}-cert-v01@openssh.com`),
  ...["sk-ecdsa-sha2-nistp256", "sk-ssh-ed25519"].flatMap((name) => [
    `${name}@openssh.com`,
    `${name}-cert-v01@openssh.com`,
  ]),
]);

/** The whole name of a kind of key. @throws {CommandExecutionError} if there is no such kind */
export function keyKind(enc: unknown): string {
  const name = str(enc);
  if (Object.hasOwn(KINDS, name)) return KINDS[name]!;
  if (WHOLE_NAMES.has(name)) return name;
  throw new CommandExecutionError(`Incorrect encryption key type '${name}'.`);
}

/** The line of a key. Without a comment it ends in a blank. */
export function keyLine(key: string, enc: string, comment: unknown, options: unknown): string {
  const before = Array.isArray(options) && options.length > 0 ? `${options.map(str).join(",")} ` : "";
  return `${before}${enc} ${key} ${str(comment)}\n`;
}

const HASHES: readonly HashName[] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

/** The fingerprint of a key, in pairs of digits; undefined if the text is no base64. @throws {CommandExecutionError} */
export function fingerprintOf(context: JobContext, key: string, hashType: unknown): string | undefined {
  const wanted = truthy(hashType) ? str(hashType).toLowerCase() : "sha256";
  const name = HASHES.find((hash) => hash === wanted);
  if (name === undefined) throw new CommandExecutionError(`The fingerprint_hash_type ${wanted} is not supported.`);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(key)) return undefined;
  const bytes = decodeBase64(new TextEncoder().encode(key));
  return hex(context.runtime.crypto.hash(name, bytes)).replace(/..(?!$)/g, "$&:");
}

/** Bytes of a line that is looked at: sshd reads no longer ones. */
const LONGEST_LINE = 16_384;

/** A line, or the name of a state, as options, kind, key and comment; undefined if it is none of a key. */
export function parseKey(
  line: string,
): { options: string; enc: string; key: string; comment: string; words: number } | undefined {
  if (line.length > LONGEST_LINE) return undefined;
  const text = /(?:sk-)?(?:ssh-|ecds)[\w@.-]+\s\s*\S.*$/.exec(line)?.[0];
  if (text === undefined) return undefined;
  const [enc = "", key = "", ...comment] = splitWords(text);
  const options = line.slice(0, line.length - text.length).replace(/\s$/, "");
  return { options, enc, key, comment: comment.join(" "), words: 2 + comment.length };
}
