/**
 * The cryptographic primitives of Salt's protocol, synchronous except for key generation and bulk work:
 * Web Crypto lacks SHA-224 on Node and costs 30-90 µs a call where these cost 3-10.
 */

export type HashName = "md5" | "sha1" | "sha224" | "sha256" | "sha384" | "sha512";

/**
 * A symmetric key, loaded once and used often. Node takes 3 µs for a MAC or a cipher with a loaded key and 20-30 µs with
 * the bytes, for which it makes and throws away a key object each time.
 */
export interface SecretKey {
  readonly type: "secret";
  /** Bytes of the key. */
  readonly size: number;
  readonly handle: unknown;
}

/** An RSA public key, loaded once and used often. `handle` belongs to the adapter. */
export interface RsaPublicKey {
  readonly type: "public";
  /** Bytes of the modulus: 256 for a key of 2048 bits. */
  readonly size: number;
  /** The modulus, big-endian, `size` bytes. */
  readonly modulus: Uint8Array;
  readonly handle: unknown;
}

export interface RsaPrivateKey {
  readonly type: "private";
  readonly size: number;
  readonly modulus: Uint8Array;
  readonly handle: unknown;
}

/** Bits of an RSA modulus that are accepted: less is weak, more lets a peer waste our processor time with one message. */
export const RSA_BITS = { least: 1024, most: 16384 } as const;

/** The most characters of a PEM: a private key of 16384 bits has 13,000. */
export const PEM_LIMIT = 32768;

/** A hash that is computed piece by piece. */
export interface Hasher {
  update(data: Uint8Array): void;
  /** Returns the hash. To be called once, after the last update. */
  digest(): Uint8Array;
}

/**
 * Cryptography as the core needs it of a runtime.
 *
 * @internal
 */
export interface Crypto {
  /** Returns random bytes that MUST be fit for keys. @throws {RangeError} if `length` is negative */
  randomBytes(length: number): Uint8Array;
  hash(name: HashName, data: Uint8Array): Uint8Array;
  /** The same in lower-case hex, for half the time. */
  hexHash(name: HashName, data: Uint8Array): string;
  /** Starts a hash of data that arrives in pieces, such as a large file. */
  hasher(name: HashName): Hasher;
  /** Loads the bytes of a symmetric key. MUST NOT keep a view of `bytes`. */
  secretKey(bytes: Uint8Array): SecretKey;
  hmac(name: HashName, key: SecretKey | Uint8Array, data: Uint8Array): Uint8Array;
  /** Compares in constant time; false at once if the lengths differ. */
  equal(a: Uint8Array, b: Uint8Array): boolean;
  /**
   * AES-192-CBC with PKCS#7 padding. `key` 24 bytes, `iv` 16.
   *
   * @param room bytes to leave free before and after the result: adding them later would cost a copy
   * @throws {RangeError} for other lengths
   */
  aes192CbcEncrypt(
    key: SecretKey | Uint8Array,
    iv: Uint8Array,
    data: Uint8Array,
    room?: { before: number; after: number },
  ): Uint8Array;
  /** Reverses {@link Crypto.aes192CbcEncrypt}. @throws {RangeError} if the length is not a positive multiple of 16 or the padding is wrong */
  aes192CbcDecrypt(key: SecretKey | Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array;
  /**
   * As {@link Crypto.aes192CbcEncrypt}, for long data in parts, such as pieces of files: off the event loop where
   * that is faster on the runtime. The parts MUST NOT be changed until it resolves.
   */
  aes192CbcEncryptLong(
    key: SecretKey,
    iv: Uint8Array,
    parts: readonly Uint8Array[],
    room: { before: number; after: number },
  ): Promise<Uint8Array>;
  /** As {@link Crypto.aes192CbcDecrypt}, for long data. */
  aes192CbcDecryptLong(key: SecretKey, iv: Uint8Array, data: Uint8Array): Promise<Uint8Array>;
  /**
   * Loads a public key from PEM: PKCS#1 or SubjectPublicKeyInfo; nothing else, in particular no private key.
   *
   * @throws {SyntaxError} if it is not an RSA public key
   * @throws {RangeError} if its modulus is out of {@link RSA_BITS} or its exponent is not 3 to 2^32
   */
  loadPublicKey(pem: string): RsaPublicKey;
  /**
   * Loads a private key from PEM: PKCS#1 or PKCS#8, either may be encrypted.
   *
   * @throws {SyntaxError} if it is not an RSA private key, or the passphrase is wrong
   * @throws {RangeError} as {@link Crypto.loadPublicKey}
   */
  loadPrivateKey(pem: string, passphrase?: string): RsaPrivateKey;
  /** The public half of a private key, as SubjectPublicKeyInfo PEM. */
  publicPem(key: RsaPrivateKey): string;
  /**
   * A new pair with exponent 65537: PKCS#1 private PEM, SubjectPublicKeyInfo public PEM. MUST NOT block the loop.
   *
   * @param passphrase encrypts the private PEM (Salt's `key_pass`). @throws {RangeError} outside {@link RSA_BITS}
   */
  generateKeyPair(bits: number, passphrase?: string): Promise<{ privatePem: string; publicPem: string }>;
  /** m^e mod n without padding; input and output are `size` bytes. @throws {RangeError} if `block` is not less than n */
  rawPublic(key: RsaPublicKey, block: Uint8Array): Uint8Array;
  /** m^d mod n without padding. @throws {RangeError} as {@link Crypto.rawPublic} */
  rawPrivate(key: RsaPrivateKey, block: Uint8Array): Uint8Array;
  oaepEncrypt(hash: HashName, key: RsaPublicKey, data: Uint8Array): Uint8Array;
  /** @throws if `data` was not made for this key and hash */
  oaepDecrypt(hash: HashName, key: RsaPrivateKey, data: Uint8Array): Uint8Array;
  pkcs1Sign(hash: HashName, key: RsaPrivateKey, data: Uint8Array): Uint8Array;
  /** As {@link Crypto.pkcs1Sign}, off the event loop where the runtime can. */
  pkcs1SignAsync(hash: HashName, key: RsaPrivateKey, data: Uint8Array): Promise<Uint8Array>;
  /** True if the signature is valid; false also for a malformed signature. */
  pkcs1Verify(hash: HashName, key: RsaPublicKey, data: Uint8Array, signature: Uint8Array): boolean;
}
