import * as fs from "node:fs";
import type { CallScenario } from "./scenario.ts";

/** Certificates, keys and what belongs to them; made by OpenSSL, for this table alone. */
const FILES: Record<string, string> = JSON.parse(
  fs.readFileSync(new URL("../../vectors/x509.json", import.meta.url), "utf8"),
);
const ONE_LINE = FILES["ec.crt"]!.trim().replaceAll("\n", "");

export const X509: CallScenario[] = [
  {
    name: "x509: reading",
    files: { ...FILES, text: "no certificate here" },
    calls: [
      ...["ca.crt", "leaf.crt", "ec.crt", "ed.crt", "old.crt"].map((name) => ["x509.read_certificate", `{D}/${name}`]),
      ["x509.read_certificate", FILES["ec.crt"]!],
      ["x509.read_certificate", "{D}/text"],
      ["x509.read_certificate", "{D}/none"],
      ["x509.read_certificate", "{D}/leaf.csr"],
      ["x509.read_certificate", "{D}/ca.crl"],
      ["x509.read_certificate", "not even a path!"],
      ["x509.read_certificate", "5"],
      ["x509.read_certificates", "{D}/e*.crt"],
      ["x509.read_csr", "{D}/leaf.csr"],
      ["x509.read_csr", "{D}/leaf.crt"],
      ["x509.read_crl", "{D}/ca.crl"],
      ["x509.read_crl", "{D}/leaf.crt"],
      ["x509.get_pem_entry", "{D}/ec.crt"],
      ["x509.get_pem_entry", "{D}/ec.crt", "CERTIFICATE"],
      ["x509.get_pem_entry", "{D}/ec.crt", "PRIVATE KEY"],
      ["x509.get_pem_entry", "{D}/text"],
      ["x509.get_pem_entry", ONE_LINE],
      ["x509.get_pem_entries", "{D}/e?.crt"],
      ["x509.write_pem", "{D}/ec.crt", "{D}/written.pem"],
      ["x509.write_pem", "{D}/ec.crt", "{D}/written.pem", "pem_type=CERTIFICATE"],
      ["x509.write_pem", "{D}/ec.crt", "{D}/leaf.key", "pem_type=CERTIFICATE", "overwrite=False"],
      ["x509.write_pem", "{D}/text", "{D}/written.pem"],
      ["x509.expires", "{D}/ec.crt"],
      ["x509.expires", "{D}/ec.crt", "days=100000"],
      ["x509.expired", "{D}/ec.crt"],
      ["x509.expired", "{D}/old.crt"],
      ["x509.expired", FILES["ec.crt"]!],
      ["x509.will_expire", "{D}/leaf.crt", "30"],
      ["x509.will_expire", "{D}/ca.crt", "100000"],
    ],
  },
  {
    name: "x509: keys and signatures",
    files: { ...FILES, text: "no key here" },
    calls: [
      ...["ca.crt", "leaf.csr", "leaf.key", "leaf.pub", "ec.key", "ed.key", "ed.crt", "text"].map((name) => [
        "x509.get_public_key",
        `{D}/${name}`,
      ]),
      ["x509.get_public_key", "{D}/enc.key", "passphrase=secret"],
      ["x509.get_public_key", "{D}/ecenc.key", "passphrase=secret"],
      ["x509.get_private_key_size", "{D}/leaf.key"],
      ["x509.get_private_key_size", "{D}/ec.key"],
      ["x509.get_private_key_size", "{D}/ed.key"],
      ["x509.get_private_key_size", "{D}/enc.key", "passphrase=secret"],
      ["x509.get_private_key_size", "{D}/leaf.crt"],
      ["x509.verify_private_key", "{D}/leaf.key", "{D}/leaf.crt"],
      ["x509.verify_private_key", "{D}/leaf.key", "{D}/ca.crt"],
      ["x509.verify_private_key", "{D}/ec.key", "{D}/ec.crt"],
      ["x509.verify_private_key", "{D}/ec.key", "{D}/leaf.crt"],
      ["x509.verify_signature", "{D}/ca.crt"],
      ["x509.verify_signature", "{D}/leaf.crt"],
      ["x509.verify_signature", "{D}/leaf.crt", "{D}/ca.crt"],
      ["x509.verify_signature", "{D}/leaf.crt", "{D}/ca.key"],
      ["x509.verify_signature", "{D}/leaf.crt", "{D}/ec.crt"],
      ["x509.verify_signature", "{D}/ec.crt"],
      ["x509.verify_signature", "{D}/ed.crt"],
      ["x509.verify_crl", "{D}/ca.crl", "{D}/ca.crt"],
      ["x509.verify_crl", "{D}/ca.crl", "{D}/leaf.crt"],
    ],
    programs: ["openssl"],
  },
];
