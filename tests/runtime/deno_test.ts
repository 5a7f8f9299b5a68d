import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HashName } from "../../src/runtime/crypto.ts";
import { cryptoContract } from "../contract/crypto_contract.ts";
import { libcryptoContract } from "../contract/libcrypto_contract.ts";
import { realRuntimeContracts } from "./contracts.ts";

await realRuntimeContracts("deno", async () => (await import("../../src/runtime/deno/deno_runtime.ts")).denoRuntime());

if ("Deno" in globalThis) {
  const { denoCrypto } = await import("../../src/runtime/deno/crypto.ts");
  const { openLibcrypto } = await import("../../src/runtime/deno/crypto.ts");
  const library = openLibcrypto();
  cryptoContract("deno without libcrypto", () => denoCrypto(() => undefined));

  describe("libcrypto", { skip: library === undefined ? "no OpenSSL 3 that may be called" : false }, () => {
    const own = denoCrypto(() => undefined);
    const fast = denoCrypto(() => library);
    const data = own.randomBytes(76);
    if (library !== undefined) libcryptoContract(own, (one) => denoCrypto(() => one), library);

    for (const hash of ["sha1", "sha224", "sha256", "sha384", "sha512"] as HashName[]) {
      test(`a MAC with ${hash} is the same bytes`, () => {
        const key = own.secretKey(data);
        assert.deepEqual(fast.hmac(hash, key, data), own.hmac(hash, key, data));
      });
    }

    test("AES-192-CBC is the same bytes at every length of two blocks", async () => {
      const key = own.secretKey(data.subarray(0, 24));
      const iv = data.subarray(24, 40);
      const room = { before: 3, after: 5 };
      for (let length = 0; length <= 33; length++) {
        const plain = own.randomBytes(length);
        const want = own.aes192CbcEncrypt(key, iv, plain, room);
        assert.deepEqual(fast.aes192CbcEncrypt(key, iv, plain, room), want);
        assert.deepEqual(
          await fast.aes192CbcEncryptLong(key, iv, [plain.subarray(0, 7), plain.subarray(7)], room),
          want,
        );
        assert.deepEqual(fast.aes192CbcDecrypt(key, iv, want.subarray(3, -5)), plain);
      }
    });
  });
}
