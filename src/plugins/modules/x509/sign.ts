import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { str } from "../../../language/python/values.ts";
import type { HashName } from "../../../runtime/crypto.ts";
import type { Der } from "./der.ts";
import { bitString, derSequence, nothing, oid } from "./der_write.ts";
import { openssl, opensslBytes, withFiles } from "./openssl.ts";
import { type PrivateKey, privatePem } from "./private_keys.ts";
import { keyFacts, pemOf } from "./read.ts";

/** The digests that certificates may be signed with: OBJECT IDENTIFIERs for RSA and for curves. */
const DIGESTS: Record<string, { rsa: string; ec: string }> = {
  sha1: { rsa: "1.2.840.113549.1.1.5", ec: "1.2.840.10045.4.1" },
  sha224: { rsa: "1.2.840.113549.1.1.14", ec: "1.2.840.10045.4.3.1" },
  sha256: { rsa: "1.2.840.113549.1.1.11", ec: "1.2.840.10045.4.3.2" },
  sha384: { rsa: "1.2.840.113549.1.1.12", ec: "1.2.840.10045.4.3.3" },
  sha512: { rsa: "1.2.840.113549.1.1.13", ec: "1.2.840.10045.4.3.4" },
  sha3_224: { rsa: "2.16.840.1.101.3.4.3.13", ec: "2.16.840.1.101.3.4.3.9" },
  sha3_256: { rsa: "2.16.840.1.101.3.4.3.14", ec: "2.16.840.1.101.3.4.3.10" },
  sha3_384: { rsa: "2.16.840.1.101.3.4.3.15", ec: "2.16.840.1.101.3.4.3.11" },
  sha3_512: { rsa: "2.16.840.1.101.3.4.3.16", ec: "2.16.840.1.101.3.4.3.12" },
};
const VALID = [...Object.keys(DIGESTS).slice(0, 5), "sha512_224", "sha512_256", ...Object.keys(DIGESTS).slice(5)];
/** Digests that signatures are read of, and no longer made with. */
const REFUSED = new Set(["sha1"]);
const MD5_WITH_RSA = "1.2.840.113549.1.1.4";
const EDWARDS: Record<string, string> = { ed25519: "1.3.101.112", ed448: "1.3.101.113" };
/** Digests that the runtime has itself. */
const OWN = new Set<string>(["md5", "sha1", "sha224", "sha256", "sha384", "sha512"]);

/** The name of a digest, in small letters. @throws {CommandExecutionError} if there is none of that name */
export function digestName(digest: unknown): string {
  const name = str(digest).toLowerCase();
  if (VALID.includes(name)) return name;
  throw new CommandExecutionError(`Invalid value '${str(digest)}' for digest. Valid: ${VALID.join(", ")}`);
}

/** The digest that something was signed with; undefined for kinds of keys that need none, and for others. */
export function signatureDigest(signed: Der): string | undefined {
  const algorithm = signed.child(1).child(0).oid;
  if (algorithm === MD5_WITH_RSA) return "md5";
  return Object.keys(DIGESTS).find((name) => Object.values(DIGESTS[name]!).includes(algorithm));
}

const isOwn = (name: string): name is HashName => OWN.has(name);
const opensslName = (digest: string) => digest.replace("_", "-");

/** How a key signs with a digest, as certificates say it. @throws {CommandExecutionError} if it cannot */
function algorithmOf({ type }: PrivateKey, digest: unknown): Uint8Array {
  const edwards = type === null ? undefined : EDWARDS[type];
  if (edwards !== undefined) return derSequence(oid(edwards));
  const name = digestName(digest);
  const found = REFUSED.has(name) ? undefined : DIGESTS[name];
  if (found === undefined || (type !== "rsa" && type !== "ec")) {
    throw new CommandExecutionError(`Cannot sign with the digest ${name} and a key of the type ${type}`);
  }
  return type === "rsa" ? derSequence(oid(found.rsa), nothing) : derSequence(oid(found.ec));
}

/**
 * Signs something: `SEQUENCE {body, algorithm, signature}`.
 *
 * @param body given how it is signed, which most bodies say themselves
 */
export async function signed(
  context: JobContext,
  body: (algorithm: Uint8Array) => Uint8Array,
  key: PrivateKey,
  digest: unknown,
): Promise<Uint8Array> {
  const algorithm = algorithmOf(key, digest);
  const bytes = body(algorithm);
  return derSequence(bytes, algorithm, bitString(await signature(context, bytes, key, digest)));
}

async function signature(
  context: JobContext,
  bytes: Uint8Array,
  key: PrivateKey,
  digest: unknown,
): Promise<Uint8Array> {
  if (key.type !== "rsa" && key.type !== "ec") {
    return await signedByProgram(context, bytes, key, ["pkeyutl", "-sign", "-rawin"]);
  }
  const name = digestName(digest);
  const { crypto } = context.runtime;
  return key.type === "rsa" && isOwn(name)
    ? await crypto.pkcs1SignAsync(name, crypto.loadPrivateKey(privatePem(key)), bytes)
    : await signedByProgram(context, bytes, key, ["dgst", `-${opensslName(name)}`, "-sign"]);
}

async function signedByProgram(
  context: JobContext,
  body: Uint8Array,
  key: PrivateKey,
  words: string[],
): Promise<Uint8Array> {
  return await withFiles(context, [privatePem(key), body], ([path, data]) =>
    opensslBytes(
      context,
      words[0] === "dgst" ? [...words, path!, data!] : [...words, "-inkey", path!, "-in", data!],
    ));
}

export async function isSigned(context: JobContext, it: Der, key: Der): Promise<boolean> {
  const { crypto } = context.runtime;
  const [body, signature] = [it.child(0), it.child(2)];
  const digest = signatureDigest(it);
  const pem = pemOf("PUBLIC KEY", key.whole);
  if (keyFacts(key).key_type === "rsa" && digest !== undefined && isOwn(digest)) {
    return crypto.pkcs1Verify(digest, crypto.loadPublicKey(pem), body.whole, signature.bits);
  }
  return await withFiles(context, [pem, body.whole, signature.bits], async ([path, data, sign]) => {
    const words = digest === undefined
      ? ["pkeyutl", "-verify", "-pubin", "-inkey", path!, "-rawin", "-in", data!, "-sigfile", sign!]
      : ["dgst", `-${opensslName(digest)}`, "-verify", path!, "-signature", sign!, data!];
    return (await openssl(context, words)).retcode === 0;
  });
}
