import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HashName } from "../../src/runtime/crypto.ts";
import { cryptoContract } from "../contract/crypto_contract.ts";
import { vectors } from "../support/vectors.ts";
import { realRuntimeContracts } from "./contracts.ts";

await realRuntimeContracts("deno", async () => (await import("../../src/runtime/deno/deno_runtime.ts")).denoRuntime());

if ("Deno" in globalThis) {
  const { denoCrypto } = await import("../../src/runtime/deno/crypto.ts");
  const { openLibcrypto } = await import("../../src/runtime/deno/libcrypto.ts");
  const library = openLibcrypto();
  cryptoContract("deno without libcrypto", () => denoCrypto(() => undefined));

  describe("libcrypto", { skip: library === undefined ? "no OpenSSL 3 that may be called" : false }, () => {
    const own = denoCrypto(() => undefined);
    const fast = denoCrypto(() => library);
    const { minion } = vectors("rsa").keys;
    const privateKey = own.loadPrivateKey(minion.private_pem);
    const publicKey = own.loadPublicKey(minion.public_pem);
    const data = own.randomBytes(76);

    for (const hash of ["sha1", "sha224", "sha256", "sha384", "sha512"] as HashName[]) {
      test(`a signature over ${hash} is the same bytes, on the event loop and off it`, async () => {
        const want = own.pkcs1Sign(hash, privateKey, data);
        assert.deepEqual(fast.pkcs1Sign(hash, privateKey, data), want);
        assert.deepEqual(await fast.pkcs1SignAsync(hash, privateKey, data), want);
      });

      test(`a MAC with ${hash} is the same bytes`, () => {
        const key = own.secretKey(data);
        assert.deepEqual(fast.hmac(hash, key, data), own.hmac(hash, key, data));
      });
    }

    for (const hash of ["sha1", "sha224"] as HashName[]) {
      test(`either opens what the other encrypted with OAEP and ${hash}`, () => {
        assert.deepEqual(fast.oaepDecrypt(hash, privateKey, own.oaepEncrypt(hash, publicKey, data)), data);
        assert.deepEqual(own.oaepDecrypt(hash, privateKey, fast.oaepEncrypt(hash, publicKey, data)), data);
      });
    }

    test("raw RSA is the same bytes", () => {
      const block = new Uint8Array(publicKey.size);
      block.set(data, publicKey.size - data.length);
      assert.deepEqual(fast.rawPublic(publicKey, block), own.rawPublic(publicKey, block));
      assert.deepEqual(fast.rawPrivate(privateKey, block), own.rawPrivate(privateKey, block));
    });

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

    test("many signatures at once are each their own", async () => {
      const messages = Array.from({ length: 32 }, () => own.randomBytes(100));
      const signatures = await Promise.all(messages.map((each) => fast.pkcs1SignAsync("sha1", privateKey, each)));
      for (const [at, signature] of signatures.entries()) {
        assert.equal(own.pkcs1Verify("sha1", publicKey, messages[at]!, signature), true);
      }
    });

    test("a library that refuses an operation leaves it to Deno", async () => {
      const refusing = new Proxy(library!, {
        get: (target, name) =>
          ["rsa", "sign", "signElsewhere"].includes(String(name)) ? () => undefined : Reflect.get(target, name, target),
      });
      const crypto = denoCrypto(() => refusing);
      assert.deepEqual(crypto.pkcs1Sign("sha1", privateKey, data), own.pkcs1Sign("sha1", privateKey, data));
      assert.deepEqual(await crypto.pkcs1SignAsync("sha1", privateKey, data), own.pkcs1Sign("sha1", privateKey, data));
      assert.deepEqual(crypto.oaepDecrypt("sha1", privateKey, own.oaepEncrypt("sha1", publicKey, data)), data);
    });
  });
}
