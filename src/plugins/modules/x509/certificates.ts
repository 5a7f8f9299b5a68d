import { hex } from "../../../protocol/crypto/hex.ts";
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { latin1 } from "../../bytes.ts";
import { type Der, readDer, TAG } from "./der.ts";
import { derInteger, derSequence, derSet, explicit, oid } from "./der_write.ts";
import { opensslBytes, withFiles } from "./openssl.ts";
import { openPkcs12, passphraseText, pkcs12Protection, type PrivateKey, privatePem } from "./private_keys.ts";
import { CERTIFICATE, certificateOf, parsedDer, pemBlocks, pemOf, sourceBytes } from "./read.ts";
import { isSigned } from "./sign.ts";

export const CERTIFICATE_ENCODINGS = ["der", "pem", "pkcs7_der", "pkcs7_pem", "pkcs12"] as const;
export type CertificateEncoding = typeof CERTIFICATE_ENCODINGS[number];

/** A certificate as it was found, with those that came with it. */
export interface LoadedCertificate {
  certificate: Der;
  encoding: CertificateEncoding;
  chain: Der[];
  /** What it is called within PKCS#12. */
  friendlyName?: string;
}

/** It is no certificate at all. */
export class NoCertificateError extends SaltInvocationError {}

const SIGNED_DATA = "1.2.840.113549.1.7.2";
const DATA = "1.2.840.113549.1.7.1";
/** Certificates of a bundle that are looked at: each is compared with each. */
const MOST_OF_BUNDLE = 64;

const certificateIn = (bytes: Uint8Array, complaint: string): Der => {
  try {
    return parsedDer(bytes, CERTIFICATE, complaint);
  } catch {
    throw new NoCertificateError(complaint);
  }
};

/** The certificates of a PKCS#7 bundle; undefined if it is none. */
function bundleOf(bytes: Uint8Array): Der[] | undefined {
  try {
    const [type, content] = readDer(bytes).children;
    if (type?.tag !== TAG.OID || type.oid !== SIGNED_DATA || content === undefined) return undefined;
    const certificates = content.child(0).children.find(({ tag }) => tag === 0xa0)?.children ?? [];
    return certificates.map(({ whole }) => certificateIn(whole, CERTIFICATE.notDer));
  } catch {
    return undefined;
  }
}

const fingerprint = (context: JobContext, { whole }: Der) => hex(context.runtime.crypto.hash("sha256", whole));

/** The order of a bundle: a certificate that signed none of the others, then who signed it, and so on. */
async function ordered(context: JobContext, bundle: Der[]): Promise<Der[]> {
  if (bundle.length > MOST_OF_BUNDLE) {
    throw new NoCertificateError(`More than ${MOST_OF_BUNDLE} certificates in one bundle`);
  }
  const all = [...bundle].sort((a, b) => fingerprint(context, a) < fingerprint(context, b) ? -1 : 1);
  const issuerOf = new Map<Der, Der>();
  for (const one of all) {
    for (const other of all) {
      const { issuer } = certificateOf(one);
      const { subject, publicKey } = certificateOf(other);
      if (other === one || hex(issuer.whole) !== hex(subject.whole)) continue;
      if (!issuerOf.has(one) && await isSigned(context, one, publicKey)) issuerOf.set(one, other);
    }
  }
  const issuers = new Set(issuerOf.values());
  const pathFrom = (start: Der) => {
    const path = [start];
    for (let at = issuerOf.get(start); at !== undefined && !path.includes(at); at = issuerOf.get(at)) path.push(at);
    return path;
  };
  const leaves = all.filter((one) => !issuers.has(one));
  if (leaves.length === 0) throw new NoCertificateError("Certificate bundle did not contain a single leaf certificate");
  const [longest = []] = leaves.map(pathFrom).sort((a, b) => b.length - a.length);
  return [...longest, ...all.filter((one) => !longest.includes(one))];
}

async function fromBundle(
  context: JobContext,
  bundle: Der[],
  encoding: CertificateEncoding,
): Promise<LoadedCertificate> {
  const [certificate, ...chain] = await ordered(context, bundle);
  if (certificate === undefined) throw new NoCertificateError("There is no certificate in this PKCS#7 blob");
  return { certificate, encoding, chain };
}

async function fromPem(context: JobContext, text: string): Promise<LoadedCertificate> {
  const [first, ...others] = pemBlocks(text);
  if (first?.label === "PKCS7") {
    const bundle = bundleOf(first.bytes);
    if (bundle === undefined) throw new NoCertificateError("Could not load PEM-encoded PKCS#7 blob");
    return await fromBundle(context, bundle, "pkcs7_pem");
  }
  const complaint = "Could not load PEM-encoded certificate.";
  if (first === undefined || !CERTIFICATE.label.test(first.label)) throw new NoCertificateError(complaint);
  const certificate = certificateIn(first.bytes, complaint);
  const chain = others.filter(({ label }) => CERTIFICATE.label.test(label)).flatMap(({ bytes }) => {
    try {
      return [certificateIn(bytes, complaint)];
    } catch {
      return [];
    }
  });
  return { certificate, encoding: "pem", chain };
}

/** The certificates that openssl shows of a PKCS#12 file: that of the key is the one with a `localKeyID`. */
function fromPkcs12(text: string): LoadedCertificate | undefined {
  const bags = text.split(/(?<=-----END [A-Z ]+-----\n)/).flatMap((part) => {
    const [block] = pemBlocks(part);
    if (block?.label !== "CERTIFICATE") return [];
    const name = /^ {4}friendlyName: (.*)$/m.exec(part)?.[1];
    return [{ bytes: block.bytes, name, own: part.includes("localKeyID:") }];
  });
  const own = bags.find(({ own }) => own) ?? bags[0];
  if (own === undefined) return undefined;
  return {
    certificate: certificateIn(own.bytes, CERTIFICATE.notDer),
    encoding: "pkcs12",
    chain: bags.filter((bag) => bag !== own).map(({ bytes }) => certificateIn(bytes, CERTIFICATE.notDer)),
    ...(own.name === undefined ? {} : { friendlyName: own.name }),
  };
}

/**
 * Opens a certificate: its path, PEM, or DER in digits or base64; alone, or in PKCS#7 or PKCS#12.
 *
 * @throws {PassphraseError} if the passphrase of PKCS#12 does not fit
 * @throws {NoCertificateError} if it is no certificate
 */
export async function loadCertificate(
  context: JobContext,
  source: unknown,
  passphrase: unknown = null,
): Promise<LoadedCertificate> {
  const bytes = sourceBytes(context, source);
  const text = latin1(bytes);
  if (text.includes("-----BEGIN")) return await fromPem(context, text);
  try {
    return { certificate: certificateIn(bytes, CERTIFICATE.notDer), encoding: "der", chain: [] };
  } catch (error) {
    if (!(error instanceof NoCertificateError)) throw error;
  }
  const bundle = bundleOf(bytes);
  if (bundle !== undefined) return await fromBundle(context, bundle, "pkcs7_der");
  if (isPkcs12(bytes)) {
    const found = fromPkcs12(await openPkcs12(context, bytes, passphrase));
    if (found !== undefined) return found;
  }
  throw new NoCertificateError(CERTIFICATE.notDer);
}

function isPkcs12(bytes: Uint8Array): boolean {
  try {
    const [version, content] = readDer(bytes).children;
    return version?.tag === TAG.INTEGER && version.integer === 3n && content?.tag === TAG.SEQUENCE;
  } catch {
    return false;
  }
}

/** PKCS#7 with certificates and nothing else. */
function bundleBytes(certificates: readonly Der[]): Uint8Array {
  const content = derSequence(
    derInteger(1),
    derSet(),
    derSequence(oid(DATA)),
    // As a SET OF, under a tag of its own.
    explicit(0, readDer(derSet(...certificates.map(({ whole }) => whole))).content),
    derSet(),
  );
  return derSequence(oid(SIGNED_DATA), explicit(0, content));
}

interface CertificateEncodingOptions {
  encoding: CertificateEncoding;
  chain: readonly Der[];
  /** Of PKCS#12. */
  key?: PrivateKey;
  passphrase?: unknown;
  compatible?: boolean;
  friendlyName?: string;
}

/** A certificate in the encoding that is asked for. */
export async function certificateBytes(
  context: JobContext,
  certificate: Der,
  options: CertificateEncodingOptions,
): Promise<Uint8Array> {
  const { encoding, chain } = options;
  const ascii = (text: string) => new TextEncoder().encode(text);
  if (encoding === "der") return certificate.whole;
  if (encoding === "pem") {
    return ascii([certificate, ...chain].map(({ whole }) => pemOf("CERTIFICATE", whole)).join("\n"));
  }
  if (encoding === "pkcs12") return await pkcs12Bytes(context, certificate, options);
  const bundle = bundleBytes([certificate, ...chain]);
  return encoding === "pkcs7_der" ? bundle : ascii(pemOf("PKCS7", bundle));
}

async function pkcs12Bytes(
  context: JobContext,
  certificate: Der,
  { chain, key, passphrase, compatible = false, friendlyName }: CertificateEncodingOptions,
): Promise<Uint8Array> {
  if (key === undefined) throw new CommandExecutionError("PKCS#12 needs the private key of the certificate");
  const password = passphraseText(passphrase);
  const pem = (list: readonly Der[]) => list.map(({ whole }) => pemOf("CERTIFICATE", whole)).join("");
  return await withFiles(
    context,
    [privatePem(key), pem([certificate]), pem(chain)],
    ([keyFile, own, others]) =>
      opensslBytes(
        context,
        [
          "pkcs12",
          "-export",
          "-inkey",
          keyFile!,
          "-in",
          own!,
          ...(chain.length === 0 ? [] : ["-certfile", others!]),
          ...(friendlyName === undefined ? [] : ["-name", friendlyName]),
          ...pkcs12Protection(password, compatible),
        ],
        password === undefined ? {} : { passphrase: password },
      ),
  );
}

/** PEM or DER of something that has no other encodings. */
export function encodedBytes(label: string, bytes: Uint8Array, encoding: string): Uint8Array {
  return encoding === "der" ? bytes : new TextEncoder().encode(pemOf(label, bytes));
}
