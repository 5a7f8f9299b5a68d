/** The runtime's own cryptography, without chance and without threads: every run of a seed is the same. */
import type { Crypto } from "../../src/runtime/crypto.ts";
import type { World } from "./world.ts";

export function steadyCrypto(crypto: Crypto, world: World): Crypto {
  return {
    ...crypto,
    randomBytes: (length) => Uint8Array.from({ length }, () => world.below(256)),
    // deno-lint-ignore require-await
    pkcs1SignAsync: async (hash, key, data) => crypto.pkcs1Sign(hash, key, data),
    // deno-lint-ignore require-await
    async aes192CbcEncryptLong(key, iv, parts, room) {
      const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const part of parts) {
        whole.set(part, at);
        at += part.length;
      }
      return crypto.aes192CbcEncrypt(key, iv, whole, room);
    },
    // deno-lint-ignore require-await
    aes192CbcDecryptLong: async (key, iv, data) => crypto.aes192CbcDecrypt(key, iv, data),
  };
}
