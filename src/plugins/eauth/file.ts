import { hex } from "../../protocol/crypto/hex.ts";
import { type CryptMethod, unixCryptSteps } from "../../protocol/crypto/unix_crypt.ts";
import { type EauthContext, type EauthCredentials, type EauthModule, sectionOption } from "../../model/loader/eauth.ts";
import { encodeBase64 } from "../../language/python/binascii.ts";
import type { Crypto, HashName } from "../../runtime/crypto.ts";
import { sameSecret } from "./secrets.ts";

const utf8 = new TextEncoder();
const DIGESTS: readonly string[] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];
const CRYPT_METHODS: Record<string, CryptMethod> = { "1": "md5", apr1: "apr1", "5": "sha256", "6": "sha512" };

function digest(crypto: Crypto, hash: string, text: string): string {
  return hex(crypto.hash(hash as HashName, utf8.encode(text)));
}

/** A whole number of the section, from 1 on. */
function column(section: Record<string, unknown>, name: string, byDefault: number): number {
  const value = Number(sectionOption(section, name) ?? byDefault);
  if (!Number.isInteger(value) || value < 1) throw new RangeError(`^${name} is ${value}: expected a column from 1 on`);
  return value - 1;
}

/** Lines with a chosen separator and chosen columns; the password is plain text or a digest. */
function inText({ section, runtime }: EauthContext, lines: readonly string[], shown: EauthCredentials): boolean {
  const hash = String(sectionOption(section, "hashtype") ?? "plaintext");
  if (hash !== "plaintext" && !DIGESTS.includes(hash)) {
    throw new RangeError(`^hashtype is "${hash}": expected plaintext or one of ${DIGESTS.join(", ")}`);
  }
  const separator = String(sectionOption(section, "field_separator") ?? ":");
  const [user, password] = [column(section, "username_field", 1), column(section, "password_field", 2)];
  const fields = lines.map((line) => line.trim().split(separator)).find((fields) => fields[user] === shown.username);
  const known = fields?.[password];
  const { crypto } = runtime;
  const same = sameSecret(
    crypto,
    known ?? "",
    hash === "plaintext" ? shown.password : digest(crypto, hash, shown.password),
  );
  return known !== undefined && same;
}

async function bcrypt(password: string, known: string): Promise<boolean> {
  let library: { compare(password: string, hash: string): Promise<boolean> };
  // A variable keeps bundlers and type checkers from asking for a package that few need.
  const name = "bcryptjs";
  try {
    library = (await import(name)).default;
  } catch (error) {
    throw new Error(`a password of this file is hashed with bcrypt: npm install bcryptjs`, { cause: error });
  }
  return await library.compare(password, known);
}

/** The most rounds of a hash in the file: more would keep a processor busy for seconds with each login. */
const MOST_ROUNDS = 1_000_000;
/** The hash that is checked for a user who is not in the file; it takes as long as another. */
const NOBODY = "$6$nobodynobodynobo$";

/** The hash of a user; for an unknown user the kind that most have, so that the answer takes as long. */
function hashOf(lines: readonly string[], username: string): { known: string; there: boolean } {
  const entries = lines.map((line) => line.trim());
  const entry = entries.find((line) => line.startsWith(`${username}:`));
  const hash = (line: string) => line.slice(line.indexOf(":") + 1).split(":", 1)[0]!;
  if (entry !== undefined) return { known: hash(entry), there: true };
  const other = entries.find((line) => /^[^#:]+:\$/.test(line));
  return { known: other === undefined ? NOBODY : hash(other), there: false };
}

/** `user:hash` as Apache's `htpasswd` writes it. */
async function inHtpasswd(context: EauthContext, lines: readonly string[], shown: EauthCredentials): Promise<boolean> {
  const { known, there } = hashOf(lines, shown.username);
  return await provesHash(context, known, shown) && there;
}

async function provesHash(
  { runtime, slices }: EauthContext,
  known: string,
  shown: EauthCredentials,
): Promise<boolean> {
  const { crypto } = runtime;
  if (known.startsWith("{SHA}")) {
    return sameSecret(crypto, known.slice(5), encodeBase64(crypto.hash("sha1", utf8.encode(shown.password))));
  }
  if (/^\$2[aby]?\$/.test(known)) return await bcrypt(shown.password, known);
  const [, ident = "", setting = ""] = /^\$(1|apr1|5|6)\$(.*)\$[^$]*$/.exec(known) ?? [];
  const method = CRYPT_METHODS[ident];
  if (method === undefined) {
    throw new Error(`the password of ${shown.username} has an unknown format: create it with htpasswd -5`);
  }
  const steps = unixCryptSteps(crypto, method, shown.password, setting, MOST_ROUNDS);
  return sameSecret(crypto, known, await slices.run(steps));
}

/** `user:realm:hash` as Apache's `htdigest` writes it. */
function inHtdigest({ section, runtime }: EauthContext, lines: readonly string[], shown: EauthCredentials): boolean {
  const realm = sectionOption(section, "realm");
  if (typeof realm !== "string" || realm === "") throw new Error("^realm is missing: an htdigest file needs it");
  const prefix = `${shown.username}:${realm}:`;
  const known = lines.map((line) => line.trim()).find((line) => line.startsWith(prefix))?.slice(prefix.length);
  const same = sameSecret(
    runtime.crypto,
    (known ?? "").toLowerCase(),
    digest(runtime.crypto, "md5", prefix + shown.password),
  );
  return known !== undefined && !shown.username.includes(":") && same;
}

/**
 * Users in a file: `^filename`, `^filetype` text, htpasswd or htdigest; for text `^hashtype`, `^field_separator`,
 * `^username_field`, `^password_field`; for htdigest `^realm`.
 */
export const eauth: EauthModule = {
  virtual: ({ section }) =>
    typeof sectionOption(section, "filename") === "string" ? true : { unavailable: "^filename is not set" },
  async authenticate(context, shown) {
    const { section, runtime } = context;
    // A name with the separator or a line feed would be more than one field.
    if (/[\n\r\0]/.test(shown.username + shown.password) || shown.username === "") return undefined;
    const lines = runtime.fs.readText(String(sectionOption(section, "filename"))).split("\n");
    const type = String(sectionOption(section, "filetype") ?? "text");
    const found = type === "text"
      ? inText(context, lines, shown)
      : type === "htpasswd"
      ? await inHtpasswd(context, lines, shown)
      : type === "htdigest"
      ? inHtdigest(context, lines, shown)
      : undefined;
    if (found === undefined) throw new RangeError(`^filetype is "${type}": expected text, htpasswd or htdigest`);
    return found ? { name: shown.username } : undefined;
  },
  find({ section, runtime }, name) {
    const text = sectionOption(section, "filetype") === undefined || sectionOption(section, "filetype") === "text";
    const separator = text ? String(sectionOption(section, "field_separator") ?? ":") : ":";
    const at = text ? column(section, "username_field", 1) : 0;
    const lines = runtime.fs.readText(String(sectionOption(section, "filename"))).split("\n");
    const known = lines.some((line) => line.trim().split(separator)[at] === name);
    return Promise.resolve(known ? { name } : undefined);
  },
};
