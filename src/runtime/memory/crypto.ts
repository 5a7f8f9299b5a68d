import { concat } from "../bytes.ts";
import type { Crypto } from "../crypto.ts";

/** Cryptography without threads: the simulated clock must not advance while a thread still works. */
export function onTheLoop(crypto: Crypto): Crypto {
  return {
    ...crypto,
    // deno-lint-ignore require-await
    pkcs1SignAsync: async (hash, key, data) => crypto.pkcs1Sign(hash, key, data),
    // deno-lint-ignore require-await
    aes192CbcEncryptLong: async (key, iv, parts, room) => crypto.aes192CbcEncrypt(key, iv, concat(parts), room),
    // deno-lint-ignore require-await
    aes192CbcDecryptLong: async (key, iv, data) => crypto.aes192CbcDecrypt(key, iv, data),
  };
}
