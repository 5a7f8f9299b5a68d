import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { str } from "../../../language/python/values.ts";
import { latin1 } from "../../bytes.ts";
import { type Der, readDer, TAG } from "./der.ts";
import { bitString, derInteger, derSequence, nothing, octets, oid } from "./der_write.ts";
import { openssl, opensslBytes, opensslText, PASSPHRASE, withFiles } from "./openssl.ts";
import { keyFacts, pemBlocks, pemOf, sourceBytes } from "./read.ts";

export interface PrivateKey {
  /** PKCS#8, not encrypted. */
  pkcs8: Uint8Array;
  /** SubjectPublicKeyInfo. */
  publicKey: Der;
  /** `rsa`, `ec`, `ed25519` or `ed448`; null for any other. */
  type: string | null;
  /** Bits; null where all keys are alike. */
  size: number | null;
}

export type KeyEncoding = "pem" | "der" | "pkcs12";

/** The passphrase does not fit the key: wrong, missing, or one too many. */
export class PassphraseError extends SaltInvocationError {
  readonly problem: "wrong" | "missing" | "superfluous";

  constructor(problem: PassphraseError["problem"]) {
    super(
      {
        wrong: "Bad decrypt - is the password correct?",
        missing: "Private key is encrypted. Please provide a password.",
        superfluous: "Private key is unencrypted. Please remove the password.",
      }[problem],
    );
    this.problem = problem;
  }
}

/** It is no private key at all. */
export class NoPrivateKeyError extends SaltInvocationError {}

const RSA = "1.2.840.113549.1.1.1";
const PUBLIC_EXPONENT_AT = 2;

export const privatePem = (key: PrivateKey): string => pemOf("PRIVATE KEY", key.pkcs8);

/** PKCS#8 of a key in the form that is only for RSA. */
function fromPkcs1(pkcs1: Uint8Array): Uint8Array {
  return derSequence(derInteger(0), derSequence(oid(RSA), nothing), octets(pkcs1));
}

/** PKCS#8 of a key in the form that is only for curves; its curve stands within. */
function fromSec1(sec1: Der): Uint8Array {
  const curve = sec1.tagged(0)?.child(0);
  if (curve === undefined) throw new SyntaxError("A key without its curve");
  const inner = sec1.children.filter(({ tag }) => tag !== 0xa0).map(({ whole }) => whole);
  return derSequence(derInteger(0), derSequence(oid("1.2.840.10045.2.1"), curve.whole), octets(derSequence(...inner)));
}

/** What DER holds, by its shape; undefined if it is nothing that has to do with keys. */
function shapeOf(bytes: Uint8Array): "pkcs8" | "pkcs1" | "sec1" | "encrypted" | "pkcs12" | undefined {
  try {
    const der = readDer(bytes);
    const [first, second, third] = der.children;
    if (der.tag !== TAG.SEQUENCE || first === undefined || second === undefined) return undefined;
    if (first.tag === TAG.SEQUENCE && second.tag === TAG.OCTET_STRING) return "encrypted";
    if (first.tag !== TAG.INTEGER) return undefined;
    if (first.integer === 3n && second.tag === TAG.SEQUENCE) return "pkcs12";
    if (second.tag === TAG.SEQUENCE && third?.tag === TAG.OCTET_STRING) return "pkcs8";
    if (first.integer === 1n && second.tag === TAG.OCTET_STRING) return "sec1";
    return second.tag === TAG.INTEGER && der.children.length >= 9 ? "pkcs1" : undefined;
  } catch {
    return undefined;
  }
}

/** The public half of a key: of RSA it stands within; of others openssl works it out. */
async function publicHalf(context: JobContext, pkcs8: Uint8Array): Promise<Der> {
  const [, algorithm, content] = readDer(pkcs8).children;
  if (algorithm!.child(0).oid === RSA) {
    const numbers = readDer(content!.content).children.slice(1, PUBLIC_EXPONENT_AT + 1);
    const publicKey = derSequence(...numbers.map(({ whole }) => whole));
    return readDer(derSequence(derSequence(oid(RSA), nothing), bitString(publicKey)));
  }
  const { retcode, stdout } = await openssl(context, ["pkey", "-pubout"], { stdin: pemOf("PRIVATE KEY", pkcs8) });
  const bytes = pemBlocks(stdout).find(({ label }) => label === "PUBLIC KEY")?.bytes;
  if (retcode !== 0 || bytes === undefined) throw new NoPrivateKeyError("Could not load PEM-encoded private key");
  return readDer(bytes);
}

async function opened(context: JobContext, pkcs8: Uint8Array): Promise<PrivateKey> {
  const publicKey = await publicHalf(context, pkcs8);
  const { key_type: type, key_size: size } = keyFacts(publicKey);
  return { pkcs8, publicKey, type, size };
}

/** PKCS#8 in the PEM that openssl made. */
function pkcs8In(text: string): Uint8Array | undefined {
  return pemBlocks(text).find(({ label }) => label === "PRIVATE KEY")?.bytes;
}

async function decrypted(context: JobContext, pem: string, passphrase: string): Promise<Uint8Array> {
  const words = ["pkcs8", "-topk8", "-nocrypt", "-passin", `env:${PASSPHRASE}`];
  const { retcode, stdout } = await openssl(context, words, { stdin: pem, passphrase });
  const found = retcode === 0 ? pkcs8In(stdout) : undefined;
  if (found === undefined) throw new PassphraseError("wrong");
  return found;
}

/** What openssl shows of a PKCS#12 file, with its key and its certificates. @throws {PassphraseError} */
export async function openPkcs12(context: JobContext, bytes: Uint8Array, passphrase: unknown): Promise<string> {
  return await withFiles(context, [bytes], async ([path]) => {
    const words = ["pkcs12", "-in", path!, "-nodes", "-passin", `env:${PASSPHRASE}`];
    const { retcode, stdout } = await openssl(context, words, { passphrase: passphraseText(passphrase) ?? "" });
    if (retcode !== 0) throw new PassphraseError("wrong");
    return stdout;
  });
}

export function passphraseText(passphrase: unknown): string | undefined {
  return passphrase === null || passphrase === undefined ? undefined : str(passphrase);
}

async function fromPem(context: JobContext, text: string, passphrase: string | undefined): Promise<PrivateKey> {
  const [pem, label = "", body = ""] =
    /-----BEGIN ((?:RSA |EC |ENCRYPTED )?PRIVATE KEY)-----([^]*?)-----END \1-----/.exec(text) ?? [];
  if (pem === undefined) throw new NoPrivateKeyError("Could not load PEM-encoded private key");
  const isEncrypted = label.startsWith("ENCRYPTED") || body.includes("Proc-Type: 4,ENCRYPTED");
  if (isEncrypted && passphrase === undefined) throw new PassphraseError("missing");
  if (!isEncrypted && passphrase !== undefined) throw new PassphraseError("superfluous");
  if (isEncrypted) return await opened(context, await decrypted(context, `${pem}\n`, passphrase!));
  const bytes = pemBlocks(pem)[0]?.bytes;
  const plain = bytes === undefined ? undefined : plainPkcs8(bytes);
  if (plain === undefined) throw new NoPrivateKeyError("Could not load PEM-encoded private key");
  return await opened(context, plain);
}

function plainPkcs8(bytes: Uint8Array): Uint8Array | undefined {
  try {
    const shape = shapeOf(bytes);
    if (shape === "pkcs8") return bytes;
    if (shape === "pkcs1") return fromPkcs1(bytes);
    return shape === "sec1" ? fromSec1(readDer(bytes)) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Opens a private key: its path, PEM, or DER in digits or base64; PKCS#1, PKCS#8, SEC1 or within PKCS#12.
 *
 * @throws {PassphraseError} if the passphrase does not fit
 * @throws {NoPrivateKeyError} if it is no private key
 */
export async function loadPrivateKey(
  context: JobContext,
  source: unknown,
  passphrase: unknown = null,
): Promise<{ key: PrivateKey; encoding: KeyEncoding }> {
  const bytes = sourceBytes(context, source);
  const password = passphraseText(passphrase);
  const text = latin1(bytes);
  if (text.includes("-----BEGIN")) return { key: await fromPem(context, text, password), encoding: "pem" };
  const shape = shapeOf(bytes);
  if (shape === "pkcs12") {
    const found = pkcs8In(await openPkcs12(context, bytes, passphrase));
    if (found === undefined) throw new CommandExecutionError("PKCS12-encoded blob does not contain a private key.");
    return { key: await opened(context, found), encoding: "pkcs12" };
  }
  if (shape === "encrypted") {
    if (password === undefined) throw new PassphraseError("missing");
    const pem = pemOf("ENCRYPTED PRIVATE KEY", bytes);
    return { key: await opened(context, await decrypted(context, pem, password)), encoding: "der" };
  }
  const plain = plainPkcs8(bytes);
  if (plain === undefined) {
    throw new NoPrivateKeyError("Could not deserialize binary data, neither as DER nor PKCS#12.");
  }
  if (password !== undefined) throw new PassphraseError("superfluous");
  return { key: await opened(context, plain), encoding: "der" };
}

const SIZES: Record<string, { usual: number; sizes: number[]; complaint: string }> = {
  rsa: { usual: 2048, sizes: [2048, 3072, 4096], complaint: "RSA key size must be either 2048, 3072 or 4096 bits." },
  ec: { usual: 256, sizes: [256, 384, 521], complaint: "EC key size must be either 256, 384, 521 bits." },
};

/** Bits of a key of that kind where none are asked for; undefined where all are alike. */
export const usualSize = (algo: string): number | undefined => SIZES[algo]?.usual;

/** Kind and bits of a key that is to be made. @throws {SaltInvocationError} for a kind or size that there is none of */
export function privateKeyKind(algo: unknown, keysize: unknown): { kind: string; bits: unknown } {
  const kind = str(algo);
  if (!["rsa", "ec", "ed25519", "ed448"].includes(kind)) {
    throw new SaltInvocationError(
      `Invalid algorithm specified for generating private key: ${kind}. Valid: rsa, ec, ed25519, ed448`,
    );
  }
  const size = SIZES[kind];
  const bits = keysize === null || keysize === undefined || keysize === 0 ? size?.usual : keysize;
  if (size !== undefined && !size.sizes.includes(Number(bits))) throw new SaltInvocationError(size.complaint);
  return { kind, bits };
}

/** Makes a private key. @throws {SaltInvocationError} for a kind or size that there is none of */
export async function generatePrivateKey(context: JobContext, algo: unknown, keysize: unknown): Promise<PrivateKey> {
  const { kind, bits } = privateKeyKind(algo, keysize);
  if (kind === "rsa") {
    const { privatePem: pem } = await context.runtime.crypto.generateKeyPair(Number(bits));
    return await opened(context, plainPkcs8(pemBlocks(pem)[0]!.bytes)!);
  }
  const words = kind === "ec"
    ? ["-algorithm", "EC", "-pkeyopt", `ec_paramgen_curve:P-${Number(bits)}`, "-pkeyopt", "ec_param_enc:named_curve"]
    : ["-algorithm", kind];
  const text = await opensslText(context, ["genpkey", ...words]);
  return await opened(context, pkcs8In(text)!);
}

/** Words for openssl that protect a PKCS#12 file as Salt does, or not at all. */
export function pkcs12Protection(passphrase: string | undefined, compatible: boolean): string[] {
  if (passphrase === undefined) return ["-keypbe", "NONE", "-certpbe", "NONE", "-passout", "pass:"];
  const strong = compatible
    ? ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1", "-iter", "50000"]
    : ["-keypbe", "AES-256-CBC", "-certpbe", "AES-256-CBC", "-macalg", "sha256", "-iter", "20000"];
  return [...strong, "-passout", `env:${PASSPHRASE}`];
}

interface KeyEncodingOptions {
  encoding: KeyEncoding;
  /** Encrypts it. */
  passphrase?: string;
  /** Of PKCS#12: with ciphers that old programs can read. */
  compatible?: boolean;
}

/** A private key in the encoding that is asked for: PKCS#8 as PEM or DER, or PKCS#12. */
export async function privateKeyBytes(
  context: JobContext,
  key: PrivateKey,
  { encoding, passphrase, compatible = false }: KeyEncodingOptions,
): Promise<Uint8Array> {
  if (encoding === "pkcs12") {
    return await withFiles(
      context,
      [privatePem(key)],
      ([path]) =>
        opensslBytes(
          context,
          ["pkcs12", "-export", "-nocerts", "-inkey", path!, ...pkcs12Protection(passphrase, compatible)],
          passphrase === undefined ? {} : { passphrase },
        ),
    );
  }
  const bytes = passphrase === undefined ? key.pkcs8 : await encrypted(context, key, passphrase);
  if (encoding === "der") return bytes;
  const label = passphrase === undefined ? "PRIVATE KEY" : "ENCRYPTED PRIVATE KEY";
  return new TextEncoder().encode(pemOf(label, bytes));
}

async function encrypted(context: JobContext, key: PrivateKey, passphrase: string): Promise<Uint8Array> {
  if (passphrase === "") {
    throw new SaltInvocationError("The passphrase is empty: leave it out for a key that is not encrypted");
  }
  const words = ["pkcs8", "-topk8", "-v2", "aes-256-cbc", "-v2prf", "hmacWithSHA256", "-passout", `env:${PASSPHRASE}`];
  const text = await opensslText(context, words, { stdin: privatePem(key), passphrase });
  return pemBlocks(text)[0]!.bytes;
}
