import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { authorityOf, basePath, pathOrText } from "./tls/authority.ts";
import {
  caExists,
  createCa,
  createCsr,
  createPkcs12,
  createSelfSigned,
  createSigned,
  extensionsFor,
  fixVersion,
} from "./tls/create.ts";
import { certInfo, createEmptyCrl, expirationDate, revokeCert, validate } from "./tls/verify.ts";

const SUBJECT = "CN='localhost', C='US', ST='Utah', L='Salt Lake City', O='SaltStack', OU=None, emailAddress=None";
const WHERE = "\n\ncacert_path: the directory of authorities, otherwise the option ca.cert_base_path (/etc/pki)";

/** A file of a certificate that an authority signed. */
const signedFile = (ending: "crt" | "key", argument: string, complaint: string) =>
async (
  context: JobContext,
  args: Args,
) => {
  const { directory } = await authorityOf(context, args);
  const file = truthy(args[argument]) ? str(args[argument]) : str(args.CN);
  return pathOrText(context, `${directory}/certs/${file}.${ending}`, args.as_text, `${complaint} ${str(args.CN)}`);
};

/** Certificate authorities in directories of this host. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "cert_base_path(cacert_path=None)": {
      doc: `The directory of authorities.\n\n    salt '*' tls.cert_base_path${WHERE}`,
      run: (context, args) => basePath(context, args.cacert_path),
    },
    "set_ca_path(cacert_path)": {
      doc: "The directory that a call with this cacert_path would use. It holds for no other call.\n\n" +
        "    salt '*' tls.set_ca_path /etc/certs",
      run: (context, args) => basePath(context, args.cacert_path),
    },
    "maybe_fix_ssl_version(ca_name, cacert_path=None, ca_filename=None)": {
      doc: "Makes the certificate of an authority anew if it has a version that there is none of.\n\n" +
        `    salt '*' tls.maybe_fix_ssl_version test_ca${WHERE}`,
      run: fixVersion,
    },
    "ca_exists(ca_name, cacert_path=None, ca_filename=None)": {
      doc: `True if there is an authority of that name.\n\n    salt '*' tls.ca_exists test_ca${WHERE}`,
      run: caExists,
    },
    "get_ca(ca_name, as_text=False, cacert_path=None)": {
      doc: `The path of the certificate of an authority, or its text.\n\n    salt '*' tls.get_ca test_ca${WHERE}`,
      async run(context, args) {
        const { certificate, name } = await authorityOf(context, args);
        return pathOrText(context, certificate, args.as_text, `Certificate does not exist for ${name}`);
      },
    },
    "get_ca_signed_cert(ca_name, CN='localhost', as_text=False, cacert_path=None, cert_filename=None)": {
      doc: "The path of a certificate that an authority signed, or its text.\n\n" +
        `    salt '*' tls.get_ca_signed_cert test_ca CN=localhost as_text=False${WHERE}`,
      run: signedFile("crt", "cert_filename", "Certificate does not exists for"),
    },
    "get_ca_signed_key(ca_name, CN='localhost', as_text=False, cacert_path=None, key_filename=None)": {
      doc: "The path of the key of such a certificate, or its text.\n\n" +
        `    salt '*' tls.get_ca_signed_key test_ca CN=localhost as_text=False${WHERE}`,
      run: signedFile("key", "key_filename", "Certificate does not exists for"),
    },
    get_expiration_date: expirationDate,
    validate,
    "get_extensions(cert_type)": {
      doc: "The extensions of a kind of certificate: of the pillar tls.extensions, or the usual ones.\n\n" +
        "    salt '*' tls.get_extensions client",
      run: (context, { cert_type }) => extensionsFor(context, cert_type),
    },
    create_ca: executionFunction({
      signature: `ca_name, bits=2048, days=365, ${SUBJECT}, fixmode=False, cacert_path=None, ca_filename=None,
        digest='sha256', onlyif=None, unless=None, replace=False`,
      doc:
        `Makes an authority: a key, and a certificate that signs itself.\n\n    salt '*' tls.create_ca test_ca${WHERE}`,
      run: createCa,
    }),
    create_csr: executionFunction({
      signature: `ca_name, bits=2048, ${SUBJECT}, subjectAltName=None, cacert_path=None, ca_filename=None,
        csr_path=None, csr_filename=None, digest='sha256', type_ext=False, cert_type='server', replace=False`,
      doc:
        `Makes a key and a request for a certificate.\n\n    salt '*' tls.create_csr test CN=web.example.com${WHERE}`,
      run: createCsr,
    }),
    create_self_signed_cert: executionFunction({
      signature: `tls_dir='tls', bits=2048, days=365, ${SUBJECT}, cacert_path=None, cert_filename=None,
        digest='sha256', replace=False`,
      doc: `Makes a key and a certificate that signs itself.\n\n    salt '*' tls.create_self_signed_cert${WHERE}`,
      run: createSelfSigned,
    }),
    create_ca_signed_cert: executionFunction({
      signature: `ca_name, CN, days=365, cacert_path=None, ca_filename=None, cert_path=None, cert_filename=None,
        digest='sha256', cert_type=None, type_ext=False, replace=False`,
      doc: "Makes the certificate that a request of create_csr asks for.\n\n" +
        `    salt '*' tls.create_ca_signed_cert test web.example.com${WHERE}`,
      run: createSigned,
    }),
    "create_pkcs12(ca_name, CN, passphrase='', cacert_path=None, replace=False)": {
      doc: "Puts a certificate, its key and its authority into a file of PKCS#12.\n\n" +
        `    salt '*' tls.create_pkcs12 test web.example.com${WHERE}`,
      run: createPkcs12,
    },
    cert_info: certInfo,
    "create_empty_crl(ca_name, cacert_path=None, ca_filename=None, crl_file=None, digest='sha256')": {
      doc: `Makes a list without revoked certificates.\n\n    salt '*' tls.create_empty_crl koji${WHERE}`,
      run: createEmptyCrl,
    },
    revoke_cert: executionFunction({
      signature: `ca_name, CN, cacert_path=None, ca_filename=None, cert_path=None, cert_filename=None,
        crl_file=None, digest='sha256'`,
      doc: "Revokes a certificate: in the index of its authority, and in the list of revoked ones.\n\n" +
        `    salt '*' tls.revoke_cert koji CN=web.example.com${WHERE}`,
      run: revokeCert,
    }),
  }),
};
