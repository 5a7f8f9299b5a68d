import { messageOf } from "../../../base/errors.ts";
import { type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { decodeBase64, encodeBase64 } from "../../../language/python/binascii.ts";
import { isFile } from "../../linux/paths.ts";
import { latin1 } from "../../bytes.ts";
import { withOsErrors } from "../../python_errors.ts";
import { type Der, prettyHex, readDer, TAG, timeText } from "./der.ts";
import { entryExtensionsOf, type Extension, extensionList, extensionsOf } from "./extensions.ts";
import { nameMap, nameText } from "./names.ts";

const SIGNATURES: Record<string, string> = {
  "1.2.840.113549.1.1.4": "md5WithRSAEncryption",
  "1.2.840.113549.1.1.5": "sha1WithRSAEncryption",
  "1.2.840.113549.1.1.10": "RSASSA-PSS",
  "1.2.840.113549.1.1.11": "sha256WithRSAEncryption",
  "1.2.840.113549.1.1.12": "sha384WithRSAEncryption",
  "1.2.840.113549.1.1.13": "sha512WithRSAEncryption",
  "1.2.840.113549.1.1.14": "sha224WithRSAEncryption",
  "1.2.840.10045.4.1": "ecdsa-with-SHA1",
  "1.2.840.10045.4.3.1": "ecdsa-with-SHA224",
  "1.2.840.10045.4.3.2": "ecdsa-with-SHA256",
  "1.2.840.10045.4.3.3": "ecdsa-with-SHA384",
  "1.2.840.10045.4.3.4": "ecdsa-with-SHA512",
  "1.3.101.112": "ed25519",
  "1.3.101.113": "ed448",
};
const RSA = "1.2.840.113549.1.1.1";
const EC = "1.2.840.10045.2.1";
/** Keys without a size of their own. */
const FIXED: Record<string, string> = { "1.3.101.112": "ed25519", "1.3.101.113": "ed448" };
/** Bits of the curves by their OBJECT IDENTIFIER. */
const CURVES: Record<string, number> = {
  "1.2.840.10045.3.1.1": 192,
  "1.2.840.10045.3.1.7": 256,
  "1.3.132.0.10": 256,
  "1.3.132.0.33": 224,
  "1.3.132.0.34": 384,
  "1.3.132.0.35": 521,
  "1.3.36.3.3.2.8.1.1.7": 256,
  "1.3.36.3.3.2.8.1.1.11": 384,
  "1.3.36.3.3.2.8.1.1.13": 512,
};
const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";

/** What is read: how it is called in messages, and after BEGIN. */
interface Kind {
  name: string;
  label: RegExp;
  /** What is said of bytes that are none. */
  notDer: string;
}

export const CERTIFICATE: Kind = {
  name: "certificate",
  label: /^(?:X509 |TRUSTED )?CERTIFICATE$/,
  notDer: "Could not deserialize binary data, neither as DER nor PKCS#7, PKCS#12.",
};
export const REQUEST: Kind = {
  name: "certificate signing request",
  label: /^(?:NEW )?CERTIFICATE REQUEST$/,
  notDer: "Could not load DER-encoded certificate signing request.",
};
export const REVOCATIONS: Kind = {
  name: "certificate revocation list",
  label: /^X509 CRL$/,
  notDer: "Could not load DER-encoded certificate revocation list.",
};
export const PUBLIC_KEY: Kind = {
  name: "public key",
  label: /^PUBLIC KEY$/,
  notDer: "Could not load DER-encoded public key.",
};

const ascii = (text: string) => new TextEncoder().encode(text);

/** The DER bytes of a path, a PEM, hexadecimal digits or base64. */
export function sourceBytes(context: JobContext, source: unknown): Uint8Array {
  const { fs } = context.runtime;
  if (typeof source === "string" && source !== "" && !source.includes("\0") && isFile(fs, source)) {
    return withOsErrors(source, () => fs.read(source));
  }
  if (source instanceof Uint8Array) return source;
  if (typeof source === "string") {
    if (source.startsWith("b64:")) return decodeBase64(ascii(source.slice(4)));
    if (source.includes("-----BEGIN")) return ascii(source);
    const digits = source.replace(/\s/g, "");
    if (/^(?:[0-9a-fA-F]{2})*$/.test(digits)) {
      return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
    }
    try {
      return decodeBase64(ascii(source));
    } catch {
      // Then it is nothing that could be read.
    }
  }
  throw new SaltInvocationError(
    "Could not load provided source. You need to pass an existing file, (PEM|hex|base64)-encoded string or raw bytes.",
  );
}

const PEM = /-----BEGIN ([A-Z0-9 ]+)-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END \1-----/g;

/** The blocks of a PEM; those that are no base64 are left out. */
export function pemBlocks(text: string): { label: string; bytes: Uint8Array }[] {
  return Array.from(text.matchAll(PEM)).flatMap(([, label = "", body = ""]) => {
    try {
      return [{ label, bytes: decodeBase64(ascii(body)) }];
    } catch {
      return [];
    }
  });
}

/**
 * Loads a certificate, a request, a list or a key, from whatever names or holds it.
 *
 * @throws {SaltInvocationError} in Salt's words
 */
export function load(context: JobContext, source: unknown, kind: Kind): Der {
  const bytes = sourceBytes(context, source);
  const text = latin1(bytes);
  if (!text.includes("-----BEGIN")) return parsedDer(bytes, kind, kind.notDer);
  const complaint = `Could not load PEM-encoded ${kind.name}.`;
  const [block] = pemBlocks(text);
  if (block === undefined || !kind.label.test(block.label)) throw new SaltInvocationError(complaint);
  return parsedDer(block.bytes, kind, complaint);
}

/** DER of that kind. @throws {SaltInvocationError} with the complaint if it is none */
export function parsedDer(bytes: Uint8Array, kind: Kind, complaint: string): Der {
  try {
    const element = readDer(bytes);
    const [first, second, third] = element.children;
    const signed = first?.tag === TAG.SEQUENCE && second?.tag === TAG.SEQUENCE && third?.tag === TAG.BIT_STRING;
    const key = first?.tag === TAG.SEQUENCE && second?.tag === TAG.BIT_STRING && third === undefined;
    // A request begins with its version, which a certificate has in a tag of its own, and a list does not need.
    const fits = kind === PUBLIC_KEY ? key : signed && kind === kindOf(first!);
    if (element.tag === TAG.SEQUENCE && element.whole.length === bytes.length && fits) return element;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new SaltInvocationError(complaint);
}

function kindOf(body: Der): Kind {
  const parts = body.children;
  const at = parts[0]?.tag === 0xa0 ? 1 : 0;
  if (at === 0 && parts[0]?.tag === TAG.INTEGER && parts[3]?.tag === 0xa0) return REQUEST;
  return parts[at]?.tag === TAG.INTEGER && parts[at + 1]?.tag === TAG.SEQUENCE && parts[at + 3]?.tag === TAG.SEQUENCE &&
      parts[at + 5]?.tag === TAG.SEQUENCE
    ? CERTIFICATE
    : REVOCATIONS;
}

/** How a file is encoded that has no encodings but two. */
export function plainEncoding(context: JobContext, path: string): "pem" | "der" {
  return latin1(sourceBytes(context, path)).includes("-----BEGIN") ? "pem" : "der";
}

export function pemOf(label: string, bytes: Uint8Array): string {
  const lines = encodeBase64(bytes).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

interface Certificate {
  serial: Der;
  issuer: Der;
  notBefore: Date;
  notAfter: Date;
  subject: Der;
  publicKey: Der;
  version: number;
  extensions: Der | undefined;
}

export function certificateOf(der: Der): Certificate {
  const all = der.child(0).children;
  const version = all[0]?.tag === 0xa0 ? Number(all[0].child(0).integer) + 1 : 1;
  const [serial, , issuer, validity, subject, publicKey, ...rest] = all[0]?.tag === 0xa0 ? all.slice(1) : all;
  return {
    serial: serial!,
    issuer: issuer!,
    notBefore: validity!.child(0).time,
    notAfter: validity!.child(1).time,
    subject: subject!,
    publicKey: publicKey!,
    version,
    extensions: rest.find(({ tag }) => tag === 0xa3)?.child(0),
  };
}

/** The kind of a public key, and how many bits it has. */
export function keyFacts(key: Der): { key_size: number | null; key_type: string | null } {
  const algorithm = key.child(0).child(0).oid;
  if (algorithm === RSA) {
    const modulus = readDer(key.child(1).bits).child(0).integer;
    return { key_size: modulus.toString(2).length, key_type: "rsa" };
  }
  if (algorithm === EC) return { key_size: CURVES[key.child(0).child(1).oid] ?? null, key_type: "ec" };
  return { key_size: null, key_type: FIXED[algorithm] ?? null };
}

/** How the signature of something signed was made. */
export const signatureName = (der: Der) => SIGNATURES[der.child(1).child(0).oid] ?? der.child(1).child(0).oid;

/** The hash by which OpenSSL names files of certificates. */
function nameHash(context: JobContext, name: Der): string {
  return prettyHex(context.runtime.crypto.hash("sha1", name.whole).slice(0, 4).reverse());
}

/** Reads on in something whose outline is right. @throws {SaltInvocationError} if what is inside is not */
function reading<T>(der: Der, kind: Kind, read: (der: Der) => T): T {
  try {
    return read(der);
  } catch (error) {
    throw new SaltInvocationError(`Could not read the ${kind.name}: ${messageOf(error)}`);
  }
}

export function readCertificate(context: JobContext, source: unknown): Record<string, unknown> {
  return reading(load(context, source, CERTIFICATE), CERTIFICATE, (der) => certificateFacts(context, der));
}

function certificateFacts(context: JobContext, der: Der): Record<string, unknown> {
  const certificate = certificateOf(der);
  const { crypto } = context.runtime;
  const print = (name: "sha1" | "sha256" | "md5") => prettyHex(crypto.hash(name, der.whole));
  const { subject, issuer } = certificate;
  return {
    version: certificate.version,
    ...keyFacts(certificate.publicKey),
    serial_number: prettyHex(certificate.serial.integer),
    fingerprints: {
      sha1: print("sha1"),
      sha256: print("sha256"),
      ...(context.opts.fips_mode === true ? {} : { md5: print("md5") }),
    },
    subject: nameMap(subject),
    subject_hash: nameHash(context, subject),
    subject_str: nameText(subject),
    issuer: nameMap(issuer),
    issuer_hash: nameHash(context, issuer),
    issuer_str: nameText(issuer),
    not_before: timeText(certificate.notBefore),
    not_after: timeText(certificate.notAfter),
    public_key: pemOf("PUBLIC KEY", certificate.publicKey.whole),
    extensions: extensionsOf(certificate.extensions),
    signature_algorithm: signatureName(der),
  };
}

export function requestOf(der: Der): { subject: Der; publicKey: Der; extensions: Der | undefined } {
  const [, subject, publicKey, attributes] = der.child(0).children;
  const wanted = attributes?.children.find((attribute) => attribute.child(0).oid === EXTENSION_REQUEST);
  return { subject: subject!, publicKey: publicKey!, extensions: wanted?.child(1).child(0) };
}

/** All fields of a certificate signing request. */
export function readRequest(context: JobContext, source: unknown): Record<string, unknown> {
  return reading(load(context, source, REQUEST), REQUEST, (der) => requestFacts(context, der));
}

function requestFacts(context: JobContext, der: Der): Record<string, unknown> {
  const { subject, publicKey, extensions } = requestOf(der);
  return {
    ...keyFacts(publicKey),
    subject: nameMap(subject),
    subject_hash: nameHash(context, subject),
    subject_str: nameText(subject),
    public_key_hash: prettyHex(context.runtime.crypto.hash("sha1", publicKey.child(1).bits)),
    extensions: extensionsOf(extensions),
  };
}

/** All fields of a certificate revocation list. */
export function readRevocations(context: JobContext, source: unknown): Record<string, unknown> {
  return reading(load(context, source, REVOCATIONS), REVOCATIONS, revocationFacts);
}

/** What is in a list of revoked certificates. */
export function revocationsOf(der: Der): {
  issuer: Der;
  lastUpdate: Date;
  nextUpdate: Date | undefined;
  revoked: { serial: bigint; date: Date; shown: Der | undefined; extensions: Extension[] }[];
  shown: Der | undefined;
  extensions: Extension[];
} {
  const all = der.child(0).children;
  const [, issuer, last, ...rest] = all[0]?.tag === TAG.INTEGER ? all.slice(1) : all;
  const isTime = (element: Der | undefined) => element !== undefined && (element.tag === 0x17 || element.tag === 0x18);
  const next = isTime(rest[0]) ? rest.shift() : undefined;
  const entries = rest[0]?.tag === TAG.SEQUENCE ? rest[0].children : [];
  const shown = rest.find(({ tag }) => tag === 0xa0)?.child(0);
  return {
    issuer: issuer!,
    lastUpdate: last!.time,
    nextUpdate: next?.time,
    revoked: entries.map((entry) => ({
      serial: entry.child(0).integer,
      date: entry.child(1).time,
      shown: entry.children[2],
      extensions: extensionList(entry.children[2]),
    })),
    shown,
    extensions: extensionList(shown),
  };
}

function revocationFacts(der: Der): Record<string, unknown> {
  const { issuer, lastUpdate, nextUpdate, revoked, shown } = revocationsOf(der);
  return {
    issuer: nameMap(issuer),
    last_update: timeText(lastUpdate),
    next_update: nextUpdate === undefined ? null : timeText(nextUpdate),
    revoked_certificates: Object.fromEntries(revoked.map((entry) => [
      prettyHex(entry.serial).replaceAll(":", ""),
      { revocation_date: timeText(entry.date), extensions: entryExtensionsOf(entry.shown) },
    ])),
    extensions: extensionsOf(shown),
    signature_algorithm: signatureName(der),
  };
}
