import { AuthenticationError } from "../../base/errors.ts";
import type { Crypto, SecretKey } from "../../runtime/crypto.ts";

const AES_KEY = 24;
const HMAC_KEY = 32;
const IV = 16;
const MAC = 32;
/** The size of the shortest sealed message in bytes: an IV, one block and a MAC. */
const SHORTEST = IV + 16 + MAC;

/** The size in bytes from which {@link Crypticle.sealLong} and {@link Crypticle.openLong} are worth the cost of a promise. */
export const LONG_MESSAGE = 65536;

/** Encodes bytes as base64: 56 bytes become 76 characters. `btoa()` takes text only, and a copy of a key as text cannot be wiped anyway. */
export function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** The bytes of a key string, or `undefined` if it is not base64. Line feeds within are ignored, as Python does. */
function fromBase64(text: string): Uint8Array | undefined {
  const dense = text.replace(/[\r\n]/g, "");
  if (dense.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(dense)) return undefined;
  const binary = atob(dense);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/**
 * A new symmetric key as Salt writes it: 56 random bytes in base64, 76 characters.
 *
 * @see salt/crypt.py Crypticle.generate_key_string
 */
export function newKeyString(crypto: Crypto): string {
  return base64(crypto.randomBytes(AES_KEY + HMAC_KEY));
}

/** True if a text is a key string: base64 of 56 bytes. */
export function isKeyString(text: string): boolean {
  return text.length <= 256 && fromBase64(text)?.length === AES_KEY + HMAC_KEY;
}

/**
 * Seals bytes with a shared key: `iv[16] ‖ AES-192-CBC(key[0:24], data) ‖ HMAC-SHA256(key[24:56], iv ‖ ciphertext)[32]`.
 *
 * @see salt/crypt.py Crypticle
 */
export class Crypticle {
  readonly #crypto: Crypto;
  readonly #aesKey: SecretKey;
  readonly #hmacKey: SecretKey;

  /**
   * @param keyString 76 characters, as {@link newKeyString} makes them
   * @throws {RangeError} if the key string is not base64 of 56 bytes
   */
  constructor(crypto: Crypto, keyString: string) {
    const bytes = fromBase64(keyString);
    if (bytes?.length !== AES_KEY + HMAC_KEY) {
      // The error must not contain the key string: it may still be a key.
      throw new RangeError(`Cannot use a key string of ${keyString.length} characters: expected base64 of 56 bytes`);
    }
    this.#crypto = crypto;
    this.#aesKey = crypto.secretKey(bytes.subarray(0, AES_KEY));
    this.#hmacKey = crypto.secretKey(bytes.subarray(AES_KEY));
    bytes.fill(0);
  }

  /**
   * Encrypts and authenticates bytes; the result is 49 to 64 bytes longer.
   *
   * @param before the number of bytes to leave free before the result, in addition
   */
  seal(plain: Uint8Array, before = 0): Uint8Array {
    return this.sealWith(this.#crypto.randomBytes(IV), plain, before);
  }

  /** As {@link seal} with a given IV, for known-answer tests: an IV MUST NOT be used twice. */
  sealWith(iv: Uint8Array, plain: Uint8Array, before = 0): Uint8Array {
    const whole = this.#crypto.aes192CbcEncrypt(this.#aesKey, iv, plain, { before: before + IV, after: MAC });
    this.#authenticate(whole.subarray(before), iv);
    return whole;
  }

  /** As {@link seal}, for long data in parts, which MUST NOT be changed until it resolves. */
  async sealLong(parts: readonly Uint8Array[], before = 0): Promise<Uint8Array> {
    const iv = this.#crypto.randomBytes(IV);
    const room = { before: before + IV, after: MAC };
    const whole = await this.#crypto.aes192CbcEncryptLong(this.#aesKey, iv, parts, room);
    this.#authenticate(whole.subarray(before), iv);
    return whole;
  }

  /** Writes the IV before, and the MAC after, a ciphertext. */
  #authenticate(blob: Uint8Array, iv: Uint8Array): void {
    blob.set(iv);
    const covered = blob.length - MAC;
    blob.set(this.#crypto.hmac("sha256", this.#hmacKey, blob.subarray(0, covered)), covered);
  }

  /**
   * Checks the MAC, in constant time and before anything is decrypted, and returns the plaintext.
   *
   * @throws {AuthenticationError} with the same message for each kind of failure
   */
  open(blob: Uint8Array): Uint8Array {
    const { iv, sealed } = this.#authentic(blob);
    try {
      return this.#crypto.aes192CbcDecrypt(this.#aesKey, iv, sealed);
    } catch {
      // Wrong padding under a valid MAC comes from a broken peer that has the key; Salt would cut off as many bytes as it says.
      throw unauthentic();
    }
  }

  /** As {@link open}, for long data; `blob` MUST NOT be changed until it resolves. */
  async openLong(blob: Uint8Array): Promise<Uint8Array> {
    const { iv, sealed } = this.#authentic(blob);
    try {
      return await this.#crypto.aes192CbcDecryptLong(this.#aesKey, iv, sealed);
    } catch {
      // Wrong padding is reported as in open().
      throw unauthentic();
    }
  }

  /** Checks the MAC; returns IV and ciphertext. */
  #authentic(blob: Uint8Array): { iv: Uint8Array; sealed: Uint8Array } {
    const covered = blob.length - MAC;
    if (covered < SHORTEST - MAC || covered % 16 !== 0) throw unauthentic();
    const mac = this.#crypto.hmac("sha256", this.#hmacKey, blob.subarray(0, covered));
    if (!this.#crypto.equal(mac, blob.subarray(covered))) throw unauthentic();
    return { iv: blob.subarray(0, IV), sealed: blob.subarray(IV, covered) };
  }
}

function unauthentic(): AuthenticationError {
  return new AuthenticationError("Cannot open a sealed message: it was not sealed with this key, or it was altered");
}

/** The highest serial seen under one key; publications are numbered upwards from 1. @see docs/internals/protocol.md 3.4 */
export class SerialWindow {
  #seen: bigint;

  constructor(seen: number | bigint = 0) {
    this.#seen = BigInt(seen);
  }

  get seen(): bigint {
    return this.#seen;
  }

  /** True if `serial` is an integer above all serials seen so far; then it is remembered. */
  admit(serial: unknown): boolean {
    if (typeof serial !== "bigint" && !Number.isSafeInteger(serial)) return false;
    const value = BigInt(serial as number | bigint);
    if (value <= this.#seen) return false;
    this.#seen = value;
    return true;
  }
}
