import type { KeyObject } from "node:crypto";
import type { Crypto, HashName, RsaPrivateKey, RsaPublicKey } from "../crypto.ts";
import { checkBlock } from "./crypto.ts";

/** A pointer as the runtime returns it; `null` is C's NULL. */
type Pointer = object | number | null;

/** The functions of OpenSSL 3 that are called, with parameters and result. */
export const SYMBOLS = {
  ERR_clear_error: { parameters: [], result: "void" },
  EVP_MD_fetch: { parameters: ["pointer", "buffer", "pointer"], result: "pointer" },
  EVP_get_digestbyname: { parameters: ["buffer"], result: "pointer" },
  d2i_AutoPrivateKey: { parameters: ["pointer", "buffer", "isize"], result: "pointer" },
  d2i_PublicKey: { parameters: ["i32", "pointer", "buffer", "isize"], result: "pointer" },
  EVP_PKEY_free: { parameters: ["pointer"], result: "void" },
  EVP_PKEY_CTX_new: { parameters: ["pointer", "pointer"], result: "pointer" },
  EVP_PKEY_CTX_free: { parameters: ["pointer"], result: "void" },
  EVP_PKEY_encrypt_init: { parameters: ["pointer"], result: "i32" },
  EVP_PKEY_decrypt_init: { parameters: ["pointer"], result: "i32" },
  EVP_PKEY_CTX_set_rsa_padding: { parameters: ["pointer", "i32"], result: "i32" },
  EVP_PKEY_CTX_set_rsa_oaep_md: { parameters: ["pointer", "pointer"], result: "i32" },
  EVP_PKEY_encrypt: { parameters: ["pointer", "buffer", "buffer", "buffer", "usize"], result: "i32" },
  EVP_PKEY_decrypt: { parameters: ["pointer", "buffer", "buffer", "buffer", "usize"], result: "i32" },
  EVP_MD_CTX_new: { parameters: [], result: "pointer" },
  EVP_MD_CTX_free: { parameters: ["pointer"], result: "void" },
  EVP_DigestSignInit: { parameters: ["pointer", "pointer", "pointer", "pointer", "pointer"], result: "i32" },
  EVP_DigestSign: { parameters: ["pointer", "buffer", "buffer", "buffer", "usize"], result: "i32" },
  signElsewhere: {
    name: "EVP_DigestSign",
    parameters: ["pointer", "buffer", "buffer", "buffer", "usize"],
    result: "i32",
    nonblocking: true,
  },
  EVP_CIPHER_fetch: { parameters: ["pointer", "buffer", "pointer"], result: "pointer" },
  EVP_aes_192_cbc: { parameters: [], result: "pointer" },
  EVP_CIPHER_CTX_new: { parameters: [], result: "pointer" },
  EVP_EncryptInit_ex: { parameters: ["pointer", "pointer", "pointer", "buffer", "buffer"], result: "i32" },
  EVP_EncryptUpdate: { parameters: ["pointer", "buffer", "buffer", "buffer", "i32"], result: "i32" },
  EVP_EncryptFinal_ex: { parameters: ["pointer", "buffer", "buffer"], result: "i32" },
  EVP_DecryptInit_ex: { parameters: ["pointer", "pointer", "pointer", "buffer", "buffer"], result: "i32" },
  EVP_DecryptUpdate: { parameters: ["pointer", "buffer", "buffer", "buffer", "i32"], result: "i32" },
  EVP_CIPHER_CTX_set_padding: { parameters: ["pointer", "i32"], result: "i32" },
  EVP_MAC_fetch: { parameters: ["pointer", "buffer", "pointer"], result: "pointer" },
  EVP_MAC_CTX_new: { parameters: ["pointer"], result: "pointer" },
  EVP_MAC_init: { parameters: ["pointer", "buffer", "usize", "buffer"], result: "i32" },
  EVP_MAC_update: { parameters: ["pointer", "buffer", "usize"], result: "i32" },
  EVP_MAC_final: { parameters: ["pointer", "buffer", "buffer", "usize"], result: "i32" },
} as const;

type Result<R> = R extends "pointer" ? Pointer : R extends "i32" ? number : void;
// deno-lint-ignore no-explicit-any
type Call<S> = S extends { nonblocking: true; result: infer R } ? (...args: any[]) => Promise<Result<R>>
  // deno-lint-ignore no-explicit-any
  : S extends { result: infer R } ? (...args: any[]) => Result<R>
  : never;
export type Calls = { [K in keyof typeof SYMBOLS]: Call<typeof SYMBOLS[K]> };

/** The name of RSA among the types of keys. */
const EVP_PKEY_RSA = 6;
/** The type of a text among parameters. */
const UTF8_STRING = 4n;
const NO_PADDING = 3;
const OAEP_PADDING = 4;
/** Bytes that one call of a cipher takes at most: its lengths are C's `int`. */
const CIPHER_PIECE = 2 ** 30;

const cText = (text: string) => new TextEncoder().encode(`${text}\0`);

type RsaKey = RsaPublicKey | RsaPrivateKey;

/**
 * OpenSSL 3 of the host, for operations that are slow or missing in a runtime's own cryptography: a private-key operation takes
 * 0.3 ms here, 1.3 ms in Deno's and 0.6 in Bun's; Deno's has no AES-192-CBC.
 *
 * An operation that the library refuses to set up returns undefined, as some hosts forbid SHA-1 in signatures: the caller
 * has a fallback. Keys are loaded once and freed with the key object that they belong to.
 */
export class Libcrypto {
  readonly #c: Calls;
  readonly #address: (buffer: Uint8Array) => bigint;
  readonly #keys = new WeakMap<RsaKey, Pointer>();
  readonly #freed: FinalizationRegistry<Pointer>;
  readonly #digests = new Map<HashName, Pointer>();
  /** A context for MACs by hash; undefined if the library refuses that hash. */
  readonly #macs = new Map<HashName, Pointer | undefined>();
  readonly #aes: Pointer;
  readonly #encryptor: Pointer;
  readonly #decryptor: Pointer;
  /** Buffers whose addresses OpenSSL has, or that another thread is using: they must not be garbage collected. */
  readonly #lent = new Set<Uint8Array[]>();
  /** The buffer that C functions write lengths into. */
  readonly #length = new Uint8Array(8);
  readonly #lengthView = new DataView(this.#length.buffer);

  constructor(calls: Calls, address: (buffer: Uint8Array) => bigint) {
    this.#c = calls;
    this.#address = address;
    this.#freed = new FinalizationRegistry((key) => calls.EVP_PKEY_free(key));
    // What is fetched once need not be looked up with each use.
    this.#aes = calls.EVP_CIPHER_fetch(null, cText("AES-192-CBC"), null) ?? calls.EVP_aes_192_cbc();
    this.#encryptor = calls.EVP_CIPHER_CTX_new();
    this.#decryptor = calls.EVP_CIPHER_CTX_new();
  }

  /** One RSA operation with OAEP padding, or with none where there is no hash. */
  rsa(direction: "encrypt" | "decrypt", key: RsaKey, hash: HashName | undefined, data: Uint8Array) {
    const c = this.#c;
    const context = c.EVP_PKEY_CTX_new(this.#key(key), null);
    try {
      const ready = (direction === "encrypt" ? c.EVP_PKEY_encrypt_init : c.EVP_PKEY_decrypt_init)(context) > 0 &&
        c.EVP_PKEY_CTX_set_rsa_padding(context, hash === undefined ? NO_PADDING : OAEP_PADDING) > 0 &&
        (hash === undefined || c.EVP_PKEY_CTX_set_rsa_oaep_md(context, this.#digest(hash)) > 0);
      if (!ready) return this.#refused();
      const out = new Uint8Array(key.size);
      this.#setLength(out.length);
      const run = direction === "encrypt" ? c.EVP_PKEY_encrypt : c.EVP_PKEY_decrypt;
      if (run(context, out, this.#length, data, data.length) <= 0) {
        this.#refused();
        throw new RangeError(`Cannot ${direction} ${data.length} bytes with this RSA key`);
      }
      return out.subarray(0, this.#getLength());
    } finally {
      c.EVP_PKEY_CTX_free(context);
    }
  }

  /** A PKCS#1 v1.5 signature, on the event loop. */
  sign(hash: HashName, key: RsaPrivateKey, data: Uint8Array): Uint8Array | undefined {
    const c = this.#c;
    const context = c.EVP_MD_CTX_new();
    try {
      if (c.EVP_DigestSignInit(context, null, this.#digest(hash), null, this.#key(key)) <= 0) return this.#refused();
      const signature = new Uint8Array(key.size);
      this.#setLength(signature.length);
      if (c.EVP_DigestSign(context, signature, this.#length, data, data.length) <= 0) return this.#refused();
      return signature;
    } finally {
      c.EVP_MD_CTX_free(context);
    }
  }

  /** A PKCS#1 v1.5 signature, made on another thread. */
  async signElsewhere(hash: HashName, key: RsaPrivateKey, data: Uint8Array): Promise<Uint8Array | undefined> {
    const c = this.#c;
    const context = c.EVP_MD_CTX_new();
    const signature = new Uint8Array(key.size);
    // Each call has its own length: other signatures may run at the same time.
    const length = new Uint8Array(8);
    const lent = [signature, length, data];
    this.#lent.add(lent);
    try {
      if (c.EVP_DigestSignInit(context, null, this.#digest(hash), null, this.#key(key)) <= 0) return this.#refused();
      new DataView(length.buffer).setBigUint64(0, BigInt(key.size), true);
      return await c.signElsewhere(context, signature, length, data, data.length) > 0 ? signature : undefined;
    } finally {
      this.#lent.delete(lent);
      c.EVP_MD_CTX_free(context);
    }
  }

  /** The MAC of `size` bytes. The one call `HMAC()` takes twice as long. */
  hmac(hash: HashName, size: number, key: Uint8Array, data: Uint8Array): Uint8Array | undefined {
    const c = this.#c;
    const context = this.#mac(hash);
    if (context === undefined) return undefined;
    const mac = new Uint8Array(size);
    c.EVP_MAC_init(context, key, key.length, null);
    c.EVP_MAC_update(context, data, data.length);
    c.EVP_MAC_final(context, mac, this.#length, size);
    return mac;
  }

  #mac(hash: HashName): Pointer | undefined {
    if (this.#macs.has(hash)) return this.#macs.get(hash);
    const algorithm = this.#c.EVP_MAC_fetch(null, cText("HMAC"), null);
    if (algorithm === null) return this.#refused();
    const context = this.#c.EVP_MAC_CTX_new(algorithm);
    // An array of OSSL_PARAM: one with its name, type, value, size and a field for the result, then one of zeros.
    const [name, value] = [cText("digest"), cText(hash)];
    const lent = [name, value];
    this.#lent.add(lent);
    const params = BigUint64Array.of(
      this.#address(name),
      UTF8_STRING,
      this.#address(value),
      BigInt(value.length - 1),
      ...Array(6).fill(0n),
    );
    const ready = this.#c.EVP_MAC_init(context, new Uint8Array(1), 1, new Uint8Array(params.buffer)) > 0;
    if (!ready) this.#refused();
    this.#macs.set(hash, ready ? context : undefined);
    this.#lent.delete(lent);
    return this.#macs.get(hash);
  }

  /** AES-192-CBC with PKCS#7 padding. The parts become one message. */
  seal(
    key: Uint8Array,
    iv: Uint8Array,
    parts: readonly Uint8Array[],
    { before, after }: { before: number; after: number },
  ): Uint8Array {
    const c = this.#c;
    c.EVP_EncryptInit_ex(this.#encryptor, this.#aes, null, key, iv);
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const whole = new Uint8Array(before + length + 16 - length % 16 + after);
    let at = before;
    for (const part of parts) {
      for (let from = 0; from < part.length; from += CIPHER_PIECE) {
        const piece = part.subarray(from, from + CIPHER_PIECE);
        c.EVP_EncryptUpdate(this.#encryptor, whole.subarray(at), this.#length, piece, piece.length);
        at += this.#lengthView.getInt32(0, true);
      }
    }
    c.EVP_EncryptFinal_ex(this.#encryptor, whole.subarray(at), this.#length);
    return whole;
  }

  /** Decrypts whole blocks of AES-192-CBC; the padding is not removed. */
  openPadded(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array {
    const c = this.#c;
    c.EVP_DecryptInit_ex(this.#decryptor, this.#aes, null, key, iv);
    c.EVP_CIPHER_CTX_set_padding(this.#decryptor, 0);
    const plain = new Uint8Array(data.length);
    let at = 0;
    for (let from = 0; from < data.length; from += CIPHER_PIECE) {
      const piece = data.subarray(from, from + CIPHER_PIECE);
      c.EVP_DecryptUpdate(this.#decryptor, plain.subarray(at), this.#length, piece, piece.length);
      at += this.#lengthView.getInt32(0, true);
    }
    return plain;
  }

  #digest(hash: HashName): Pointer {
    let digest = this.#digests.get(hash);
    if (digest === undefined) {
      const name = cText(hash);
      digest = this.#c.EVP_MD_fetch(null, name, null) ?? this.#c.EVP_get_digestbyname(name);
      this.#digests.set(hash, digest);
    }
    return digest;
  }

  #key(key: RsaKey): Pointer {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const object = key.handle as KeyObject;
    const isPrivate = key.type === "private";
    const type = isPrivate ? "pkcs8" : "pkcs1";
    const der = new Uint8Array(object.export({ type, format: "der" } as never) as unknown as Uint8Array);
    // d2i functions take the address of a variable that holds the address of the bytes, and move it on.
    const cursor = new Uint8Array(new BigUint64Array([this.#address(der)]).buffer);
    // A master loads a key for each minion: d2i_PUBKEY, which tries all formats, takes six times as long.
    const loaded = isPrivate
      ? this.#c.d2i_AutoPrivateKey(null, cursor, der.length)
      : this.#c.d2i_PublicKey(EVP_PKEY_RSA, null, cursor, der.length);
    der.fill(0);
    // A key that could not be loaded (NULL) is cached as well: each operation with it is refused.
    if (loaded !== null) this.#freed.register(key, loaded);
    this.#keys.set(key, loaded);
    return loaded;
  }

  #refused(): undefined {
    // Errors stay in a queue of the thread, where a later call might read them.
    this.#c.ERR_clear_error();
    return undefined;
  }

  #setLength(length: number): void {
    this.#lengthView.setBigUint64(0, BigInt(length), true);
  }

  #getLength(): number {
    return Number(this.#lengthView.getBigUint64(0, true));
  }
}

/** The operations with RSA keys by OpenSSL, each with the runtime's own as the fallback if OpenSSL is missing or refuses. */
export function rsaByLibcrypto(
  own: Crypto,
  library: () => Libcrypto | undefined,
): Pick<Crypto, "rawPublic" | "rawPrivate" | "oaepEncrypt" | "oaepDecrypt" | "pkcs1Sign" | "pkcs1SignAsync"> {
  return {
    rawPublic(key, block) {
      checkBlock(key.modulus, block);
      return library()?.rsa("encrypt", key, undefined, block) ?? own.rawPublic(key, block);
    },

    rawPrivate(key, block) {
      checkBlock(key.modulus, block);
      return library()?.rsa("decrypt", key, undefined, block) ?? own.rawPrivate(key, block);
    },

    oaepEncrypt: (hash, key, data) => library()?.rsa("encrypt", key, hash, data) ?? own.oaepEncrypt(hash, key, data),

    oaepDecrypt(hash, key, data) {
      // OpenSSL would accept a shorter signature as the same number with leading zeros. Node's adapter checks this as well.
      if (data.length !== key.size) {
        throw new RangeError(`Cannot decrypt ${data.length} bytes with this key: expected ${key.size}`);
      }
      return library()?.rsa("decrypt", key, hash, data) ?? own.oaepDecrypt(hash, key, data);
    },

    pkcs1Sign: (hash, key, data) => library()?.sign(hash, key, data) ?? own.pkcs1Sign(hash, key, data),

    async pkcs1SignAsync(hash, key, data) {
      return await library()?.signElsewhere(hash, key, data) ?? await own.pkcs1SignAsync(hash, key, data);
    },
  };
}
