import type { Crypto, HashName } from "../runtime/crypto.ts";

/**
 * The normal form of a PEM in messages and comparisons: no white space around it, lines joined by LF, none at the end.
 *
 * @see salt/crypt.py clean_key
 */
export function cleanPem(text: string): string {
  return text.trim().replace(/\r\n?/g, "\n");
}

/**
 * The fingerprint that `salt-key -F` lists and `master_finger` names: a hash over the *lines* between first and last, with
 * their line feeds, as hex octets joined by colons.
 *
 * @see salt/utils/crypt.py pem_finger
 */
export function fingerprint(crypto: Crypto, pem: string, hashName: HashName = "sha256"): string {
  const lines = pem.split(/\r?\n/).filter((line) => line.trim() !== "");
  const body = lines.slice(1, -1).map((line) => `${line}\n`).join("");
  const digest = crypto.hash(hashName, new TextEncoder().encode(body));
  return Array.from(digest, (octet) => octet.toString(16).padStart(2, "0")).join(":");
}

export interface KeyPairOptions {
  /** Bits of the modulus; Salt's `keysize`. @default 2048 */
  bits?: number;
  /** Encrypts the private key; Salt's `key_pass`. @default none */
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
