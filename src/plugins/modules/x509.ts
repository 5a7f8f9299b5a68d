import type { JobContext } from "../../loader/context.ts";
import { CommandExecutionError, type ExecutionModule, SaltInvocationError } from "../../loader/family.ts";
import { str } from "../../python/repr.ts";
import { truthy } from "../../python/truth.ts";
import type { HashName } from "../../runtime/crypto.ts";
import { programPath, runAll } from "../commands.ts";
import { globPaths, isFile } from "../linux/paths.ts";
import { withOsErrors } from "../python_errors.ts";
import type { Der } from "./x509/der.ts";
import { commonName } from "./x509/names.ts";
import { pemEntry } from "./x509/pem.ts";
import {
  CERTIFICATE,
  certificateOf,
  keyFacts,
  load,
  pemOf,
  PUBLIC_KEY,
  readCertificate,
  readRequest,
  readRevocations,
  REQUEST,
  requestOf,
  REVOCATIONS,
  sourceBytes,
} from "./x509/read.ts";
import { temporaryFile } from "../temporary.ts";

type Args = Record<string, unknown>;

const DAY_MS = 86_400_000;

/** The hash that each kind of signature is made with. */
const SIGNATURE_HASHES: Record<string, HashName> = {
  "1.2.840.113549.1.1.4": "md5",
  "1.2.840.113549.1.1.5": "sha1",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.2.840.113549.1.1.14": "sha224",
  "1.2.840.10045.4.1": "sha1",
  "1.2.840.10045.4.3.1": "sha224",
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
};

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

/** Runs `use` with files that only we can read, and removes them. */
async function withFiles<T>(
  context: JobContext,
  contents: readonly (string | Uint8Array)[],
  use: (paths: string[]) => Promise<T>,
): Promise<T> {
  const paths: string[] = [];
  try {
    for (const content of contents) paths.push(temporaryFile(context.runtime, content));
    return await use(paths);
  } finally {
    for (const path of paths) context.runtime.fs.remove(path);
  }
}

async function openssl(context: JobContext, words: string[], env: Record<string, string> = {}) {
  if (programPath(context, "openssl") === undefined) {
    throw new CommandExecutionError("Only RSA keys can be used without the program openssl, which is not installed");
  }
  return await runAll(context, ["openssl", ...words], { env, ignore_retcode: true, rstrip: false });
}

/** The public half of a private key as PEM; undefined if it is not a private key, or the passphrase is wrong. */
async function publicHalf(context: JobContext, key: unknown, passphrase: unknown): Promise<string | undefined> {
  const { crypto } = context.runtime;
  const text = new TextDecoder().decode(sourceBytes(context, key));
  if (!text.includes("PRIVATE KEY-----")) return undefined;
  try {
    const pem = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?-----END [A-Z ]*PRIVATE KEY-----/.exec(text)?.[0] ?? text;
    return crypto.publicPem(crypto.loadPrivateKey(pem, passphrase === null ? undefined : str(passphrase)));
  } catch {
    // Not RSA, or it cannot be opened: openssl reports why.
  }
  return await withFiles(context, [text], async ([path]) => {
    const words = ["pkey", "-in", path!, "-pubout", "-passin", "env:BRINE_PASSPHRASE"];
    const { retcode, stdout } = await openssl(context, words, {
      BRINE_PASSPHRASE: passphrase === null ? "" : str(passphrase),
    });
    return retcode === 0 ? stdout : undefined;
  });
}

/** The result of a reader for a source; undefined if the source is of another kind. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof SaltInvocationError) return undefined;
    throw error;
  }
}

async function publicKey(context: JobContext, key: unknown, passphrase: unknown = null): Promise<Der> {
  const found = attempt(() => load(context, key, PUBLIC_KEY)) ??
    attempt(() => certificateOf(load(context, key, CERTIFICATE)).publicKey);
  if (found !== undefined) return found;
  const half = attempt(() => sourceBytes(context, key)) && await publicHalf(context, key, passphrase);
  if (half !== undefined) return load(context, half, PUBLIC_KEY);
  const request = attempt(() => requestOf(load(context, key, REQUEST)).publicKey);
  if (request !== undefined) return request;
  throw new CommandExecutionError("Could not load key as certificate, public key, private key or CSR");
}

const publicPem = (key: Der) => pemOf("PUBLIC KEY", key.whole);

/** True if something signed was signed with a key. */
async function isSigned(context: JobContext, signed: Der, key: Der): Promise<boolean> {
  const { crypto } = context.runtime;
  const [body, algorithm, signature] = [signed.child(0), signed.child(1).child(0).oid, signed.child(2)];
  const hash = SIGNATURE_HASHES[algorithm];
  const { key_type: type } = keyFacts(key);
  if (type === "rsa" && hash !== undefined) {
    return crypto.pkcs1Verify(hash, crypto.loadPublicKey(publicPem(key)), body.whole, signature.bits);
  }
  return await withFiles(context, [publicPem(key), body.whole, signature.bits], async ([pem, data, sign]) => {
    const words = hash === undefined
      ? ["pkeyutl", "-verify", "-pubin", "-inkey", pem!, "-rawin", "-in", data!, "-sigfile", sign!]
      : ["dgst", `-${hash}`, "-verify", pem!, "-signature", sign!, data!];
    return (await openssl(context, words)).retcode === 0;
  });
}

function writePem(context: JobContext, args: Args): string {
  const { fs } = context.runtime;
  const path = str(args.path);
  const entry = pemEntry(context, args.text, args.pem_type);
  const parts = [entry];
  if (args.pem_type === "CERTIFICATE" && !truthy(args.overwrite) && isFile(fs, path)) {
    // The key and the parameters that stand beside the certificate stay.
    const before = fs.readText(path);
    const key = attempt(() => pemEntry(context, before, "(?:RSA )?PRIVATE KEY"));
    const parameters = attempt(() => pemEntry(context, before, "DH PARAMETERS"));
    if (key !== undefined) parts.unshift(key);
    if (parameters !== undefined) parts.push(parameters);
  }
  withOsErrors(
    path,
    () => fs.writeAt(path, 0, new TextEncoder().encode(parts.join("")), { truncate: true, mode: 0o600 }),
  );
  return `PEM written to ${path}`;
}

/** The files that match a glob, each with the result of a reader. */
function byPath<T>(context: JobContext, pattern: unknown, make: (path: string) => T): Record<string, T> {
  const { fs } = context.runtime;
  const paths = globPaths(fs, str(pattern)).filter((path) => isFile(fs, path));
  return Object.fromEntries(paths.map((path) => [path, make(path)]));
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const SOURCE = "\n\nA certificate, key, request or list is given by its path, as PEM, or as DER in digits or base64.";

/** Certificates and keys: reading and verifying. */
export const module: ExecutionModule = {
  functions: {
    read_certificate: {
      signature: "certificate",
      doc: `Everything that a certificate says.${SOURCE}\n\n    salt '*' x509.read_certificate /etc/pki/mycert.crt`,
      run: (context, { certificate }) => readCertificate(context, certificate),
    },
    read_certificates: {
      signature: "glob_path",
      doc: "Everything that the certificates say which a pattern means.\n\n" +
        `    salt '*' x509.read_certificates "/etc/pki/*.crt"`,
      run: (context, { glob_path: pattern }) => byPath(context, pattern, (path) => readCertificate(context, path)),
    },
    read_csr: {
      signature: "csr",
      doc: `Everything that a request for a certificate says.${SOURCE}\n\n` +
        "    salt '*' x509.read_csr /etc/pki/mycert.csr",
      run: (context, { csr }) => readRequest(context, csr),
    },
    read_crl: {
      signature: "crl",
      doc: `Everything that a list of revoked certificates says.${SOURCE}\n\n` +
        "    salt '*' x509.read_crl /etc/pki/my.crl",
      run: (context, { crl }) => readRevocations(context, crl),
    },
    get_pem_entry: {
      signature: "text, pem_type=None",
      doc: "One entry of a PEM in its proper form.\n\n" +
        `    salt '*' x509.get_pem_entry "-----BEGIN CERTIFICATE REQUEST-----MIICyzCC..." 'CERTIFICATE REQUEST'`,
      run: (context, { text, pem_type: type }) => bytesOf(pemEntry(context, text, type)),
    },
    get_pem_entries: {
      signature: "glob_path",
      doc: "The entries of the files that a pattern means.\n\n" +
        `    salt '*' x509.get_pem_entries "/etc/pki/*.crt"`,
      run: (context, { glob_path: pattern }) =>
        byPath(context, pattern, (path) => bytesOf(pemEntry(context, path, null))),
    },
    write_pem: {
      signature: "text, path, overwrite=True, pem_type=None",
      doc: "Writes an entry of a PEM to a file for its owner alone.\n\n" +
        "    salt '*' x509.write_pem '-----BEGIN CERTIFICATE-----MIIGMzCCBBugA...' path=/etc/pki/mycert.crt",
      run: writePem,
    },
    get_public_key: {
      signature: "key, passphrase=None, asObj=None",
      doc: `The public key of a certificate, a request, or a private key, as PEM.${SOURCE}\n\n` +
        "    salt '*' x509.get_public_key /etc/pki/mycert.cer",
      run: async (context, { key, passphrase }) => publicPem(await publicKey(context, key, passphrase)),
    },
    get_private_key_size: {
      signature: "private_key, passphrase=None",
      doc: "How many bits a private key has; null for keys that are all alike.\n\n" +
        "    salt '*' x509.get_private_key_size /etc/pki/mycert.key",
      async run(context, { private_key: key, passphrase }) {
        const half = await publicHalf(context, key, passphrase);
        if (half === undefined) throw new SaltInvocationError("Could not load PEM-encoded private key");
        return keyFacts(load(context, half, PUBLIC_KEY)).key_size;
      },
    },
    verify_private_key: {
      signature: "private_key, public_key, passphrase=None",
      doc: "True if a private key belongs to a public key, or to that of a certificate.\n\n" +
        "    salt '*' x509.verify_private_key private_key=/etc/pki/myca.key public_key=/etc/pki/myca.crt",
      async run(context, { private_key: key, public_key: other, passphrase }) {
        const half = await publicHalf(context, key, passphrase);
        if (half === undefined) throw new SaltInvocationError("Could not load PEM-encoded private key");
        return publicPem(load(context, half, PUBLIC_KEY)) === publicPem(await publicKey(context, other));
      },
    },
    verify_signature: {
      signature: "certificate, signing_pub_key=None, signing_pub_key_passphrase=None",
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
    verify_crl: {
      signature: "crl, cert",
      doc: "True if a list of revoked certificates was signed with the key of a certificate.\n\n" +
        "    salt '*' x509.verify_crl crl=/etc/pki/myca.crl cert=/etc/pki/myca.crt",
      run: async (context, { crl, cert }) =>
        await isSigned(context, load(context, crl, REVOCATIONS), await publicKey(context, cert)),
    },
    expires: {
      signature: "certificate, days=0",
      doc: "True if a certificate is no longer valid, or will not be in so many days.\n\n" +
        "    salt '*' x509.expires /etc/pki/my.crt days=7",
      run: (context, { certificate, days }) => expires(context, certificate, days),
    },
    expired: {
      signature: "certificate",
      doc: "Whether a certificate is no longer valid, with its path and name.\n\n" +
        "    salt '*' x509.expired /etc/pki/mycert.crt",
      run: (context, { certificate }) => ({
        ...named(context, certificate),
        expired: expires(context, certificate, 0),
      }),
    },
    will_expire: {
      signature: "certificate, days",
      doc: "Whether a certificate will not be valid in so many days, with its path and name.\n\n" +
        "    salt '*' x509.will_expire /etc/pki/mycert.crt days=30",
      run: (context, { certificate, days }) => ({
        check_days: days,
        ...named(context, certificate),
        will_expire: expires(context, certificate, days),
      }),
    },
  },
};
