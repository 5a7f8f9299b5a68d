import type { Cipheriv, KeyObject } from "node:crypto";

import type { Crypto, HashName, RsaPrivateKey, RsaPublicKey, SecretKey } from "../crypto.ts";
import { PEM_LIMIT, RSA_BITS } from "../crypto.ts";
import { type DerElement, readElement, releaseWhole } from "../bytes.ts";
import { builtin, openssl } from "./builtin.ts";

const { Buffer } = builtin("node:buffer");

/** Bytes that are drawn from the system at once for short draws (IVs, nonces), which then take 0.1 µs each instead of 2. */
const POOL = 4096;
const POOLED_DRAW = 64;

/** Bytes that go through a cipher at once, so that the memory of the results is reused. */
const CIPHER_PIECE = 131_072;

/** Room for short data and its padding. */
const PADDED = new Uint8Array(4096);

const PUBLIC_PEM = /^-----BEGIN (RSA PUBLIC KEY|PUBLIC KEY)-----\r?\n[A-Za-z0-9+/=\r\n]+-----END \1-----$/;
const PRIVATE_PEM = /^-----BEGIN (RSA PRIVATE KEY|PRIVATE KEY|ENCRYPTED PRIVATE KEY)-----\r?\n[^]+-----END \1-----$/;

/** A `Buffer` as a plain `Uint8Array`, on which the speed of the core depends. */
export function plain(buffer: Uint8Array): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function keyMaterial(key: SecretKey | Uint8Array): KeyObject | Uint8Array {
  return key instanceof Uint8Array ? key : key.handle as KeyObject;
}

function checkCbc(key: SecretKey | Uint8Array, iv: Uint8Array): void {
  const size = key instanceof Uint8Array ? key.length : key.size;
  if (size !== 24) throw new RangeError(`Cannot use a key of ${size} bytes with AES-192: expected 24`);
  if (iv.length !== 16) throw new RangeError(`Cannot use an IV of ${iv.length} bytes with AES: expected 16`);
}

function trimmedPem(pem: string, form: RegExp, what: string): string {
  if (typeof pem !== "string" || pem.length > PEM_LIMIT) {
    throw new SyntaxError(`Cannot read ${what}: longer than ${PEM_LIMIT} characters`);
  }
  // Mac and Windows line ends occur in keys that were sent by mail; OpenSSL does not accept a lone CR.
  const text = pem.trim().replace(/\r\n?/g, "\n");
  if (!form.test(text)) throw new SyntaxError(`Cannot read ${what}: not a PEM of that kind`);
  return text;
}

/** Tags of DER. */
const [INTEGER, BIT_STRING, SEQUENCE] = [0x02, 0x03, 0x30];

/** The first element of some DER. @throws {SyntaxError} if it has another tag, or is empty */
function element(der: Uint8Array, tag: number): DerElement {
  let found: DerElement | undefined;
  try {
    found = readElement(der);
  } catch {
    // Malformed DER is refused below, like a wrong tag.
  }
  if (found?.tag !== tag || found.content.length === 0) throw new SyntaxError("Cannot read an RSA key: broken DER");
  return found;
}

/** The bytes after the first element of some DER. */
const behind = (der: Uint8Array, tag: number): Uint8Array => der.subarray(element(der, tag).whole.length);

/**
 * The modulus in a PKCS#1 or SubjectPublicKeyInfo public key, after a check of its strength.
 *
 * Runs before OpenSSL sees the key: on Node, asking for the size of a modulus above 16384 bits leaves an error in OpenSSL's
 * queue, which makes the loading of the next private key fail. A peer could cause that.
 */
function checkedModulus(der: Uint8Array): Uint8Array {
  let numbers = element(der, SEQUENCE).content;
  if (numbers[0] === SEQUENCE) {
    // SubjectPublicKeyInfo: past the algorithm, and past the count of unused bits.
    const bits = element(behind(numbers, SEQUENCE), BIT_STRING).content;
    numbers = element(bits.subarray(1), SEQUENCE).content;
  }
  const n = element(numbers, INTEGER).content;
  const e = element(behind(numbers, INTEGER), INTEGER).content;
  let start = 0;
  while (start < n.length - 1 && n[start] === 0) start += 1;
  const modulus = n.slice(start);
  const bits = modulus.length * 8 - Math.clz32(modulus[0]!) + 24;
  if (bits < RSA_BITS.least || bits > RSA_BITS.most) {
    throw new RangeError(`Cannot use an RSA key of ${bits} bits: expected ${RSA_BITS.least} to ${RSA_BITS.most}`);
  }
  let exponent = 0;
  for (const byte of e) exponent = exponent * 256 + byte;
  // With an exponent of 1 the "encrypted" master key would be sent in clear.
  if (exponent < 3 || exponent % 2 === 0 || exponent > 2 ** 32) {
    throw new RangeError("Cannot use an RSA key with this public exponent: expected an odd number from 3 to 2^32");
  }
  return modulus;
}

/** Raw RSA is defined for numbers below the modulus; Deno also computes others, with a useless result. */
export function checkBlock(modulus: Uint8Array, block: Uint8Array): void {
  if (block.length !== modulus.length) {
    throw new RangeError(`Cannot use a block of ${block.length} bytes with this key: expected ${modulus.length}`);
  }
  for (let at = 0; at < block.length; at++) {
    if (block[at]! < modulus[at]!) return;
    if (block[at]! > modulus[at]!) break;
  }
  throw new RangeError("Cannot use a block with this key: its number is not below the modulus");
}

/** Removes PKCS#7 padding. @throws {RangeError} if it is malformed */
export function unpadded(data: Uint8Array): Uint8Array {
  const count = data[data.length - 1]!;
  let wrong = count < 1 || count > 16 ? 1 : 0;
  for (let at = Math.max(0, data.length - count); at < data.length; at++) wrong |= data[at]! ^ count;
  if (wrong !== 0) throw new RangeError("Cannot decrypt: the padding is wrong");
  return data.subarray(0, data.length - count);
}

/** @throws {RangeError} if `data` is not a whole number of AES blocks */
export function checkBlocks(data: Uint8Array): void {
  if (data.length === 0 || data.length % 16 !== 0) {
    throw new RangeError(`Cannot decrypt ${data.length} bytes: expected a positive multiple of 16`);
  }
}

/**
 * Draws random bytes from a pool: a draw of its own for each nonce would cost more than the nonce's use.
 *
 * @param draw returns new random bytes
 */
export function pooledRandom(draw: (length: number) => Uint8Array): Crypto["randomBytes"] {
  let pool: Uint8Array = new Uint8Array(0);
  let drawn = 0;
  return (length) => {
    if (!Number.isInteger(length) || length < 0) throw new RangeError(`Cannot draw ${length} random bytes`);
    if (length > POOLED_DRAW) return draw(length);
    if (drawn + length > pool.length) {
      pool = draw(POOL);
      drawn = 0;
    }
    const bytes = pool.slice(drawn, drawn + length);
    // The returned bytes may become a key: no copy must stay in the pool.
    pool.fill(0, drawn, drawn + length);
    drawn += length;
    return bytes;
  };
}

const HASHES: Pick<Crypto, "hash" | "hexHash" | "hasher" | "secretKey" | "hmac" | "equal"> = {
  hash: (name, data) => plain(openssl().hash(name, data, "buffer")),

  hexHash: (name, data) => openssl().hash(name, data, "hex"),

  hasher(name) {
    const hash = openssl().createHash(name);
    return { update: (data) => void hash.update(data), digest: () => plain(hash.digest()) };
  },

  secretKey: (bytes) => ({ type: "secret", size: bytes.length, handle: openssl().createSecretKey(bytes) }),

  hmac: (name, key, data) => plain(openssl().createHmac(name, keyMaterial(key)).update(data).digest()),

  equal: (a, b) => a.length === b.length && openssl().timingSafeEqual(a, b),
};

/**
 * Encrypts short data whose padding is added here: one result of OpenSSL instead of two, which is a third of the time of a reply. Without an
 * await in between, all calls can share the room.
 */
function paddedCbc(
  cipher: Cipheriv,
  data: Uint8Array,
  before: number,
  after: number,
): Uint8Array {
  cipher.setAutoPadding(false);
  const length = data.length + 16 - data.length % 16;
  PADDED.set(data);
  PADDED.fill(length - data.length, data.length, length);
  const sealed = cipher.update(PADDED.subarray(0, length));
  PADDED.fill(0, 0, length);
  const whole = new Uint8Array(before + length + after);
  whole.set(sealed, before);
  return whole;
}

function aes192CbcDecrypt(key: SecretKey | Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array {
  checkCbc(key, iv);
  checkBlocks(data);
  const decipher = openssl().createDecipheriv("aes-192-cbc", keyMaterial(key), iv);
  // Without automatic padding update() returns everything, in one piece and without a call of final().
  decipher.setAutoPadding(false);
  return unpadded(plain(decipher.update(data)));
}

const CIPHERS: Pick<
  Crypto,
  "aes192CbcEncrypt" | "aes192CbcDecrypt" | "aes192CbcEncryptLong" | "aes192CbcDecryptLong"
> = {
  aes192CbcEncrypt(key, iv, data, { before, after } = { before: 0, after: 0 }) {
    checkCbc(key, iv);
    const cipher = openssl().createCipheriv("aes-192-cbc", keyMaterial(key), iv);
    if (data.length < PADDED.length) return paddedCbc(cipher, data, before, after);
    const head = cipher.update(data);
    const tail = cipher.final();
    const whole = new Uint8Array(before + head.length + tail.length + after);
    whole.set(head, before);
    whole.set(tail, before + head.length);
    return whole;
  },

  aes192CbcDecrypt,

  // Encrypts on the event loop: another thread would take twice the processor time.
  // deno-lint-ignore require-await
  async aes192CbcEncryptLong(key, iv, parts, { before, after }) {
    checkCbc(key, iv);
    const cipher = openssl().createCipheriv("aes-192-cbc", keyMaterial(key), iv);
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const whole = new Uint8Array(before + length + 16 - length % 16 + after);
    let at = before;
    const put = (sealed: Uint8Array) => {
      whole.set(sealed, at);
      at += sealed.length;
      releaseWhole(sealed);
    };
    for (const part of parts) {
      for (let from = 0; from < part.length; from += CIPHER_PIECE) {
        put(cipher.update(part.subarray(from, from + CIPHER_PIECE)));
      }
    }
    put(cipher.final());
    return whole;
  },

  // deno-lint-ignore require-await
  aes192CbcDecryptLong: async (key, iv, data) => aes192CbcDecrypt(key, iv, data),
};

const RSA_KEYS: Pick<Crypto, "loadPublicKey" | "loadPrivateKey" | "publicPem" | "generateKeyPair"> = {
  loadPublicKey(pem): RsaPublicKey {
    const text = trimmedPem(pem, PUBLIC_PEM, "an RSA public key");
    const modulus = checkedModulus(plain(Buffer.from(text.split("-----")[2]!, "base64")));
    let handle: KeyObject;
    try {
      handle = openssl().createPublicKey(text);
    } catch (cause) {
      throw new SyntaxError("Cannot read an RSA public key: its contents are not a key", { cause });
    }
    if (handle.asymmetricKeyType !== "rsa") throw new SyntaxError("Cannot read an RSA public key: not RSA");
    return { type: "public", size: modulus.length, modulus, handle };
  },

  loadPrivateKey(pem, passphrase): RsaPrivateKey {
    const text = trimmedPem(pem, PRIVATE_PEM, "an RSA private key");
    let handle: KeyObject;
    try {
      handle = openssl().createPrivateKey(passphrase === undefined ? text : { key: text, passphrase });
    } catch (cause) {
      const why = passphrase === undefined
        ? "its contents are not a key, or encrypted"
        : "not a key, or the passphrase is wrong";
      throw new SyntaxError(`Cannot read an RSA private key: ${why}`, { cause });
    }
    if (handle.asymmetricKeyType !== "rsa") throw new SyntaxError("Cannot read an RSA private key: not RSA");
    const modulus = checkedModulus(plain(openssl().createPublicKey(handle).export({ type: "pkcs1", format: "der" })));
    return { type: "private", size: modulus.length, modulus, handle };
  },

  publicPem: (key) =>
    openssl().createPublicKey(key.handle as KeyObject).export({ type: "spki", format: "pem" }) as string,

  generateKeyPair(bits, passphrase) {
    if (!Number.isInteger(bits) || bits < RSA_BITS.least || bits > RSA_BITS.most) {
      return Promise.reject(
        new RangeError(`Cannot make an RSA key of ${bits} bits: expected ${RSA_BITS.least} to ${RSA_BITS.most}`),
      );
    }
    const secrecy = passphrase === undefined ? {} : { cipher: "aes-256-cbc", passphrase };
    return new Promise((resolve, reject) => {
      openssl().generateKeyPair("rsa", {
        modulusLength: bits,
        publicExponent: 65537,
        privateKeyEncoding: { type: "pkcs1", format: "pem", ...secrecy },
        publicKeyEncoding: { type: "spki", format: "pem" },
      }, (error, publicPem, privatePem) => {
        if (error) reject(error);
        else resolve({ privatePem, publicPem });
      });
    });
  },
};

/**
 * Copies of a private key that are not in use. Node locks a key while a thread signs with it, and the event loop waits for that lock at the
 * next use of the same key. So each signature that is made on a thread has its own copy.
 */
const KEY_COPIES = new WeakMap<RsaPrivateKey, KeyObject[]>();

function copiesOf(key: RsaPrivateKey): KeyObject[] {
  let copies = KEY_COPIES.get(key);
  if (copies === undefined) KEY_COPIES.set(key, copies = []);
  return copies;
}

function copyOf({ handle }: RsaPrivateKey): KeyObject {
  const der = (handle as KeyObject).export({ type: "pkcs1", format: "der" });
  const copy = openssl().createPrivateKey({ key: der, type: "pkcs1", format: "der" });
  der.fill(0);
  return copy;
}

const RSA: Pick<
  Crypto,
  | "rawPublic"
  | "rawPrivate"
  | "oaepEncrypt"
  | "oaepDecrypt"
  | "pkcs1Sign"
  | "pkcs1SignAsync"
  | "pkcs1Verify"
> = {
  // Deno knows RSA_NO_PADDING in these two calls only, not in privateEncrypt() and publicDecrypt(); the numbers are the same.
  rawPublic(key, block) {
    checkBlock(key.modulus, block);
    return plain(
      openssl().publicEncrypt({ key: key.handle as KeyObject, padding: openssl().constants.RSA_NO_PADDING }, block),
    );
  },

  rawPrivate(key, block) {
    checkBlock(key.modulus, block);
    return plain(
      openssl().privateDecrypt({ key: key.handle as KeyObject, padding: openssl().constants.RSA_NO_PADDING }, block),
    );
  },

  oaepEncrypt: (oaepHash, key, data) =>
    plain(
      openssl().publicEncrypt({
        key: key.handle as KeyObject,
        padding: openssl().constants.RSA_PKCS1_OAEP_PADDING,
        oaepHash,
      }, data),
    ),

  oaepDecrypt(oaepHash, key, data) {
    // OpenSSL treats a shorter block as the same number with leading zeros, which RFC 8017 (7.1.2) forbids.
    if (data.length !== key.size) {
      throw new RangeError(`Cannot decrypt ${data.length} bytes with this key: expected ${key.size}`);
    }
    return plain(
      openssl().privateDecrypt({
        key: key.handle as KeyObject,
        padding: openssl().constants.RSA_PKCS1_OAEP_PADDING,
        oaepHash,
      }, data),
    );
  },

  pkcs1Sign: (name, key, data) => plain(openssl().sign(name, data, key.handle as KeyObject)),

  pkcs1SignAsync: (name, key, data) =>
    new Promise((resolve, reject) => {
      const copies = copiesOf(key);
      const copy = copies.pop() ?? copyOf(key);
      openssl().sign(name, data, copy, (error, signature) => {
        copies.push(copy);
        if (error) reject(error);
        else resolve(plain(signature));
      });
    }),

  pkcs1Verify(name, key, data, signature) {
    if (signature.length !== key.size) return false;
    try {
      return openssl().verify(name, data, key.handle as KeyObject, signature);
    } catch {
      // For a number that is not below the modulus Bun throws where Node returns false.
      return false;
    }
  },
};

/**
 * The primitives on `node:crypto`, for Node and Bun.
 *
 * Figures behind the choices, in µs on one 2.5 GHz core for 112 B / 1 KB / 100 KB on Node: cipher with bytes as key
 * 29 / 23 / 114, with a key object 4 / 5 / 100; `@noble/ciphers` 5 / 14 / 960; HMAC with bytes 22 / 16 / 86, with a key
 * object 4 / 3 / 73, of two one-shot hashes 4 / 6 / 89. So: key objects, at every size. On Bun all of it is below 2 µs.
 */
export function nodeCrypto(): Crypto {
  return {
    randomBytes: pooledRandom((length) => plain(openssl().randomBytes(length))),
    ...HASHES,
    ...CIPHERS,
    ...RSA_KEYS,
    ...RSA,
  };
}

/** HMAC from copies of two started hashes, which on Deno takes half the time of `createHmac()`. */
export function copiedHmac(name: HashName, key: Uint8Array): (data: Uint8Array) => Uint8Array {
  const block = name === "sha384" || name === "sha512" ? 128 : 64;
  const short = key.length > block ? openssl().createHash(name).update(key).digest() : key;
  const inner = new Uint8Array(block).fill(0x36);
  const outer = new Uint8Array(block).fill(0x5c);
  for (let at = 0; at < short.length; at++) {
    inner[at]! ^= short[at]!;
    outer[at]! ^= short[at]!;
  }
  const innerHash = openssl().createHash(name).update(inner);
  const outerHash = openssl().createHash(name).update(outer);
  return (data) => plain(outerHash.copy().update(innerHash.copy().update(data).digest()).digest());
}
