/** What gpg's status lines mean, in Salt's words. */
import type { RingRun } from "./ring.ts";

type Status = RingRun["status"];

const WORDS: Record<string, string> = {
  NEED_PASSPHRASE: "need passphrase",
  BAD_PASSPHRASE: "bad passphrase",
  GOOD_PASSPHRASE: "good passphrase",
  MISSING_PASSPHRASE: "missing passphrase",
  NEED_PASSPHRASE_PIN: "need passphrase pin",
  NEED_PASSPHRASE_SYM: "need symmetric passphrase",
  KEY_NOT_CREATED: "key not created",
  BEGIN_ENCRYPTION: "encryption incomplete",
  END_ENCRYPTION: "encryption ok",
  DECRYPTION_OKAY: "decryption ok",
  KEYEXPIRED: "key expired",
  SIG_CREATED: "sig created",
  SIGEXPIRED: "sig expired",
  BADSIG: "signature bad",
  ERRSIG: "signature error",
  EXPSIG: "signature expired",
  GOODSIG: "signature good",
  VALIDSIG: "signature valid",
  NO_PUBKEY: "no public key",
  NO_SECKEY: "no secret key",
  EXPKEYSIG: "signing key has expired",
  REVKEYSIG: "signing key was revoked",
  UNEXPECTED: "unexpected data",
};

/** gpg's numbers of errors, and those of the system. */
const ERRORS: Record<number, string> = { 11: "incorrect passphrase" };
const SYSTEM_ERRORS: Record<number, string> = {
  1: "permission denied",
  35: "file exists",
  81: "file not found",
  97: "not a directory",
};

function failure(value: string): string {
  const [, operation = "", digits = ""] = /^(.*) (\d+)$/.exec(value) ?? [];
  const code = Number(digits) & 0xffffff;
  const known = (code & 0x8000) === 0 ? ERRORS[code & 0x7fff] : SYSTEM_ERRORS[code & 0x7fff];
  return digits === "" || known === undefined ? `error - ${value}` : `${operation}: ${known}`;
}

/** How encrypting or decrypting ended; `status` in words that are shown. */
export function cryptOutcome(lines: Status): { ok: boolean; status: string } {
  let [ok, status] = [false, ""];
  for (const [keyword, value] of lines) {
    if (keyword === "NODATA") status = status === "decryption failed" ? status : "no data was provided";
    else if (keyword === "DECRYPTION_FAILED") status = status === "no secret key" ? status : "decryption failed";
    else if (keyword === "BEGIN_DECRYPTION") status = status === "no secret key" ? status : "decryption incomplete";
    else if (keyword === "INV_RECP") status = status === "" ? "invalid recipient" : `invalid recipient: ${status}`;
    else if (keyword === "FAILURE") status ||= failure(value);
    else status = WORDS[keyword] ?? status;
    ok ||= keyword === "DECRYPTION_OKAY" || keyword === "END_ENCRYPTION";
  }
  return { ok, status };
}

const TRUST: Record<string, string> = {
  TRUST_EXPIRED: "Expired",
  TRUST_UNDEFINED: "Undefined",
  TRUST_NEVER: "Never",
  TRUST_MARGINAL: "Marginal",
  TRUST_FULLY: "Fully",
  TRUST_ULTIMATE: "Ultimate",
};

interface Verified {
  username: string | null;
  keyId: string | null;
  /** How far the key is trusted to be its owner's. */
  trust: string;
}

/** Who signed; undefined if a signature is bad, or there is none that holds. */
export function verifyOutcome(lines: Status): Verified | undefined {
  let [username, keyId, trust]: (string | null)[] = [null, null, null];
  for (const [keyword, value] of lines) {
    const [first = "", ...rest] = value.split(" ");
    if (keyword === "BADSIG") return undefined;
    if (["EXPSIG", "GOODSIG", "EXPKEYSIG", "REVKEYSIG"].includes(keyword)) {
      [keyId, username] = [first, rest.join(" ").trimStart()];
    } else if (["ERRSIG", "NO_PUBKEY", "NO_SECKEY"].includes(keyword)) keyId = first;
    else trust = TRUST[keyword] ?? trust ?? null;
  }
  return trust === null || trust === undefined
    ? undefined
    : { username: username ?? null, keyId: keyId ?? null, trust };
}
