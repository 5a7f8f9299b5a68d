import { globPaths } from "../../model/config/glob_paths.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { str, truthy } from "../../language/python/values.ts";
import { isFile } from "../linux/paths.ts";
import { sameKey } from "./x509/build.ts";
import { CREATE } from "./x509/create.ts";
import type { Der } from "./x509/der.ts";
import { commonName } from "./x509/names.ts";
import { pemEntry } from "./x509/pem.ts";
import { loadPrivateKey, PassphraseError } from "./x509/private_keys.ts";
import {
  CERTIFICATE,
  certificateOf,
  load,
  pemOf,
  PUBLIC_KEY,
  readCertificate,
  readRequest,
  readRevocations,
  REQUEST,
  requestOf,
  REVOCATIONS,
} from "./x509/read.ts";
import { isSigned } from "./x509/sign.ts";
import { attemptPem, writePem } from "./x509/write_pem.ts";

const DAY_MS = 86_400_000;

/** True if a certificate has expired, or will expire within a number of days. */
function expires(context: JobContext, certificate: unknown, days: unknown): boolean {
  const { notAfter } = certificateOf(load(context, certificate, CERTIFICATE));
  return notAfter.getTime() <= context.runtime.clock.now() + Number(days) * DAY_MS;
}

/** Path and common name of a certificate, as far as there are any. */
function named(context: JobContext, certificate: unknown): Record<string, string> {
  const { subject } = certificateOf(load(context, certificate, CERTIFICATE));
  const name = commonName(subject);
  const path = typeof certificate === "string" && certificate !== "" && isFile(context.runtime.fs, certificate);
  return { ...(path ? { path: certificate } : {}), ...(name === undefined ? {} : { cn: name }) };
}

async function publicKey(context: JobContext, key: unknown, passphrase: unknown = null): Promise<Der> {
  const found = attemptPem(() => load(context, key, PUBLIC_KEY)) ??
    attemptPem(() => certificateOf(load(context, key, CERTIFICATE)).publicKey);
  if (found !== undefined) return found;
  try {
    return (await loadPrivateKey(context, key, passphrase)).key.publicKey;
  } catch (error) {
    if (error instanceof PassphraseError) throw new CommandExecutionError(error.message);
    if (!(error instanceof SaltInvocationError || error instanceof CommandExecutionError)) throw error;
  }
  const request = attemptPem(() => requestOf(load(context, key, REQUEST)).publicKey);
  if (request !== undefined) return request;
  throw new CommandExecutionError("Could not load key as certificate, public key, private key or CSR");
}

const publicPem = (key: Der) => pemOf("PUBLIC KEY", key.whole);

/** The files that match a glob, each with the result of a reader. */
function byPath<T>(context: JobContext, pattern: unknown, make: (path: string) => T): Record<string, T> {
  const { fs } = context.runtime;
  const paths = globPaths(fs, str(pattern)).filter((path) => isFile(fs, path));
  return Object.fromEntries(paths.map((path) => [path, make(path)]));
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const SOURCE = "\n\nA certificate, key, request or list is given by its path, as PEM, or as DER in digits or base64.";

/** Certificates, keys, requests and lists of revoked certificates: made, read and verified. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    ...CREATE,
    "read_certificate(certificate)": {
      doc: `Everything that a certificate says.${SOURCE}\n\n    salt '*' x509.read_certificate /etc/pki/mycert.crt`,
      run: (context, { certificate }) => readCertificate(context, certificate),
    },
    "read_certificates(glob_path)": {
      doc: "Everything that the certificates say which a pattern means.\n\n" +
        `    salt '*' x509.read_certificates "/etc/pki/*.crt"`,
      run: (context, { glob_path: pattern }) => byPath(context, pattern, (path) => readCertificate(context, path)),
    },
    "read_csr(csr)": {
      doc: `Everything that a request for a certificate says.${SOURCE}\n\n` +
        "    salt '*' x509.read_csr /etc/pki/mycert.csr",
      run: (context, { csr }) => readRequest(context, csr),
    },
    "read_crl(crl)": {
      doc: `Everything that a list of revoked certificates says.${SOURCE}\n\n` +
        "    salt '*' x509.read_crl /etc/pki/my.crl",
      run: (context, { crl }) => readRevocations(context, crl),
    },
    "get_pem_entry(text, pem_type=None)": {
      doc: "One entry of a PEM in its proper form.\n\n" +
        `    salt '*' x509.get_pem_entry "-----BEGIN CERTIFICATE REQUEST-----MIICyzCC..." 'CERTIFICATE REQUEST'`,
      run: (context, { text, pem_type: type }) => bytesOf(pemEntry(context, text, type)),
    },
    "get_pem_entries(glob_path)": {
      doc: "The entries of the files that a pattern means.\n\n" +
        `    salt '*' x509.get_pem_entries "/etc/pki/*.crt"`,
      run: (context, { glob_path: pattern }) =>
        byPath(context, pattern, (path) => bytesOf(pemEntry(context, path, null))),
    },
    "write_pem(text, path, overwrite=True, pem_type=None)": {
      doc: "Writes an entry of a PEM to a file for its owner alone.\n\n" +
        "    salt '*' x509.write_pem '-----BEGIN CERTIFICATE-----MIIGMzCCBBugA...' path=/etc/pki/mycert.crt",
      run: writePem,
    },
    "get_public_key(key, passphrase=None, asObj=None)": {
      doc: `The public key of a certificate, a request, or a private key, as PEM.${SOURCE}\n\n` +
        "    salt '*' x509.get_public_key /etc/pki/mycert.cer",
      run: async (context, { key, passphrase }) => publicPem(await publicKey(context, key, passphrase)),
    },
    "get_private_key_size(private_key, passphrase=None)": {
      doc: "How many bits a private key has; null for keys that are all alike.\n\n" +
        "    salt '*' x509.get_private_key_size /etc/pki/mycert.key",
      async run(context, { private_key: key, passphrase }) {
        return (await loadPrivateKey(context, key, passphrase)).key.size;
      },
    },
    "verify_private_key(private_key, public_key, passphrase=None)": {
      doc: "True if a private key belongs to a public key, or to that of a certificate.\n\n" +
        "    salt '*' x509.verify_private_key private_key=/etc/pki/myca.key public_key=/etc/pki/myca.crt",
      async run(context, { private_key: key, public_key: other, passphrase }) {
        const { key: opened } = await loadPrivateKey(context, key, passphrase);
        return sameKey(opened.publicKey, await publicKey(context, other));
      },
    },
    "verify_signature(certificate, signing_pub_key=None, signing_pub_key_passphrase=None)": {
      doc: "True if a certificate was signed with a key; without one, with its own.\n\n" +
        "    salt '*' x509.verify_signature /etc/pki/mycert.pem signing_pub_key=/etc/pki/myca.crt",
      async run(context, { certificate, signing_pub_key: signer, signing_pub_key_passphrase: passphrase }) {
        const der = load(context, certificate, CERTIFICATE);
        return await isSigned(
          context,
          der,
          await publicKey(context, truthy(signer) ? signer : certificate, passphrase),
        );
      },
    },
    "verify_crl(crl, cert)": {
      doc: "True if a list of revoked certificates was signed with the key of a certificate.\n\n" +
        "    salt '*' x509.verify_crl crl=/etc/pki/myca.crl cert=/etc/pki/myca.crt",
      run: async (context, { crl, cert }) =>
        await isSigned(context, load(context, crl, REVOCATIONS), await publicKey(context, cert)),
    },
    "expires(certificate, days=0)": {
      doc: "True if a certificate is no longer valid, or will not be in so many days.\n\n" +
        "    salt '*' x509.expires /etc/pki/my.crt days=7",
      run: (context, { certificate, days }) => expires(context, certificate, days),
    },
    "expired(certificate)": {
      doc: "Whether a certificate is no longer valid, with its path and name.\n\n" +
        "    salt '*' x509.expired /etc/pki/mycert.crt",
      run: (context, { certificate }) => ({
        ...named(context, certificate),
        expired: expires(context, certificate, 0),
      }),
    },
    "will_expire(certificate, days)": {
      doc: "Whether a certificate will not be valid in so many days, with its path and name.\n\n" +
        "    salt '*' x509.will_expire /etc/pki/mycert.crt days=30",
      run: (context, { certificate, days }) => ({
        check_days: days,
        ...named(context, certificate),
        will_expire: expires(context, certificate, days),
      }),
    },
  }),
};
