import {
  CommandExecutionError,
  executionFunction,
  executionFunctions,
  type JobContext,
  SaltInvocationError,
} from "../../../model/loader/family.ts";
import { encodeBase64 } from "../../../language/python/binascii.ts";
import { repr, str, truthy } from "../../../language/python/values.ts";
import { join } from "../../../language/python/posixpath.ts";
import { isFile } from "../../linux/paths.ts";
import { withOsErrors } from "../../python_errors.ts";
import {
  certificateBody,
  type Kwargs,
  planCertificate,
  planRequest,
  planRevocations,
  requestBody,
  revocationsBody,
  revokedEntries,
} from "./build.ts";
import type { CertificateEncoding } from "./certificates.ts";
import { CERTIFICATE_ENCODINGS, certificateBytes, encodedBytes, loadCertificate } from "./certificates.ts";
import { type Der, readDer } from "./der.ts";
import { commonName } from "./names.ts";
import { ownPolicy, signForMinion, signingPolicy, signRemotely, withPolicy, withShortNames } from "./policies.ts";
import type { KeyEncoding, PrivateKey } from "./private_keys.ts";
import { generatePrivateKey, loadPrivateKey, passphraseText, privateKeyBytes } from "./private_keys.ts";
import { certificateOf, load, pemOf, PUBLIC_KEY, REQUEST, REVOCATIONS } from "./read.ts";
import { digestName, signed } from "./sign.ts";
import { writePem } from "./write_pem.ts";

const KEY_ENCODINGS = ["der", "pem", "pkcs12"];
const PLAIN_ENCODINGS = ["der", "pem"];
/** Days that Salt 3006 makes things valid for where nothing else is asked for. */
const CERTIFICATE_DAYS = 365;
const REVOCATIONS_DAYS = 100;

function checkEncoding(encoding: unknown, valid: readonly string[]): void {
  if (!valid.includes(str(encoding))) {
    throw new CommandExecutionError(`Invalid value '${str(encoding)}' for encoding. Valid: ${valid.join(", ")}`);
  }
}

/** Checks the arguments of a request, or of a list of revoked certificates. @throws for those that none can be made of */
export function checkPlain({ encoding, digest }: Kwargs): void {
  checkEncoding(encoding, PLAIN_ENCODINGS);
  digestName(digest);
}

/** The same of a certificate, but for its encoding; a signing policy may have what is missing. */
export function checkCertificate({ digest, ca_server, signing_policy, ...args }: Kwargs): void {
  digestName(digest);
  if (signing_policy !== null) return;
  if (truthy(ca_server)) {
    throw new SaltInvocationError("signing_policy must be specified to request a certificate from a remote ca_server");
  }
  if ((args.signing_private_key ?? null) === null) {
    throw new SaltInvocationError("Creating a certificate locally at least requires a signing private key.");
  }
}

/** Arguments that stand for nothing here: those of publications, and those of former releases. */
const own = (kwargs: Kwargs): Kwargs =>
  Object.fromEntries(Object.entries(kwargs).filter(([name]) => !name.startsWith("__pub_")));

function refuseUnknown(kwargs: Kwargs, known: readonly string[]): void {
  const unknown = Object.keys(kwargs).filter((name) => !name.startsWith("_") && !known.includes(name));
  if (unknown.length > 0) throw new SaltInvocationError(`Unrecognized keyword arguments: ${repr(unknown)}`);
}

interface Output {
  bytes: Uint8Array;
  encoding: string;
  path: unknown;
  raw: unknown;
}

/** Writes what was made, or returns it: PEM as text, DER in base64, bytes if they are asked for. */
function delivered(
  context: JobContext,
  { bytes, encoding, path, raw }: Output,
  { what, pemType, mode, overwrite = true }: { what: string; pemType: string; mode: number; overwrite?: boolean },
): unknown {
  const isPem = encoding === "pem" || encoding === "pkcs7_pem";
  if (path === null || path === undefined) {
    if (truthy(raw)) return bytes;
    return isPem ? new TextDecoder().decode(bytes) : encodeBase64(bytes);
  }
  const name = str(path);
  if (encoding === "pem") {
    return writePem(context, { text: new TextDecoder().decode(bytes), path: name, overwrite, pem_type: pemType });
  }
  withOsErrors(name, () => context.runtime.fs.writeAt(name, 0, bytes, { truncate: true, mode }));
  return `${what} written to ${name}`;
}

async function deliveredKey(context: JobContext, key: PrivateKey, args: Kwargs): Promise<unknown> {
  const passphrase = passphraseText(args.passphrase);
  const encoding = str(args.encoding) as KeyEncoding;
  const bytes = await privateKeyBytes(context, key, {
    encoding,
    ...(passphrase === undefined ? {} : { passphrase }),
    compatible: truthy(args.pkcs12_encryption_compat),
  });
  return delivered(context, { bytes, encoding, path: args.path, raw: args.raw }, {
    what: "File",
    pemType: "(?:(RSA|ENCRYPTED) )?PRIVATE KEY",
    mode: 0o600,
  });
}

/** What has no encodings but PEM and DER. */
function deliveredPlain(context: JobContext, label: string, bytes: Uint8Array, args: Kwargs): unknown {
  const encoding = str(args.encoding);
  const what = label === "X509 CRL" ? "CRL" : "CSR";
  return delivered(context, {
    bytes: encodedBytes(label, bytes, encoding),
    encoding,
    path: args.path,
    raw: args.raw,
  }, { what, pemType: label, mode: 0o644 });
}

/** Makes a certificate with a key of this host. */
async function createLocally(
  context: JobContext,
  { digest = "sha256", copypath, prepend_cn, ...kwargs }: Kwargs,
): Promise<{ certificate: Der; privateKey: PrivateKey | undefined }> {
  const plan = await planCertificate(context, kwargs);
  const certificate = readDer(
    await signed(context, (algorithm) => certificateBody(plan, algorithm), plan.signingKey!, digest),
  );
  if (truthy(copypath ?? null)) {
    const name = truthy(prepend_cn ?? false) ? commonName(certificateOf(certificate).subject) : undefined;
    const file = `${name === undefined ? "" : `${name.replaceAll("/", "_")}-`}${plan.serial.toString(16)}.crt`;
    const text = pemOf("CERTIFICATE", certificate.whole);
    writePem(context, { text, path: join(str(copypath), file), overwrite: true, pem_type: "CERTIFICATE" });
  }
  return { certificate, privateKey: plan.privateKey };
}

async function createRemotely(
  context: JobContext,
  server: unknown,
  policy: unknown,
  { private_key, private_key_passphrase, ...kwargs }: Kwargs,
): Promise<{ certificate: Der; privateKey: PrivateKey | undefined }> {
  const asked = { ...kwargs };
  let privateKey: PrivateKey | undefined;
  if (truthy(private_key ?? null)) {
    privateKey = (await loadPrivateKey(context, private_key, private_key_passphrase)).key;
    asked.public_key = privateKey.publicKey.whole;
  } else if (truthy(asked.public_key ?? null)) {
    asked.public_key = load(context, asked.public_key, PUBLIC_KEY).whole;
  }
  if (truthy(asked.csr ?? null)) asked.csr = load(context, asked.csr, REQUEST).whole;
  const answer = await signRemotely(context, server, policy, asked);
  try {
    return { certificate: (await loadCertificate(context, answer)).certificate, privateKey };
  } catch {
    throw new CommandExecutionError(`ca_server did not return a certificate: ${str(answer)}`);
  }
}

function checkCertificateEncoding(encoding: unknown, append: unknown): void {
  checkEncoding(encoding, CERTIFICATE_ENCODINGS);
  if (encoding === "der" && truthy(append)) throw new SaltInvocationError("Cannot encode a certificate chain in DER");
}

/** The arguments of a certificate as they are used, with Salt's defaults. */
function certificateKwargs(args: Kwargs): Kwargs {
  const { algorithm, text: _, version: __, serial_bits: ___, ...rest } = own(args.kwargs as Kwargs);
  const kwargs = withShortNames({ ...rest, ...(algorithm === undefined ? {} : { digest: algorithm }) });
  if (!("days_valid" in kwargs) && !("not_after" in kwargs)) kwargs.days_valid = CERTIFICATE_DAYS;
  return kwargs;
}

async function deliveredCertificate(
  context: JobContext,
  { certificate, privateKey }: { certificate: Der; privateKey: PrivateKey | undefined },
  args: Kwargs,
): Promise<unknown> {
  const encoding = str(args.encoding) as CertificateEncoding;
  if (encoding === "pkcs12" && privateKey === undefined) {
    throw new SaltInvocationError("Creating a PKCS12-encoded certificate without embedded private key is unsupported");
  }
  const chain: Der[] = [];
  for (const one of [args.append_certs ?? []].flat()) chain.push((await loadCertificate(context, one)).certificate);
  const bytes = await certificateBytes(context, certificate, {
    encoding,
    chain,
    ...(privateKey === undefined ? {} : { key: privateKey }),
    passphrase: args.pkcs12_passphrase,
    compatible: truthy(args.pkcs12_encryption_compat),
    ...(truthy(args.pkcs12_friendlyname) ? { friendlyName: str(args.pkcs12_friendlyname) } : {}),
  });
  return delivered(context, { bytes, encoding, path: args.path, raw: args.raw }, {
    what: "Certificate",
    pemType: "CERTIFICATE",
    mode: encoding === "pkcs12" ? 0o600 : 0o644,
    overwrite: truthy(args.overwrite ?? true),
  });
}

const encodePlain = (what: "crl" | "csr") => (context: JobContext, args: Kwargs) => {
  checkEncoding(args.encoding, PLAIN_ENCODINGS);
  const [kind, label] = what === "crl" ? [REVOCATIONS, "X509 CRL"] as const : [REQUEST, "CERTIFICATE REQUEST"] as const;
  return deliveredPlain(context, label, load(context, args[what], kind).whole, { ...args, path: null });
};

const OUTPUT = "\n\nencoding: pem or der. path: writes it there. raw: returns bytes";
const EXTENSIONS =
  "\n\nkwargs: attributes of the subject such as CN, O, C, unless subject has them; extensions such as " +
  "basicConstraints, keyUsage, subjectAltName, each as OpenSSL's configuration has it, as a list or as a map";

/** The functions that make keys, requests, certificates and lists of revoked ones. */
export const CREATE = executionFunctions({
  create_private_key: executionFunction({
    signature: `algo='rsa', keysize=None, passphrase=None, encoding='pem', pkcs12_encryption_compat=False,
        path=None, raw=False, **kwargs`,
    doc: "Makes a private key.\n\n    salt '*' x509.create_private_key algo=ec keysize=384\n\n" +
      "algo: rsa, ec, ed25519 or ed448. encoding: pem, der or pkcs12",
    async run(context, args): Promise<unknown> {
      const { bits, ...kwargs } = args.kwargs;
      refuseUnknown(kwargs, ["cipher", "verbose", "text"]);
      checkEncoding(args.encoding, KEY_ENCODINGS);
      const key = await generatePrivateKey(context, args.algo, bits ?? args.keysize);
      return await deliveredKey(context, key, args);
    },
  }),
  encode_private_key: executionFunction({
    signature: `private_key, encoding='pem', passphrase=None, private_key_passphrase=None,
        pkcs12_encryption_compat=False, raw=False`,
    doc: "A private key in another encoding, or with another passphrase.\n\n" +
      "    salt '*' x509.encode_private_key /etc/pki/my.key der",
    async run(context, args): Promise<unknown> {
      checkEncoding(args.encoding, KEY_ENCODINGS);
      const { key } = await loadPrivateKey(context, args.private_key, args.private_key_passphrase);
      return await deliveredKey(context, key, { ...args, path: null });
    },
  }),
  create_csr: executionFunction({
    signature:
      "private_key, private_key_passphrase=None, digest='sha256', encoding='pem', path=None, raw=False, **kwargs",
    doc: "Makes a request for a certificate.\n\n" +
      `    salt '*' x509.create_csr private_key=/etc/pki/my.key CN=www.example.com${EXTENSIONS}${OUTPUT}`,
    async run(context, args): Promise<unknown> {
      const { algorithm, ...kwargs } = args.kwargs;
      checkEncoding(args.encoding, PLAIN_ENCODINGS);
      const digest = digestName(algorithm ?? args.digest);
      const { private_key, private_key_passphrase, path, raw } = args;
      const plan = await planRequest(context, { ...withShortNames(kwargs), private_key, private_key_passphrase });
      const bytes = await signed(context, () => requestBody(plan), plan.key, digest);
      return deliveredPlain(context, "CERTIFICATE REQUEST", bytes, { encoding: args.encoding, path, raw });
    },
  }),
  "encode_csr(csr, encoding='pem', raw=False)": {
    doc: "A request for a certificate in another encoding.\n\n    salt '*' x509.encode_csr /etc/pki/my.csr der",
    run: encodePlain("csr"),
  },
  create_crl: executionFunction({
    signature: `signing_private_key, revoked, signing_cert, signing_private_key_passphrase=None,
        include_expired=False, days_valid=None, digest='sha256', encoding='pem', extensions=None, path=None,
        raw=False, **kwargs`,
    doc: "Makes a list of revoked certificates.\n\n" +
      "    salt '*' x509.create_crl signing_private_key=/etc/pki/ca.key signing_cert=/etc/pki/ca.crt " +
      `revoked="[{serial_number: 'D8:21'}]"${OUTPUT}`,
    async run(context, args): Promise<unknown> {
      refuseUnknown(args.kwargs, ["text"]);
      checkEncoding(args.encoding, PLAIN_ENCODINGS);
      const digest = digestName(args.digest);
      const plan = await planRevocations(context, {
        ...args,
        revoked: revokedEntries(args.revoked),
        days_valid: args.days_valid ?? REVOCATIONS_DAYS,
      });
      const bytes = await signed(context, (algorithm) => revocationsBody(plan, algorithm), plan.key, digest);
      return deliveredPlain(context, "X509 CRL", bytes, args);
    },
  }),
  "encode_crl(crl, encoding='pem', raw=False)": {
    doc: "A list of revoked certificates in another encoding.\n\n    salt '*' x509.encode_crl /etc/pki/my.crl der",
    run: encodePlain("crl"),
  },
  create_certificate: executionFunction({
    signature: `ca_server=None, signing_policy=None, encoding='pem', append_certs=None, pkcs12_passphrase=None,
        pkcs12_encryption_compat=False, pkcs12_friendlyname=None, path=None, overwrite=True, raw=False, **kwargs`,
    doc: "Makes a certificate: signed with signing_private_key of this host, or by the minion ca_server.\n\n" +
      "    salt '*' x509.create_certificate signing_private_key=/etc/pki/my.key CN=www.example.com\n\n" +
      "Without signing_cert it signs itself. public_key, private_key or csr say whose it is." +
      `${EXTENSIONS}\n\nencoding: pem, der, pkcs7_pem, pkcs7_der or pkcs12`,
    async run(context, args): Promise<unknown> {
      const { ca_server: server, signing_policy: policy, encoding, append_certs: append, path } = args;
      const kwargs = certificateKwargs(args);
      checkCertificateEncoding(encoding, null);
      digestName(kwargs.digest ?? "sha256");
      checkCertificateEncoding(encoding, append);
      if (!("signing_private_key" in kwargs) && !truthy(server)) {
        throw new SaltInvocationError("Creating a certificate locally at least requires a signing private key.");
      }
      if (truthy(path) && !truthy(args.overwrite) && isFile(context.runtime.fs, str(path))) {
        return `The file at ${str(path)} exists and overwrite was set to false`;
      }
      if (truthy(server) && policy === null) {
        throw new SaltInvocationError(
          "signing_policy must be specified to request a certificate from a remote ca_server",
        );
      }
      let made: { certificate: Der; privateKey: PrivateKey | undefined };
      if (truthy(server)) made = await createRemotely(context, server, policy, kwargs);
      else {
        const merged = withPolicy(await ownPolicy(context, policy), kwargs);
        if (encoding === "pkcs12" && !("private_key" in merged) && "signing_cert" in merged) {
          throw new SaltInvocationError(
            "Creating a PKCS12-encoded certificate without embedded private key is unsupported",
          );
        }
        made = await createLocally(context, merged);
      }
      return await deliveredCertificate(context, made, args);
    },
  }),
  encode_certificate: executionFunction({
    signature: `certificate, encoding='pem', append_certs=None, private_key=None, private_key_passphrase=None,
        pkcs12_passphrase=None, pkcs12_encryption_compat=False, pkcs12_friendlyname=None, raw=False`,
    doc: "A certificate in another encoding.\n\n    salt '*' x509.encode_certificate /etc/pki/my.crt der",
    async run(context, args): Promise<unknown> {
      const { encoding, append_certs: append, private_key: key } = args;
      checkCertificateEncoding(encoding, append);
      if (encoding !== "pkcs12" && truthy(key)) {
        throw new SaltInvocationError("Embedding private keys is only supported for pkcs12 encoding");
      }
      if (encoding === "pkcs12" && !truthy(key)) {
        throw new SaltInvocationError(
          "Creating a PKCS12-encoded certificate without embedded private key is unsupported",
        );
      }
      const { certificate } = await loadCertificate(context, args.certificate);
      const privateKey = truthy(key)
        ? (await loadPrivateKey(context, key, args.private_key_passphrase)).key
        : undefined;
      return await deliveredCertificate(context, { certificate, privateKey }, { ...args, path: null });
    },
  }),
  "get_signing_policy(signing_policy, ca_server=None)": {
    doc: "A signing policy of this minion, or of the minion that signs.\n\n" +
      "    salt '*' x509.get_signing_policy www",
    run: (context, { signing_policy, ca_server }) => signingPolicy(context, signing_policy, ca_server),
  },
  "sign_remote_certificate(signing_policy, kwargs, get_signing_policy_only=False, **more_kwargs)": {
    doc:
      "Signs a certificate for another minion, by a signing policy. Minions call it; the master's option peer must " +
      "allow them to.",
    run(context, args) {
      const { signing_policy, kwargs, get_signing_policy_only } = args;
      const id = args.more_kwargs.__pub_id;
      return signForMinion(context, { signing_policy, kwargs, get_signing_policy_only, id }, async (asked) => {
        const days = "days_valid" in asked || "not_after" in asked ? {} : { days_valid: 30 };
        return (await createLocally(context, { ...asked, ...days })).certificate.whole;
      });
    },
  },
});
