import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { exists } from "../../linux/paths.ts";
import { pythonError } from "../../python_errors.ts";
import { certificateBody, type CertificatePlan, requestBody } from "../x509/build.ts";
import { certificateBytes, loadCertificate } from "../x509/certificates.ts";
import { type Der, readDer } from "../x509/der.ts";
import { type Extension, extensionList } from "../x509/extensions.ts";
import { createExtension } from "../x509/extensions_build.ts";
import { builtName } from "../x509/name_build.ts";
import { loadPrivateKey, type PrivateKey, privatePem } from "../x509/private_keys.ts";
import { certificateOf, load, pemOf, REQUEST, requestOf } from "../x509/read.ts";
import { signed } from "../x509/sign.ts";
import type { Authority } from "./authority.ts";
import {
  addToIndex,
  authorityOf,
  basePath,
  makeAuthorityDirectory,
  newSerial,
  openAuthority,
  writeFile,
} from "./authority.ts";

const DAY_MS = 86_400_000;
const FORMER_VERSION = 4;

async function newKey(context: JobContext, bits: unknown): Promise<PrivateKey> {
  const { privatePem: pem } = await context.runtime.crypto.generateKeyPair(Number(bits));
  return (await loadPrivateKey(context, pem)).key;
}

function subjectOf({ C, ST, L, O, OU, CN, emailAddress }: Args): Uint8Array {
  const given = Object.entries({ C, ST, L, O, OU, CN, MAIL: emailAddress });
  return builtName(Object.fromEntries(
    given.filter(([, value]) => truthy(value ?? null)).map(([name, value]) => [
      name,
      str(value),
    ]),
  ));
}

interface Wanted {
  subject: Uint8Array;
  publicKey: Der;
  days: unknown;
  serial: bigint;
  extensions: Extension[];
  key: PrivateKey;
  /** The certificate that signs; undefined if it signs itself. */
  signer?: Der;
  digest: unknown;
}

async function certificateFor(context: JobContext, wanted: Wanted): Promise<Der> {
  const now = context.runtime.clock.now();
  const days = Number(wanted.days);
  if (!Number.isInteger(days)) throw pythonError("ValueError", `days must be a whole number, not ${str(wanted.days)}`);
  const plan: CertificatePlan = {
    serial: wanted.serial,
    publicKey: wanted.publicKey,
    subject: wanted.subject,
    issuer: wanted.signer === undefined ? wanted.subject : certificateOf(wanted.signer).subject.whole,
    notBefore: new Date(now),
    notAfter: new Date(now + days * DAY_MS),
    extensions: wanted.extensions,
    signingKey: wanted.key,
    privateKey: undefined,
    signer: wanted.signer,
  };
  return readDer(await signed(context, (algorithm) => certificateBody(plan, algorithm), wanted.key, wanted.digest));
}

const certificatePem = ({ whole }: Der) => pemOf("CERTIFICATE", whole);

/** Runs a condition: a command, or a value that is true or not. */
async function holds(context: JobContext, condition: unknown): Promise<boolean> {
  if (typeof condition !== "string") return truthy(condition);
  return await context.call("cmd.retcode", [condition]) === 0;
}

/** The key of an authority that is there; one that cannot be read is put aside. */
async function keptKey(context: JobContext, path: string, stamp: string): Promise<PrivateKey | undefined> {
  const { fs } = context.runtime;
  if (!exists(fs, path)) return undefined;
  try {
    return (await loadPrivateKey(context, path)).key;
  } catch {
    context.log.warning("the key of an authority cannot be read: it is renamed", { path });
    fs.rename(path, `${path}.unloadable.${stamp}`);
    return undefined;
  }
}

function selfExtensions(context: JobContext, key: PrivateKey, subject: Uint8Array, serial: bigint): Extension[] {
  const source = { context, subjectKey: key.publicKey, ownKey: key.publicKey };
  return [
    createExtension("basicConstraints", "critical, CA:TRUE, pathlen:0", source),
    createExtension("keyUsage", "critical, keyCertSign, cRLSign", source),
    createExtension("subjectKeyIdentifier", "hash", source),
    createExtension("authorityKeyIdentifier", { keyid: "always", issuer: "always" }, {
      ...source,
      ownName: { subject, serial },
    }),
  ];
}

export async function createCa(context: JobContext, args: Args): Promise<unknown> {
  const { onlyif, unless, replace, fixmode, bits, days, digest } = args;
  if (onlyif !== null && !await holds(context, onlyif)) return null;
  if (unless !== null && await holds(context, unless)) return null;
  const { fs, clock } = context.runtime;
  const authority = await authorityOf(context, args);
  if (!truthy(replace) && !truthy(fixmode) && await caExists(context, args)) {
    return `Certificate for CA named "${authority.name}" already exists`;
  }
  if (truthy(fixmode) && !exists(fs, authority.certificate)) {
    throw pythonError("ValueError", `${authority.certificate} does not exists, can't fix`);
  }
  makeAuthorityDirectory(context, authority.directory);
  const stamp = new Date(clock.now()).toISOString().slice(0, 19).replace(/[-T:]/g, "");
  const kept = await keptKey(context, authority.key, stamp);
  const key = kept ?? await newKey(context, bits);
  const subject = subjectOf(args);
  const serial = newSerial(context, authority.name);
  const extensions = selfExtensions(context, key, subject, serial);
  const certificate = await certificateFor(context, {
    subject,
    publicKey: key.publicKey,
    days,
    serial,
    extensions,
    key,
    digest,
  });
  if (kept === undefined) writeFile(context, authority.key, privatePem(key), 0o600);
  writeFile(context, authority.certificate, certificatePem(certificate), 0o644);
  addToIndex(context, authority, certificate);
  const file = authority.certificate.slice(authority.directory.length + 1, -4);
  return `Created Private Key: "${authority.key}" Created CA "${authority.name}": "${authority.directory}/${file}.crt"`;
}

/** Makes the certificate of an authority anew that has a version which there is none of. */
export async function fixVersion(context: JobContext, args: Args): Promise<null> {
  const authority = await authorityOf(context, args);
  const { certificate } = await loadCertificate(context, authority.certificate);
  const { version, notAfter, subject } = certificateOf(certificate);
  if (version !== FORMER_VERSION) return null;
  context.log.info("the certificate of an authority is created again", { path: authority.certificate });
  const days = Math.floor((notAfter.getTime() - context.runtime.clock.now()) / DAY_MS);
  const found = Object.fromEntries(
    subject.children.flatMap((part) => part.children).map((
      attribute,
    ) => [attribute.child(0).oid, attribute.child(1).text]),
  );
  await createCa(context, {
    ...args,
    bits: 2048,
    days,
    digest: "sha256",
    fixmode: true,
    replace: false,
    onlyif: null,
    unless: null,
    C: found["2.5.4.6"] ?? null,
    ST: found["2.5.4.8"] ?? null,
    L: found["2.5.4.7"] ?? null,
    O: found["2.5.4.10"] ?? null,
    OU: found["2.5.4.11"] ?? null,
    CN: found["2.5.4.3"] ?? null,
    emailAddress: found["1.2.840.113549.1.9.1"] ?? null,
  });
  return null;
}

export async function caExists(context: JobContext, args: Args): Promise<boolean> {
  const { certificate } = await authorityOf(context, args);
  if (!exists(context.runtime.fs, certificate)) return false;
  await fixVersion(context, args);
  return true;
}

type Uses = { csr: Record<string, unknown>; cert: Record<string, unknown> };

const USUAL: Record<string, Uses> = {
  common: {
    csr: { basicConstraints: "CA:FALSE" },
    cert: { authorityKeyIdentifier: "keyid,issuer:always", subjectKeyIdentifier: "hash" },
  },
  server: { csr: { extendedKeyUsage: "serverAuth", keyUsage: "digitalSignature, keyEncipherment" }, cert: {} },
  client: {
    csr: { extendedKeyUsage: "clientAuth", keyUsage: "nonRepudiation, digitalSignature, keyEncipherment" },
    cert: {},
  },
};

/** The extensions of a kind of certificate: those of pillar, or the usual ones. */
export async function extensionsFor(context: JobContext, given: unknown): Promise<Uses> {
  const kind = given === "" ? "server" : str(given);
  const ofKind = async (name: string): Promise<Uses> => {
    const found = await context.call("pillar.get", [`tls.extensions:${name}`, false]);
    if (!truthy(found)) {
      const usual = USUAL[name];
      if (usual !== undefined) return usual;
      throw new CommandExecutionError(`There are no extensions tls.extensions:${name} in pillar`);
    }
    const part = (use: string) => {
      const value = isMap(found) ? entriesOf(found).find(([key]) => key === use)?.[1] : undefined;
      return isMap(value) ? Object.fromEntries(entriesOf(value)) as Record<string, unknown> : {};
    };
    return { csr: part("csr"), cert: part("cert") };
  };
  const [common, own] = [await ofKind("common"), await ofKind(kind)];
  return { csr: { ...common.csr, ...own.csr }, cert: { ...common.cert, ...own.cert } };
}

export async function createCsr(context: JobContext, args: Args): Promise<string> {
  const { CN, cert_type: kind, type_ext, replace, bits, digest, subjectAltName: names } = args;
  const { fs } = context.runtime;
  const authority = await authorityOf(context, args);
  if (!await caExists(context, args)) {
    return `Certificate for CA named "${authority.name}" does not exist, please create it first.`;
  }
  const directory = truthy(args.csr_path) ? str(args.csr_path) : `${authority.directory}/certs/`;
  makeAuthorityDirectory(context, directory);
  const file = truthy(args.csr_filename)
    ? str(args.csr_filename)
    : `${str(CN)}${truthy(type_ext) ? `_${str(kind)}` : ""}`;
  const path = `${directory}/${file}.csr`;
  if (!truthy(replace) && exists(fs, path)) return `Certificate Request "${path}" already exists`;
  const key = await newKey(context, bits);
  const source = { context, subjectKey: key.publicKey };
  const wanted = Object.entries((await extensionsFor(context, kind)).csr);
  if (truthy(names)) wanted.push(["subjectAltName", [names].flat().map(str).join(", ")]);
  const extensions = wanted.map(([name, value]) => createExtension(name, value, source));
  const body = requestBody({ key, subject: subjectOf(args), extensions });
  const request = await signed(context, () => body, key, digest);
  writeFile(context, `${directory}/${file}.key`, privatePem(key), 0o600);
  writeFile(context, path, pemOf("CERTIFICATE REQUEST", request), 0o644);
  const shown = directory.endsWith("/") ? `${directory}${file}` : `${directory}/${file}`;
  return `Created Private Key: "${shown}.key" Created CSR for "${str(CN)}": "${shown}.csr"`;
}

/** The function `tls.create_self_signed_cert`. */
export async function createSelfSigned(context: JobContext, args: Args): Promise<string> {
  const base = await basePath(context, args.cacert_path);
  const name = str(args.tls_dir);
  const directory = `${base}/${name}/certs`;
  makeAuthorityDirectory(context, directory);
  const file = truthy(args.cert_filename) ? str(args.cert_filename) : str(args.CN);
  const path = `${directory}/${file}.crt`;
  if (!truthy(args.replace) && exists(context.runtime.fs, path)) return `Certificate "${file}" already exists`;
  const key = await newKey(context, args.bits);
  const certificate = await certificateFor(context, {
    subject: subjectOf(args),
    publicKey: key.publicKey,
    days: args.days,
    serial: newSerial(context, name),
    extensions: [],
    key,
    digest: args.digest,
  });
  writeFile(context, `${directory}/${file}.key`, privatePem(key), 0o600);
  writeFile(context, path, certificatePem(certificate), 0o644);
  const authority: Authority = { name, base, directory: `${base}/${name}`, certificate: path, key: "" };
  addToIndex(context, authority, certificate);
  return `Created Private Key: "${directory}/${file}.key" Created Certificate: "${path}"`;
}

/** The function `tls.create_ca_signed_cert`. */
export async function createSigned(context: JobContext, args: Args): Promise<unknown> {
  const { CN, cert_type: kind, type_ext, replace, days, digest } = args;
  const { fs } = context.runtime;
  const authority = await authorityOf(context, args);
  const directory = truthy(args.cert_path) ? str(args.cert_path) : `${authority.directory}/certs`;
  if (truthy(type_ext) && !truthy(kind)) {
    context.log.error("no certificate is written: type_ext needs cert_type");
    return {};
  }
  const named = `${str(CN)}${truthy(type_ext) ? `_${str(kind)}` : ""}`;
  const file = truthy(args.cert_filename) ? str(args.cert_filename) : named;
  if (!truthy(replace) && exists(fs, `${authority.directory}/certs/${file}.crt`)) {
    return `Certificate "${file}" already exists`;
  }
  const opened = await openAuthority(context, authority);
  if (opened === undefined) return { retcode: 1, comment: `There is no CA named "${authority.name}"` };
  const path = `${directory}/${named}.csr`;
  if (!exists(fs, path)) return { retcode: 1, comment: `There is no CSR that matches the CN "${file}"` };
  const request = requestOf(load(context, path, REQUEST));
  const certificate = await certificateFor(context, {
    subject: request.subject.whole,
    publicKey: request.publicKey,
    days,
    serial: newSerial(context, authority.name),
    extensions: extensionList(request.extensions),
    key: opened.key,
    signer: opened.certificate,
    digest,
  });
  writeFile(context, `${directory}/${file}.crt`, certificatePem(certificate), 0o644);
  addToIndex(context, authority, certificate);
  return `Created Certificate for "${str(CN)}": "${directory}/${file}.crt"`;
}

/** The function `tls.create_pkcs12`. */
export async function createPkcs12(context: JobContext, args: Args): Promise<string> {
  const { fs } = context.runtime;
  const authority = await authorityOf(context, args);
  const name = str(args.CN);
  const place = `${authority.directory}/certs/${name}`;
  if (!truthy(args.replace) && exists(fs, `${place}.p12`)) return `Certificate "${name}" already exists`;
  if (!exists(fs, authority.certificate)) return `There is no CA named "${authority.name}"`;
  if (!exists(fs, `${place}.crt`) || !exists(fs, `${place}.key`)) {
    return `There is no certificate that matches the CN "${name}"`;
  }
  const { certificate: ca } = await loadCertificate(context, authority.certificate);
  const { certificate } = await loadCertificate(context, `${place}.crt`);
  const { key } = await loadPrivateKey(context, `${place}.key`);
  const bytes = await certificateBytes(context, certificate, {
    encoding: "pkcs12",
    chain: [ca],
    key,
    passphrase: truthy(args.passphrase) ? str(args.passphrase) : null,
    friendlyName: name,
  });
  writeFile(context, `${place}.p12`, bytes, 0o600);
  return `Created PKCS#12 Certificate for "${name}": "${place}.p12"`;
}
