import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { pythonError } from "../../python_errors.ts";
import { loadCertificate } from "./certificates.ts";
import type { Der } from "./der.ts";
import { certificateTime, derInteger, derSequence, derSet, explicit, oid } from "./der_write.ts";
import {
  CERTIFICATE_EXTENSIONS,
  createExtension,
  ENTRY_EXTENSIONS,
  extensionBytes,
  extensionOid,
  parseTime,
  REQUEST_FORBIDDEN,
  REVOCATION_EXTENSIONS,
} from "./extensions_build.ts";
import { type Extension, extensionList } from "./extensions.ts";
import { builtName } from "./name_build.ts";
import { loadPrivateKey, type PrivateKey } from "./private_keys.ts";
import { certificateOf, keyFacts, load, PUBLIC_KEY, REQUEST, requestOf } from "./read.ts";
import { ATTRIBUTES } from "./names.ts";

export type Kwargs = Record<string, unknown>;

const DAY_MS = 86_400_000;
const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";
const EARLIEST = Date.UTC(1950, 0, 1);

export interface CertificatePlan {
  serial: bigint;
  publicKey: Der;
  subject: Uint8Array;
  issuer: Uint8Array;
  notBefore: Date;
  notAfter: Date;
  extensions: Extension[];
  /** The key that signs; undefined where only the plan is asked for. */
  signingKey: PrivateKey | undefined;
  /** The private key of the certificate itself, as far as it was given. */
  privateKey: PrivateKey | undefined;
  /** The certificate that signs; undefined if it signs itself. */
  signer: Der | undefined;
}

/** True if two public keys are the same; notations of one do not count. */
export function sameKey(a: Der, b: Der): boolean {
  const [x, y] = [a, b].map((key) => [keyFacts(key).key_type, key.child(1).bits.join()].join());
  return x === y;
}

/** A random serial number of 159 bits. */
function randomSerial(context: JobContext): bigint {
  const bytes = context.runtime.crypto.randomBytes(20);
  const value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return value >> 1n;
}

/** A serial number as it is given: a number, bytes, or digits with colons. @throws {CommandExecutionError} */
function serialNumber(given: unknown): bigint {
  if (typeof given === "number" && Number.isInteger(given)) return BigInt(given);
  if (typeof given === "bigint") return given;
  const digits = typeof given === "string"
    ? given.replaceAll(":", "")
    : given instanceof Uint8Array
    ? Array.from(given, (byte) => byte.toString(16).padStart(2, "0")).join("")
    : undefined;
  if (digits === undefined || digits.length > 1000 || !/^(?:[0-9a-fA-F]{2}\s*)*$/.test(digits)) {
    throw new CommandExecutionError(`Could not parse serial number ${str(given)}`);
  }
  return BigInt(`0x0${digits.replace(/\s/g, "")}`);
}

const given = (value: unknown): boolean => value !== undefined && value !== null;

/** The subject: the one that is given, or the attributes that stand among the arguments. */
function subjectOf(subject: unknown, kwargs: Kwargs): Uint8Array {
  if (truthy(subject ?? null)) return builtName(subject);
  return builtName(Object.fromEntries(Object.entries(kwargs).filter(([key]) => Object.hasOwn(ATTRIBUTES, key))));
}

function validity(context: JobContext, { not_before, not_after, days_valid }: Kwargs): { from: Date; to: Date } {
  const now = context.runtime.clock.now();
  const from = given(not_before) ? parseTime(not_before, "Invalid date format in param `not_before`: ") : new Date(now);
  const days = given(days_valid) ? Number(days_valid) : 30;
  if (!Number.isFinite(days)) throw new SaltInvocationError(`days_valid must be a number, not ${str(days_valid)}`);
  const to = given(not_after)
    ? parseTime(not_after, "Invalid date format in param `not_after`: ")
    : new Date(now + days * DAY_MS);
  if (Number.isNaN(to.getTime()) || to.getUTCFullYear() > 9999) {
    throw pythonError("OverflowError", "date value out of range");
  }
  if (from.getTime() < EARLIEST) {
    throw pythonError("ValueError", "The not valid before date must be on or after 1950 January 1).");
  }
  if (to < from) throw pythonError("ValueError", "The not valid after date must be after the not valid before date.");
  return { from, to };
}

/** The key that a certificate is for, and its private half as far as it is known. */
async function subjectKey(
  context: JobContext,
  kwargs: Kwargs,
  request: Der | undefined,
): Promise<{ publicKey: Der; privateKey?: PrivateKey }> {
  const { private_key, private_key_passphrase, public_key } = kwargs;
  if (truthy(private_key ?? null)) {
    const { key } = await loadPrivateKey(context, private_key, private_key_passphrase);
    return { publicKey: key.publicKey, privateKey: key };
  }
  if (truthy(public_key ?? null)) return { publicKey: load(context, public_key, PUBLIC_KEY) };
  if (request !== undefined) return { publicKey: requestOf(request).publicKey };
  throw new SaltInvocationError(
    "This certificate is not self-signed (signing_cert is set) and thus needs public_key, private_key or csr to " +
      "derive public key to sign",
  );
}

/** The extensions that arguments name, then those of the request that it may have a say in. */
function certificateExtensions(
  context: JobContext,
  kwargs: Kwargs,
  plan: { publicKey: Der; signer: Der | undefined; ownKey: Der | undefined },
  request: Der | undefined,
): Extension[] {
  const { publicKey, signer, ownKey } = plan;
  const source = {
    context,
    subjectKey: publicKey,
    ...(signer === undefined ? {} : { signer }),
    ...(ownKey === undefined ? {} : { ownKey }),
  };
  const named = CERTIFICATE_EXTENSIONS.filter((name) => given(kwargs[name]));
  const extensions = named.map((name) => createExtension(name, kwargs[name], source));
  if (request === undefined) return extensions;
  const requested = extensionList(requestOf(request).extensions);
  for (const name of CERTIFICATE_EXTENSIONS) {
    if (named.includes(name) || REQUEST_FORBIDDEN.includes(name)) continue;
    const found = requested.find(({ oid }) => oid === extensionOid(name));
    if (found !== undefined) extensions.push(found);
  }
  return extensions;
}

/**
 * Plans a certificate.
 *
 * @param options `withoutKey`: the signing key is elsewhere, and the plan is to be compared only
 * @throws {SaltInvocationError} or {@link CommandExecutionError} in Salt's words
 */
export async function planCertificate(
  context: JobContext,
  kwargs: Kwargs,
  { withoutKey = false } = {},
): Promise<CertificatePlan> {
  const signingKey = withoutKey
    ? undefined
    : (await loadPrivateKey(context, kwargs.signing_private_key, kwargs.signing_private_key_passphrase)).key;
  const serial = given(kwargs.serial_number) ? serialNumber(kwargs.serial_number) : randomSerial(context);
  const request = truthy(kwargs.csr ?? null) ? load(context, kwargs.csr, REQUEST) : undefined;
  const signer = truthy(kwargs.signing_cert ?? null)
    ? (await loadCertificate(context, kwargs.signing_cert)).certificate
    : undefined;
  if (signer === undefined && signingKey === undefined) {
    throw new SaltInvocationError("A certificate without signing_cert needs signing_private_key");
  }
  const own = signer === undefined
    ? { publicKey: signingKey!.publicKey, privateKey: signingKey! }
    : await subjectKey(context, kwargs, request);
  const { publicKey, privateKey } = own;
  if (
    signer !== undefined && signingKey !== undefined && !sameKey(certificateOf(signer).publicKey, signingKey.publicKey)
  ) {
    throw new SaltInvocationError("Signing private key does not match the certificate's public key");
  }
  const subject = subjectOf(kwargs.subject, kwargs);
  const { from, to } = validity(context, kwargs);
  const ownKey = signer === undefined ? publicKey : undefined;
  return {
    serial,
    publicKey,
    subject,
    issuer: signer === undefined ? subject : certificateOf(signer).subject.whole,
    notBefore: from,
    notAfter: to,
    extensions: certificateExtensions(context, kwargs, { publicKey, signer, ownKey }, request),
    signingKey,
    privateKey,
    signer,
  };
}

/** The part of a certificate that is signed. */
export function certificateBody(plan: CertificatePlan, algorithm: Uint8Array): Uint8Array {
  return derSequence(
    explicit(0, derInteger(2)),
    derInteger(plan.serial),
    algorithm,
    plan.issuer,
    derSequence(certificateTime(plan.notBefore), certificateTime(plan.notAfter)),
    plan.subject,
    plan.publicKey.whole,
    ...(plan.extensions.length === 0 ? [] : [explicit(3, derSequence(...plan.extensions.map(extensionBytes)))]),
  );
}

export interface RequestPlan {
  key: PrivateKey;
  subject: Uint8Array;
  extensions: Extension[];
}

export async function planRequest(context: JobContext, kwargs: Kwargs): Promise<RequestPlan> {
  const { key } = await loadPrivateKey(context, kwargs.private_key, kwargs.private_key_passphrase);
  const names = CERTIFICATE_EXTENSIONS.filter((name) => !REQUEST_FORBIDDEN.includes(name) && given(kwargs[name]));
  return {
    key,
    subject: subjectOf(kwargs.subject, kwargs),
    extensions: names.map((name) => createExtension(name, kwargs[name], { context, subjectKey: key.publicKey })),
  };
}

/** The part of a request that is signed. */
export function requestBody({ key, subject, extensions }: RequestPlan): Uint8Array {
  const wanted = extensions.length === 0
    ? []
    : [derSequence(oid(EXTENSION_REQUEST), derSet(derSequence(...extensions.map(extensionBytes))))];
  return derSequence(derInteger(0), subject, key.publicKey.whole, explicit(0, ...wanted));
}

/** An entry of a list of revoked certificates. */
interface Revocation {
  serial: bigint;
  date: Date;
  extensions: Extension[];
}

/** A list of revoked certificates before it is signed. */
export interface RevocationPlan {
  key: PrivateKey;
  issuer: Uint8Array;
  lastUpdate: Date;
  nextUpdate: Date;
  revoked: Revocation[];
  extensions: Extension[];
}

/** One revoked certificate as a map; Salt also takes a map of a name and a list of maps. */
export function revokedEntries(revoked: unknown): Kwargs[] {
  return [revoked].flat().map((entry) => {
    if (!isMap(entry)) throw new SaltInvocationError(`Expected a map of a revoked certificate, got ${str(entry)}`);
    const fields = Object.fromEntries(entriesOf(entry)) as Kwargs;
    const [only, ...more] = Object.values(fields);
    const plain = more.length === 0 && Array.isArray(only)
      ? Object.assign({}, ...only.map((item) => isMap(item) ? Object.fromEntries(entriesOf(item)) : {})) as Kwargs
      : fields;
    const { reason, ...rest } = plain;
    if (reason === undefined) return plain;
    const extensions = isMap(rest.extensions) ? Object.fromEntries(entriesOf(rest.extensions)) : {};
    return { ...rest, extensions: { ...extensions, CRLReason: reason } };
  });
}

async function revocation(
  context: JobContext,
  entry: Kwargs,
  includeExpired: boolean,
): Promise<Revocation | undefined> {
  let serial = entry.serial_number;
  let notAfter = given(entry.not_after)
    ? parseTime(entry.not_after, "Invalid date format in param `not_after`: ")
    : undefined;
  if (entry.certificate !== undefined) {
    const certificate = certificateOf((await loadCertificate(context, entry.certificate)).certificate);
    serial = certificate.serial.integer;
    notAfter = certificate.notAfter;
  }
  if (!truthy(serial ?? null)) throw new SaltInvocationError("Need serial_number or certificate");
  const now = context.runtime.clock.now();
  const value = serialNumber(serial);
  if (notAfter !== undefined && !includeExpired && now > notAfter.getTime()) return undefined;
  const date = given(entry.revocation_date)
    ? parseTime(entry.revocation_date, "Invalid date format in param `revocation_date`: ")
    : new Date(now);
  const wanted = isMap(entry.extensions) ? entriesOf(entry.extensions) : [];
  const extensions = wanted.filter(([name]) => isKnown(context, "CRL entry", ENTRY_EXTENSIONS, str(name)))
    .map(([name, it]) => createExtension(str(name), it, { context }));
  return { serial: value, date, extensions };
}

function isKnown(context: JobContext, what: string, known: readonly string[], name: string): boolean {
  if (known.includes(name)) return true;
  context.log.warning("unknown extension ignored", { of: what, extension: name });
  return false;
}

export async function planRevocations(context: JobContext, kwargs: Kwargs): Promise<RevocationPlan> {
  const signer = (await loadCertificate(context, kwargs.signing_cert)).certificate;
  const { key } = await loadPrivateKey(context, kwargs.signing_private_key, kwargs.signing_private_key_passphrase);
  const { publicKey, subject } = certificateOf(signer);
  if (!sameKey(publicKey, key.publicKey)) {
    throw new SaltInvocationError("Signing private key does not match the certificate's public key");
  }
  const now = context.runtime.clock.now();
  const revoked: Revocation[] = [];
  for (const entry of kwargs.revoked as Kwargs[]) {
    const found = await revocation(context, entry, truthy(kwargs.include_expired ?? false));
    if (found !== undefined) revoked.push(found);
  }
  const wanted = isMap(kwargs.extensions) ? entriesOf(kwargs.extensions) : [];
  return {
    key,
    issuer: subject.whole,
    lastUpdate: new Date(now),
    nextUpdate: new Date(now + Number(kwargs.days_valid) * DAY_MS),
    revoked,
    extensions: wanted.filter(([name]) => isKnown(context, "CRL", REVOCATION_EXTENSIONS, str(name)))
      .map(([name, it]) => createExtension(str(name), it, { context, signer })),
  };
}

/** The part of a list of revoked certificates that is signed. */
export function revocationsBody(plan: RevocationPlan, algorithm: Uint8Array): Uint8Array {
  const entries = plan.revoked.map(({ serial, date, extensions }) =>
    derSequence(
      derInteger(serial),
      certificateTime(date),
      ...(extensions.length === 0 ? [] : [derSequence(...extensions.map(extensionBytes))]),
    )
  );
  return derSequence(
    derInteger(1),
    algorithm,
    plan.issuer,
    certificateTime(plan.lastUpdate),
    certificateTime(plan.nextUpdate),
    ...(entries.length === 0 ? [] : [derSequence(...entries)]),
    ...(plan.extensions.length === 0 ? [] : [explicit(0, derSequence(...plan.extensions.map(extensionBytes)))]),
  );
}
