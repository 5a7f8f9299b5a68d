import { CommandExecutionError, executionFunction, type JobContext } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { strftime } from "../../../language/python/strftime.ts";
import { exists, isDirectory } from "../../linux/paths.ts";
import { pythonError, withOsErrors } from "../../python_errors.ts";
import { type RevocationPlan, revocationsBody } from "../x509/build.ts";
import { loadCertificate } from "../x509/certificates.ts";
import { type Der, prettyHex } from "../x509/der.ts";
import { openssl, opensslText, withFiles } from "../x509/openssl.ts";
import { withShortNames } from "../x509/policies.ts";
import type { PrivateKey } from "../x509/private_keys.ts";
import { certificateOf, pemOf, signatureName } from "../x509/read.ts";
import { signed } from "../x509/sign.ts";
import type { Authority } from "./authority.ts";
import { authorityOf, indexEntry, indexLines, nameParts, openAuthority, shortTime, writeFile } from "./authority.ts";
import { replaceContent } from "../../host_files.ts";

const DAY_MS = 86_400_000;
const CRL_DAYS = 36_500;
const DIGESTS = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"] as const;
const SHORT_TIME = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;

async function needCertificate(context: JobContext, cert: unknown): Promise<Der> {
  try {
    return (await loadCertificate(context, cert)).certificate;
  } catch {
    throw new CommandExecutionError(`Failed to read cert from ${str(cert)}, see log for details`);
  }
}

export const expirationDate = executionFunction({
  signature: "cert, date_format: str='%Y-%m-%d'",
  doc: "When a certificate ends.\n\n    salt '*' tls.get_expiration_date /path/to/foo.crt",
  async run(context, { cert, date_format }): Promise<string> {
    const { notAfter } = certificateOf(await needCertificate(context, cert));
    // The formatter shows the time of this host; the moment is shifted so that it reads as UTC.
    return strftime(new Date(notAfter.getTime() + notAfter.getTimezoneOffset() * 60_000), date_format);
  },
});

/** The list of what the index of an authority says is revoked. */
async function revocations(
  context: JobContext,
  authority: Authority,
  { certificate, key }: { certificate: Der; key: PrivateKey },
  options: { digest: unknown; isEmpty?: boolean },
): Promise<string> {
  const now = context.runtime.clock.now();
  const lines = options.isEmpty === true ? [] : indexLines(context, `${authority.directory}/index.txt`);
  const revoked = lines.filter((line) => line.startsWith("R")).flatMap((line) => {
    const [, , date = "", serial = ""] = line.split("\t");
    const time = dateOf(date);
    if (time === undefined || !/^[0-9A-F]{1,64}$/i.test(serial)) return [];
    return [{ serial: BigInt(`0x${serial}`), date: time, extensions: [] }];
  });
  const plan: RevocationPlan = {
    key,
    issuer: certificateOf(certificate).subject.whole,
    lastUpdate: new Date(now),
    nextUpdate: new Date(now + CRL_DAYS * DAY_MS),
    revoked,
    extensions: [],
  };
  const digest = DIGESTS.find((name) => name === str(options.digest).toLowerCase()) ?? "sha256";
  return pemOf("X509 CRL", await signed(context, (algorithm) => revocationsBody(plan, algorithm), key, digest));
}

function dateOf(text: string): Date | undefined {
  const found = SHORT_TIME.exec(text)?.slice(1).map(Number);
  if (found === undefined) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found;
  const whole = year < 69 ? 2000 + year : 1900 + year;
  const time = new Date(Date.UTC(whole, month - 1, day, hour, minute, second));
  return time.getUTCMonth() === month - 1 && time.getUTCDate() === day ? time : undefined;
}

export async function createEmptyCrl(context: JobContext, args: Args): Promise<string> {
  const authority = await authorityOf(context, args);
  const file = truthy(args.crl_file) ? str(args.crl_file) : `${authority.directory}/crl.pem`;
  if (exists(context.runtime.fs, file)) return `CRL "${file}" already exists`;
  const opened = await openAuthority(context, authority);
  if (opened === undefined) return `There is no CA named "${authority.name}"`;
  const text = await revocations(context, authority, opened, { digest: args.digest, isEmpty: true });
  writeFile(context, file, text, 0o644);
  return `Created an empty CRL: "${file}"`;
}

export async function revokeCert(context: JobContext, args: Args): Promise<unknown> {
  const { fs, clock } = context.runtime;
  const authority = await authorityOf(context, args);
  const name = str(args.CN);
  const place = `${args.cert_path === null ? `${authority.directory}/certs` : str(args.cert_path)}/${
    args.cert_filename === null ? name : str(args.cert_filename)
  }.crt`;
  const opened = await openAuthority(context, authority);
  if (opened === undefined) return `There is no CA named "${authority.name}"`;
  if (!exists(fs, place)) return `There is no client certificate named "${name}"`;
  const { certificate } = await loadCertificate(context, place);
  const { file, expires, serial, subject } = indexEntry(authority, certificate);
  const own = `${serial}\tunknown\t${subject}`;
  const lines = withOsErrors(file, () => fs.readText(file)).split(/(?<=\n)/);
  const at = lines.findIndex((line) => line.endsWith(own));
  const [status, , date = ""] = lines[at]?.split("\t") ?? [];
  if (status === "R") {
    if (dateOf(date) !== undefined) return `"${place}" was already revoked, serial number: ${serial}`;
    return { retcode: 1, comment: `Revocation date '${date}' does not matchformat '%y%m%d%H%M%SZ'` };
  }
  if (at >= 0) {
    lines[at] = `R\t${expires}\t${shortTime(new Date(clock.now()))}\t${own}`;
    withOsErrors(file, () => replaceContent({ fs }, file, lines.join("")));
  }
  const list = args.crl_file === null ? `${authority.directory}/crl.pem` : str(args.crl_file);
  if (isDirectory(fs, list)) return { retcode: 1, comment: `crl_file "${list}" is an existing directory` };
  writeFile(context, list, await revocations(context, authority, opened, { digest: args.digest }), 0o644);
  return `Revoked Certificate: "${place}", serial number: ${serial}`;
}

export const validate = executionFunction({
  signature: "cert, ca_name, crl_file",
  doc: "Whether a certificate is valid, and signed by an authority, and not revoked.\n\n" +
    "    salt '*' tls.validate /etc/pki/koji/certs/web.crt koji None",
  async run(context, args): Promise<unknown> {
    const certificate = await needCertificate(context, args.cert);
    const authority = await authorityOf(context, args);
    const { certificate: ca } = await loadCertificate(context, authority.certificate);
    const pem = ({ whole }: Der) => pemOf("CERTIFICATE", whole);
    let crl: string;
    if (args.crl_file === null) {
      const opened = await openAuthority(context, authority);
      if (opened === undefined) return { valid: false, error: "Empty CRL requested but CA key missing or invalid" };
      crl = await revocations(context, authority, opened, { digest: "sha256" });
    } else {
      const path = str(args.crl_file);
      crl = withOsErrors(path, () => context.runtime.fs.readText(path));
    }
    return await withFiles(context, [pem(ca), crl, pem(certificate)], async ([caFile, crlFile, file]) => {
      const words = ["verify", "-CAfile", caFile!, "-CRLfile", crlFile!, "-crl_check_all", file!];
      const { retcode, stderr } = await openssl(context, words);
      if (retcode === 0) return { valid: true };
      const error = /error \d+ at \d+ depth lookup: ?(.*)/.exec(stderr)?.[1] ?? stderr.trim();
      return { error, error_cert: pem(certificate), valid: false };
    });
  },
});

/** The extensions of a certificate as OpenSSL shows them, by their short names. */
async function shownExtensions(context: JobContext, certificate: Der): Promise<Record<string, string>> {
  const hidden =
    "no_header,no_version,no_serial,no_signame,no_validity,no_subject,no_issuer,no_pubkey,no_sigdump,no_aux";
  const text = await opensslText(context, ["x509", "-noout", "-text", "-certopt", hidden], {
    stdin: pemOf("CERTIFICATE", certificate.whole),
  });
  const found: Record<string, string> = {};
  for (const part of text.split(/\n(?= {12}\S)/)) {
    const [, name, body] = /^ {12}(\S[^:]*):(?: critical)?[^\S\n]*\n([^]*)$/.exec(part) ?? [];
    if (name === undefined) continue;
    const [short = name] = Object.keys(withShortNames({ [name]: "" }));
    found[short] = body!.split("\n").map((line) => line.replace(/^ {16}/, "")).join("\n").trim();
  }
  return found;
}

export const certInfo = executionFunction({
  signature: "cert, digest: str='sha256'",
  doc: "What a certificate says.\n\n    salt '*' tls.cert_info /path/to/web.crt",
  async run(context, args): Promise<unknown> {
    const { certificate } = await loadCertificate(context, args.cert);
    const { issuer, subject, serial, notBefore, notAfter } = certificateOf(certificate);
    const digest = DIGESTS.find((name) => name === args.digest.toLowerCase());
    if (digest === undefined) throw pythonError("ValueError", "No such digest method");
    const extensions = await shownExtensions(context, certificate);
    const names = extensions.subjectAltName?.split(", ").filter((name) => /^(?:DNS|IP Address):/.test(name));
    return {
      fingerprint: prettyHex(context.runtime.crypto.hash(digest, certificate.whole)),
      subject: Object.fromEntries(nameParts(subject)),
      issuer: Object.fromEntries(nameParts(issuer)),
      serial_number: serial.integer,
      not_before: Math.floor(notBefore.getTime() / 1000),
      not_after: Math.floor(notAfter.getTime() / 1000),
      extensions,
      ...(names === undefined ? {} : { subject_alt_names: names.map((name) => name.slice(name.indexOf(":") + 1)) }),
      signature_algorithm: signatureName(certificate),
    };
  },
});
