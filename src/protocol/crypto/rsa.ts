import { AuthenticationError, SaltError } from "../../base/errors.ts";
import type { Crypto, HashName, RsaPrivateKey, RsaPublicKey } from "../../runtime/crypto.ts";

/** Names of `encryption_algorithm` and `enc_algo`, and the hash of their OAEP padding (MGF1 and label alike). */
const ENCRYPTION_ALGORITHMS = {
  "OAEP-SHA1": "sha1",
  "OAEP-SHA224": "sha224",
} as const satisfies Record<string, HashName>;
type EncryptionAlgorithm = keyof typeof ENCRYPTION_ALGORITHMS;

/** Names of `signing_algorithm`, `publish_signing_algorithm` and `sig_algo`, and the hash that is signed. */
const SIGNING_ALGORITHMS = {
  "PKCS1v15-SHA1": "sha1",
  "PKCS1v15-SHA224": "sha224",
} as const satisfies Record<string, HashName>;
type SigningAlgorithm = keyof typeof SIGNING_ALGORITHMS;

/** A peer or a configuration names an algorithm that Salt does not have; names are case-sensitive. */
export class UnknownAlgorithmError extends SaltError {
  declare readonly algorithm: string;

  constructor(algorithm: string, purpose: string, known: readonly string[]) {
    super("UNKNOWN_ALGORITHM", `Cannot ${purpose} with "${algorithm.slice(0, 64)}": expected ${known.join(" or ")}`, {
      algorithm,
    });
  }
}

export function isEncryptionAlgorithm(name: unknown): name is EncryptionAlgorithm {
  return typeof name === "string" && Object.hasOwn(ENCRYPTION_ALGORITHMS, name);
}

export function isSigningAlgorithm(name: unknown): name is SigningAlgorithm {
  return typeof name === "string" && Object.hasOwn(SIGNING_ALGORITHMS, name);
}

function encryptionHash(name: string): HashName {
  if (isEncryptionAlgorithm(name)) return ENCRYPTION_ALGORITHMS[name];
  throw new UnknownAlgorithmError(String(name), "encrypt", Object.keys(ENCRYPTION_ALGORITHMS));
}

function signingHash(name: string): HashName {
  if (isSigningAlgorithm(name)) return SIGNING_ALGORITHMS[name];
  throw new UnknownAlgorithmError(String(name), "sign", Object.keys(SIGNING_ALGORITHMS));
}

/**
 * Encrypts a short message (a key string has 76 bytes) for the holder of a key.
 *
 * @throws {UnknownAlgorithmError}
 * @throws {RangeError} if the message does not fit into the key
 */
export function rsaEncrypt(crypto: Crypto, algorithm: string, key: RsaPublicKey, data: Uint8Array): Uint8Array {
  const hash = encryptionHash(algorithm);
  const most = key.size - 2 * (hash === "sha1" ? 20 : 28) - 2;
  if (data.length > most) {
    throw new RangeError(`Cannot encrypt ${data.length} bytes with this key: at most ${most} fit`);
  }
  return crypto.oaepEncrypt(hash, key, data);
}

/**
 * Decrypts a message of {@link rsaEncrypt}.
 *
 * @throws {UnknownAlgorithmError}
 * @throws {AuthenticationError} if the message was not made for this key and algorithm
 */
export function rsaDecrypt(crypto: Crypto, algorithm: string, key: RsaPrivateKey, data: Uint8Array): Uint8Array {
  const hash = encryptionHash(algorithm);
  try {
    return crypto.oaepDecrypt(hash, key, data);
  } catch (cause) {
    throw new AuthenticationError("Cannot decrypt a message: it was not made for this RSA key", { cause });
  }
}

/** @throws {UnknownAlgorithmError} */
export function rsaSign(crypto: Crypto, algorithm: string, key: RsaPrivateKey, data: Uint8Array): Uint8Array {
  return crypto.pkcs1Sign(signingHash(algorithm), key, data);
}

/** As {@link rsaSign}, off the event loop where the runtime can. Rejects with {@link UnknownAlgorithmError}. */
export async function rsaSignAsync(
  crypto: Crypto,
  algorithm: string,
  key: RsaPrivateKey,
  data: Uint8Array,
): Promise<Uint8Array> {
  return await crypto.pkcs1SignAsync(signingHash(algorithm), key, data);
}

/** @throws {UnknownAlgorithmError} */
export function rsaVerify(
  crypto: Crypto,
  algorithm: string,
  key: RsaPublicKey,
  data: Uint8Array,
  signature: Uint8Array,
): boolean {
  return crypto.pkcs1Verify(signingHash(algorithm), key, data, signature);
}
