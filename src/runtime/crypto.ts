/**
 * The cryptographic primitives that Salt's protocol is made of, synchronous but for key generation and signing in bulk:
 * Web Crypto lacks SHA-224 on Node and costs 30-90 µs a call where these cost 9-60.
 */

/** Hashes by their Salt names. */
export type HashName = "md5" | "sha1" | "sha224" | "sha256" | "sha384" | "sha512";

/** An RSA public key, loaded once and used often. `handle` belongs to the adapter. */
export interface RsaPublicKey {
  readonly type: "public";
  /** Octets of the modulus: 256 for a key of 2048 bits. */
  readonly size: number;
  readonly handle: unknown;
}

/** An RSA private key. */
export interface RsaPrivateKey {
  readonly type: "private";
  readonly size: number;
  readonly handle: unknown;
}

export interface Crypto {
  /** @throws {RangeError} if `length` is negative */
  randomBytes(length: number): Uint8Array;
  hash(name: HashName, data: Uint8Array): Uint8Array;
  hmac(name: HashName, key: Uint8Array, data: Uint8Array): Uint8Array;
  /** Equality in constant time for equal lengths; false for others. */
  equal(a: Uint8Array, b: Uint8Array): boolean;
  /** AES-192-CBC with PKCS#7 padding. `key` 24 octets, `iv` 16. */
  aes192CbcEncrypt(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array;
  /** @throws if the length is not a multiple of 16 or the padding is wrong */
  aes192CbcDecrypt(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array;
  /** PEM: PKCS#1 or SubjectPublicKeyInfo. @throws {SyntaxError} if it is not an RSA public key */
  loadPublicKey(pem: string): RsaPublicKey;
  /** PEM: PKCS#1 or PKCS#8, either may be encrypted. @throws {SyntaxError} if it is not an RSA private key */
  loadPrivateKey(pem: string, passphrase?: string): RsaPrivateKey;
  /** The public half of a private key, as SubjectPublicKeyInfo PEM. */
  publicPem(key: RsaPrivateKey): string;
  /** A new pair with exponent 65537: PKCS#1 private PEM, SubjectPublicKeyInfo public PEM. Does not block the loop. */
  generateKeyPair(bits: number): Promise<{ privatePem: string; publicPem: string }>;
  /** m^e mod n without padding; input and output are `size` octets. */
  rawPublic(key: RsaPublicKey, block: Uint8Array): Uint8Array;
  /** m^d mod n without padding. */
  rawPrivate(key: RsaPrivateKey, block: Uint8Array): Uint8Array;
  oaepEncrypt(hash: HashName, key: RsaPublicKey, data: Uint8Array): Uint8Array;
  /** @throws if `data` was not made for this key and hash */
  oaepDecrypt(hash: HashName, key: RsaPrivateKey, data: Uint8Array): Uint8Array;
  pkcs1Sign(hash: HashName, key: RsaPrivateKey, data: Uint8Array): Uint8Array;
  /** As {@link Crypto.pkcs1Sign}, off the event loop where the runtime can. */
  pkcs1SignAsync(hash: HashName, key: RsaPrivateKey, data: Uint8Array): Promise<Uint8Array>;
  pkcs1Verify(hash: HashName, key: RsaPublicKey, data: Uint8Array, signature: Uint8Array): boolean;
}
