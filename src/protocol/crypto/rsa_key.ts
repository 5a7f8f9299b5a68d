import type { Crypto, HashName } from "../../runtime/crypto.ts";
import { readElement } from "../../runtime/bytes.ts";

/**
 * The normal form of a PEM in messages and comparisons: no white space around it, lines joined by LF, none at the end.
 *
 * @see salt/crypt.py clean_key
 */
export function cleanPem(text: string): string {
  return text.trim().replace(/\r\n?/g, "\n");
}

/** The most characters of a public key's PEM: one of 16384 bits has 2,900. */
const MAX_PUBLIC_PEM_CHARACTERS = 4096;

/**
 * Checks a public key that an unauthenticated peer sent, and returns its normal form: an RSA key within `RSA_BITS` whose PEM
 * holds that key and nothing else, in lines of the usual length. So the stored text is small, and hides nothing else.
 *
 * @throws {SyntaxError} if the text is anything else; {RangeError} if the key's size or exponent is out of bounds
 */
export function strangersKey(crypto: Crypto, text: string): string {
  if (text.length > MAX_PUBLIC_PEM_CHARACTERS) {
    throw new SyntaxError(
      `Cannot accept a public key of ${text.length} characters: expected at most ${MAX_PUBLIC_PEM_CHARACTERS}`,
    );
  }
  const pem = cleanPem(text);
  crypto.loadPublicKey(pem);
  const lines = pem.split("\n").slice(1, -1);
  const der = Uint8Array.from(atob(lines.join("")), (character) => character.charCodeAt(0));
  // The outermost element must end where the bytes do. readElement() cannot fail, since the key was loaded.
  const isWhole = readElement(der).whole.length === der.length && btoa(String.fromCharCode(...der)) === lines.join("");
  if (!isWhole || lines.some((line) => line.length === 0 || line.length > 76)) {
    throw new SyntaxError(
      "Cannot accept a public key: its PEM holds more than the key, or does not have the usual line lengths",
    );
  }
  return pem;
}

/**
 * The fingerprint that `salt-key -F` lists and `master_finger` names: a hash over the *lines* between first and last, with
 * their line feeds, as hex bytes joined by colons.
 *
 * @see salt/utils/crypt.py pem_finger
 */
export function fingerprint(crypto: Crypto, pem: string, hashName: HashName = "sha256"): string {
  const lines = pem.split(/\r?\n/).filter((line) => line.trim() !== "");
  const body = lines.slice(1, -1).map((line) => `${line}\n`).join("");
  const digest = crypto.hash(hashName, new TextEncoder().encode(body));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(":");
}

interface KeyPairOptions {
  /** The size of the modulus, in bits; Salt's `keysize`. @default 2048 */
  bits?: number;
  /** The passphrase that encrypts the private key; Salt's `key_pass`. @default none */
  passphrase?: string;
}

/**
 * A new RSA pair with Salt's exponent: PKCS#1 private PEM, SubjectPublicKeyInfo public PEM. Takes 0.1 s for 2048 bits and
 * up to seconds for 4096, without blocking the loop.
 *
 * @throws {RangeError} below 1024 bits or above 16384
 */
export async function generateKeyPair(
  crypto: Crypto,
  options: KeyPairOptions = {},
): Promise<{ privatePem: string; publicPem: string }> {
  return await crypto.generateKeyPair(options.bits ?? 2048, options.passphrase);
}
