import { hex } from "../../../protocol/crypto/hex.ts";
import { joined } from "../x509/der_write.ts";
import { decodeBase64, encodeBase64 } from "../../../language/python/binascii.ts";
import { str } from "../../../language/python/values.ts";
import type { Crypto } from "../../../runtime/crypto.ts";
import { pythonError } from "../../python_errors.ts";

/** How passwords are kept where nothing else is asked for. */
export const USUAL_ENCRYPTION = "md5";

const ITERATIONS = 4096;
/** A verifier of the server's that asks for more rounds is not worked out. */
const MOST_ITERATIONS = 1_000_000;

const bytes = (text: string) => new TextEncoder().encode(text);

/** A password as it is prepared before it is hashed (RFC 4013): one form of each character, and blanks that are blanks. */
function prepared(password: string): string {
  return password.replace(/[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g, " ")
    .replace(/[\u00ad\u034f\u1806\u180b-\u180d\u200c\u200d\u2060\ufe00-\ufe0f\ufeff]/g, "").normalize("NFKC");
}

/** PBKDF2 with SHA-256, one block. */
function stretched(crypto: Crypto, password: Uint8Array, salt: Uint8Array, iterations: number): Uint8Array {
  const key = crypto.secretKey(password);
  let last = crypto.hmac("sha256", key, joined(salt, Uint8Array.of(0, 0, 0, 1)));
  const sum = last.slice();
  for (let round = 1; round < iterations; round++) {
    last = crypto.hmac("sha256", key, last);
    for (let at = 0; at < sum.length; at++) sum[at]! ^= last[at]!;
  }
  return sum;
}

function scram(crypto: Crypto, password: string, salt = crypto.randomBytes(16), iterations = ITERATIONS): string {
  const salted = stretched(crypto, bytes(prepared(password)), salt, iterations);
  const stored = crypto.hash("sha256", crypto.hmac("sha256", salted, bytes("Client Key")));
  const server = crypto.hmac("sha256", salted, bytes("Server Key"));
  return `SCRAM-SHA-256$${iterations}:${encodeBase64(salt)}$${encodeBase64(stored)}:${encodeBase64(server)}`;
}

const md5 = (crypto: Crypto, role: string, password: string) =>
  `md5${hex(crypto.hash("md5", bytes(`${password}${role}`)))}`;

function methodOf(encrypted: unknown): string | false {
  if (encrypted === true) return "md5";
  if (encrypted === false || encrypted === "md5" || encrypted === "scram-sha-256") return encrypted;
  throw pythonError("ValueError", `Unknown password algorithm: ${str(encrypted)}`);
}

/**
 * A password as a role keeps it, unless it is in that form.
 *
 * @param encrypted `md5`, `scram-sha-256`, true for the first, false for as it is
 */
export function verifierOf(crypto: Crypto, role: string, password: unknown, encrypted: unknown): string {
  const text = str(password);
  const method = methodOf(encrypted);
  if (method === "scram-sha-256") return text.startsWith("SCRAM-SHA-256") ? text : scram(crypto, text);
  return method === false || text.startsWith("md5") ? text : md5(crypto, role, text);
}

/** True if a role keeps that password, in that way. */
export function isPassword(
  crypto: Crypto,
  role: string,
  password: unknown,
  verifier: unknown,
  encrypted: unknown,
): boolean {
  const [text, kept] = [str(password), str(verifier ?? "")];
  if (encrypted === false) return kept === text;
  if (encrypted === true || encrypted === "md5") {
    return kept === (text.startsWith("md5") ? text : md5(crypto, role, text));
  }
  if (encrypted !== "scram-sha-256") return false;
  if (text.startsWith("SCRAM-SHA-256")) return kept === text;
  const [, rounds = "", salt = ""] = /^SCRAM-SHA-256\$(\d{1,9}):([A-Za-z0-9+/=]+)\$/.exec(kept) ?? [];
  if (rounds === "" || Number(rounds) > MOST_ITERATIONS) return false;
  return kept === scram(crypto, text, decodeBase64(bytes(salt)), Number(rounds));
}
