import { createDecipheriv, type KeyObject, type webcrypto } from "node:crypto";
import { SaltError } from "../../base/errors.ts";
import type { Crypto, HashName, RsaPrivateKey, SecretKey } from "../crypto.ts";
import { release } from "../bytes.ts";
import { checkBlocks, copiedHmac, nodeCrypto, unpadded } from "../node/crypto.ts";
import { type Calls, Libcrypto, rsaByLibcrypto, SYMBOLS } from "../node/libcrypto.ts";

/** The part of Deno that is used here: its own types are not available to Node's type checker. */
interface DenoForeign {
  build: { os: string };
  permissions: { querySync(descriptor: { name: "ffi" }): { state: string } };
  dlopen(name: string, symbols: object): { symbols: unknown };
  UnsafePointer: { of(buffer: Uint8Array): object | null; value(pointer: object | null): bigint };
}

/** OpenSSL 3 if the library is installed and the program may call it without a prompt; else undefined. */
export function openLibcrypto(): Libcrypto | undefined {
  const deno = (globalThis as unknown as { Deno: DenoForeign }).Deno;
  if (deno.build.os !== "linux") return undefined;
  try {
    if (deno.permissions.querySync({ name: "ffi" }).state !== "granted") return undefined;
    const { symbols } = deno.dlopen("libcrypto.so.3", SYMBOLS);
    return new Libcrypto(symbols as Calls, (buffer) => deno.UnsafePointer.value(deno.UnsafePointer.of(buffer)));
  } catch {
    // The library is missing or lacks these functions: Deno's own cryptography is used.
    return undefined;
  }
}

type Cbc = (key: Uint8Array, iv: Uint8Array) => { encrypt(data: Uint8Array): Uint8Array };

/**
 * Loads the cipher. A script that imports Brine from a URL has no map for bare names, and publishes in clear: it must not
 * fail because of a missing cipher that it never uses.
 */
async function loadCbc(): Promise<Cbc> {
  try {
    return (await import("@noble/ciphers/aes.js")).cbc;
  } catch {
    try {
      // The specifier is in a variable, since Node's type checker does not know the scheme `npm:`.
      const specifier = "npm:@noble/ciphers@^2.4.0/aes.js";
      return (await import(specifier)).cbc;
    } catch (cause) {
      return () => {
        throw new SaltError(
          "NO_CIPHER",
          'Cannot encrypt with AES-192 on Deno without "@noble/ciphers": add it to your import map',
          { cause },
        );
      };
    }
  }
}

const cbc = await loadCbc();

/** What this adapter keeps with a `SecretKey`. The MAC of each hash is started once and copied for each use. */
interface DenoSecret {
  bytes: Uint8Array;
  macs: Map<HashName, (data: Uint8Array) => Uint8Array>;
  /** The key for Web Crypto, made with the first long message. */
  web?: Promise<webcrypto.CryptoKey>;
}

function secretOf(key: SecretKey | Uint8Array): DenoSecret {
  return key instanceof Uint8Array ? { bytes: key, macs: new Map() } : key.handle as DenoSecret;
}

function checkCbc(key: Uint8Array, iv: Uint8Array): void {
  if (key.length !== 24) throw new RangeError(`Cannot use a key of ${key.length} bytes with AES-192: expected 24`);
  if (iv.length !== 16) throw new RangeError(`Cannot use an IV of ${iv.length} bytes with AES: expected 16`);
}

/** True if this `node:crypto` has the cipher; a Deno version with it does not need this file. */
function hasAes192Cbc(crypto: Crypto): boolean {
  try {
    crypto.aes192CbcEncrypt(new Uint8Array(24), new Uint8Array(16), new Uint8Array(1));
    return true;
  } catch {
    return false;
  }
}

function webCbc(key: SecretKey): Promise<webcrypto.CryptoKey> {
  const secret = key.handle as DenoSecret;
  const bytes = secret.bytes as Uint8Array<ArrayBuffer>;
  return secret.web ??= crypto.subtle.importKey("raw", bytes, "AES-CBC", false, ["encrypt", "decrypt"]);
}

const RSA = "RSASSA-PKCS1-v1_5";

/** The hashes that Deno's Web Crypto signs with, by its names; SHA-224 is none of them. */
const WEB_HASHES: Partial<Record<HashName, string>> = {
  sha1: "SHA-1",
  sha256: "SHA-256",
  sha384: "SHA-384",
  sha512: "SHA-512",
};

function webSigner(key: RsaPrivateKey, hash: string): Promise<webcrypto.CryptoKey> {
  const der = (key.handle as KeyObject).export({ type: "pkcs8", format: "der" });
  return crypto.subtle.importKey("pkcs8", new Uint8Array(der), { name: RSA, hash }, false, ["sign"]);
}

/**
 * The primitives on Deno: OpenSSL of the host if it is installed and may be called, otherwise Deno's own cryptography.
 *
 * @param open finds the library. Called once, at the first operation that is faster with it: that takes 9 ms, which a program
 *   that encrypts nothing need not wait for
 */
export function denoCrypto(open: () => Libcrypto | undefined = openLibcrypto): Crypto {
  const node = nodeCrypto();
  if (hasAes192Cbc(node)) return node;
  let library: Libcrypto | null | undefined;
  return withLibcrypto(
    denoOwnCrypto(node),
    () => (library === undefined ? library = open() ?? null : library) ?? undefined,
  );
}

/** Bytes of a MAC by its hash. */
const MAC_SIZE: Record<HashName, number> = { md5: 16, sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 };

/** The operations that OpenSSL does faster, each with Deno's own as the fallback if OpenSSL is missing or refuses. */
function withLibcrypto(own: Crypto, library: () => Libcrypto | undefined): Crypto {
  const open = (key: SecretKey | Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array | undefined => {
    const c = library();
    if (c === undefined) return undefined;
    const { bytes } = secretOf(key);
    checkCbc(bytes, iv);
    checkBlocks(data);
    return unpadded(c.openPadded(bytes, iv, data));
  };
  return {
    ...own,
    ...rsaByLibcrypto(own, library),

    hmac(name, key, data) {
      return library()?.hmac(name, MAC_SIZE[name], secretOf(key).bytes, data) ?? own.hmac(name, key, data);
    },

    aes192CbcEncrypt(key, iv, data, room = { before: 0, after: 0 }) {
      const c = library();
      if (c === undefined) return own.aes192CbcEncrypt(key, iv, data, room);
      const { bytes } = secretOf(key);
      checkCbc(bytes, iv);
      return c.seal(bytes, iv, [data], room);
    },

    aes192CbcDecrypt: (key, iv, data) => open(key, iv, data) ?? own.aes192CbcDecrypt(key, iv, data),

    async aes192CbcEncryptLong(key, iv, parts, room) {
      const c = library();
      if (c === undefined) return await own.aes192CbcEncryptLong(key, iv, parts, room);
      const { bytes } = secretOf(key);
      checkCbc(bytes, iv);
      return c.seal(bytes, iv, parts, room);
    },

    aes192CbcDecryptLong: async (key, iv, data) => open(key, iv, data) ?? await own.aes192CbcDecryptLong(key, iv, data),
  };
}

const OWN_CIPHERS: Pick<
  Crypto,
  "aes192CbcEncrypt" | "aes192CbcDecrypt" | "aes192CbcEncryptLong" | "aes192CbcDecryptLong"
> = {
  aes192CbcEncrypt(key, iv, data, { before, after } = { before: 0, after: 0 }) {
    const { bytes } = secretOf(key);
    checkCbc(bytes, iv);
    const sealed = cbc(bytes, iv).encrypt(data);
    if (before === 0 && after === 0) return sealed;
    const whole = new Uint8Array(before + sealed.length + after);
    whole.set(sealed, before);
    return whole;
  },

  aes192CbcDecrypt(key, iv, data) {
    const { bytes } = secretOf(key);
    checkCbc(bytes, iv);
    checkBlocks(data);
    const decipher = createDecipheriv("aes-192-ecb", bytes, null);
    decipher.setAutoPadding(false);
    const blocks = decipher.update(data);
    const plain = new Uint8Array(blocks.buffer, blocks.byteOffset, blocks.byteLength);
    if (plain.length !== data.length) throw new RangeError("Cannot decrypt: the cipher held bytes back");
    // CBC is ECB with the ciphertext block before XORed on top: two passes, without a branch per byte.
    for (let at = 0; at < 16; at++) plain[at]! ^= iv[at]!;
    for (let at = 16; at < plain.length; at++) plain[at]! ^= data[at - 16]!;
    return unpadded(plain);
  },

  async aes192CbcEncryptLong(key, iv, parts, { before, after }) {
    checkCbc(secretOf(key).bytes, iv);
    const data = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      data.set(part, at);
      at += part.length;
    }
    const name = { name: "AES-CBC", iv: iv as Uint8Array<ArrayBuffer> };
    const sealed = new Uint8Array(await crypto.subtle.encrypt(name, await webCbc(key), data));
    release(data);
    const whole = new Uint8Array(before + sealed.length + after);
    whole.set(sealed, before);
    release(sealed);
    return whole;
  },

  async aes192CbcDecryptLong(key, iv, data) {
    checkCbc(secretOf(key).bytes, iv);
    checkBlocks(data);
    const name = { name: "AES-CBC", iv: iv as Uint8Array<ArrayBuffer> };
    try {
      return new Uint8Array(await crypto.subtle.decrypt(name, await webCbc(key), data as Uint8Array<ArrayBuffer>));
    } catch (cause) {
      throw new RangeError("Cannot decrypt: the padding is wrong", { cause });
    }
  },
};

/**
 * Node's primitives but for AES-192-CBC, which Deno's `node:crypto` lacks: encryption by `@noble/ciphers` (7 µs for 112 B,
 * 21 for 1 KB, 940 for 100 KB), decryption by the native ECB mode and an XOR (6, 22, 170). Long data goes to Web Crypto,
 * which has the native cipher and a thread for it: 2 ms for 1 MiB, where `@noble/ciphers` takes 10 on the event loop.
 */
function denoOwnCrypto(node: Crypto): Crypto {
  const signers = new WeakMap<object, Map<HashName, Promise<webcrypto.CryptoKey>>>();
  return {
    ...node,

    // The `sign()` with a callback of `node:crypto` works on the event loop here, for 2 ms; Web Crypto does not.
    async pkcs1SignAsync(hash, key, data) {
      const name = WEB_HASHES[hash];
      if (name === undefined) return node.pkcs1Sign(hash, key, data);
      let byHash = signers.get(key);
      if (byHash === undefined) signers.set(key, byHash = new Map());
      let signer = byHash.get(hash);
      if (signer === undefined) byHash.set(hash, signer = webSigner(key, name));
      return new Uint8Array(await crypto.subtle.sign(RSA, await signer, data as Uint8Array<ArrayBuffer>));
    },

    secretKey: (bytes) => ({
      type: "secret",
      size: bytes.length,
      handle: { bytes: bytes.slice(), macs: new Map() } satisfies DenoSecret,
    }),

    hmac(name, key, data) {
      const secret = secretOf(key);
      let mac = secret.macs.get(name);
      if (mac === undefined) {
        mac = copiedHmac(name, secret.bytes);
        secret.macs.set(name, mac);
      }
      return mac(data);
    },

    // timingSafeEqual() costs 1.2 µs here; this loop touches every byte of both whatever they hold.
    equal(a, b) {
      if (a.length !== b.length) return false;
      let difference = 0;
      for (let at = 0; at < a.length; at++) difference |= a[at]! ^ b[at]!;
      return difference === 0;
    },

    ...OWN_CIPHERS,
  };
}
