import { codeOf, messageOf, TlsError } from "../../base/errors.ts";

const UNTRUSTED = "the certificate is not signed by an authority that is trusted here: check ca_certs";

/** Descriptions of failures by OpenSSL's code; a code that is not listed gets the runtime's own message. */
const REASONS: Record<string, string> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: "the certificate has expired: issue a new one",
  CERT_NOT_YET_VALID: "the certificate is not valid yet: check the clocks of both hosts",
  INVALID_PURPOSE: "the certificate is not valid for this side: check its extended key usage",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "the certificate is for another name or address: issue one with this name as subjectAltName",
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    "the other side sent no certificate: set certfile and keyfile on the other side",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "the other side requires a certificate: set certfile and keyfile here",
  ERR_SSL_TLSV1_ALERT_CERTIFICATE_REQUIRED: "the other side requires a certificate: set certfile and keyfile here",
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: "the other side does not trust the authority of this certificate: check its ca_certs",
  ERR_SSL_WRONG_VERSION_NUMBER: "the other side does not speak TLS: set ssl on both sides, or on neither",
  ERR_SSL_HTTP_REQUEST: "the other side does not speak TLS: set ssl on both sides, or on neither",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the other side does not speak TLS: set ssl on both sides, or on neither",
  ERR_SSL_NO_SHARED_CIPHER: "the two sides have no cipher in common: check ciphers and ssl_version",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "the two sides have no version of TLS in common: check ssl_version",
};

/** OpenSSL's codes for a refused certificate, which have no common prefix. */
const CERTIFICATE =
  /^(CERT|CRL|ERROR_IN_C|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH)/;

/** The error of a failed TLS connection; undefined if it failed for another reason. @param authorization why a certificate was refused */
export function tlsFailure(error: unknown, authorization?: unknown): TlsError | undefined {
  const refused = authorization instanceof Error ? codeOf(authorization) || authorization.message : authorization;
  const code = typeof refused === "string" && refused !== "" ? refused : codeOf(error);
  if (refused === undefined || refused === null || refused === "") {
    if (!/^ERR_(SSL|TLS|OSSL)/.test(code) && code !== "EPROTO" && !CERTIFICATE.test(code)) return undefined;
  }
  // OpenSSL's own messages end with a file, a line and a line break.
  const text = REASONS[code] ?? (messageOf(error).split(":").find((part) => /[a-z] [a-z]/.test(part)) ?? code).trim();
  return new TlsError(`TLS failed (${code}): ${text}`, { reason: code, cause: error });
}
